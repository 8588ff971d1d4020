/**
 * Whether a request comes from a page of this service. `undefined`: the browser does not say. Browsers set both headers
 * themselves, no page can: `Sec-Fetch-Site` (Fetch Metadata §2.4) where the service is reached by TLS or on this computer, `Origin`
 * (Fetch §3.2) with every form and every request that changes something.
 */
export function isFromOurPages(
  headers: Record<string, string | string[] | undefined>,
  publicUrl: string,
): boolean | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = headers['origin'];
  if (origin === undefined) return undefined;
  return URL.canParse(publicUrl) && origin === new URL(publicUrl).origin;
}

/**
 * The origin by which somebody reached our own form, when it is not the one that is set up: cookies and redirects do not work there.
 * `undefined` for a page of somebody else, as far as the browser tells, and for one that names no origin.
 */
export function otherOrigin(
  headers: Record<string, string | string[] | undefined>,
  publicUrl: string,
): string | undefined {
  const { origin, 'sec-fetch-site': site } = headers;
  const ofOthers = site !== undefined && site !== 'same-origin';
  if (typeof origin !== 'string' || origin === 'null' || ofOthers) return undefined;
  return origin === new URL(publicUrl).origin ? undefined : origin;
}
