import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import { serviceRoutes } from '../http/service-routes.ts';
import { openDomains } from './app.ts';
import { Address } from './start/address.ts';

/** Lists all declared routes without opening anything, for generated files. Calling one is an error. */
export function routeCatalogue(config: Config): Route[] {
  const closed = (): never =>
    new Proxy(() => undefined, { get: () => closed(), apply: () => closed() }) as never;
  const platform = {
    config,
    log: closed(),
    records: closed(),
    secrets: closed(),
    audit: closed(),
    keys: closed(),
    blobs: closed(),
    engine: closed(),
    jobs: closed(),
    queryPlaces: closed(),
    disk: closed(),
    ready: closed(),
    lastBackup: closed(),
    mail: closed(),
    callers: closed(),
    outbound: closed(),
    buckets: closed(),
    uses: closed(),
  };
  const { routes } = openDomains(platform, new Address(config));
  return [...routes, ...serviceRoutes(closed(), closed())];
}
