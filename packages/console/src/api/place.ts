/**
 * Place of the service, which may have a path on its host. Scripts are in `assets` below it, whatever page shows them. Other files
 * name addresses of the service from its root, and pass them to `at`; a test finds those that do not.
 */
export const serviceAddress = import.meta.url.replace(/\/assets\/[^/]*$/, '');

/** `/ploidy` for `https://host/ploidy`, `''` on a host of its own. */
const servicePath = new URL(serviceAddress).pathname.replace(/\/$/, '');

/** Returns the path on the host of an address of the service, such as `/v1/oauth/sign-in`. */
export const at = (address: `/${string}`): string => `${servicePath}${address}`;

/** Names what the browser keeps, apart from other services of the host. */
export const keptAs = (name: string): string =>
  servicePath === '' ? `ploidy-${name}` : `ploidy:${servicePath}:${name}`;
