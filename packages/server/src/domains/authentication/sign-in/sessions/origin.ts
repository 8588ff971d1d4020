/**
 * Reports whether a request was made by a page of this service; `undefined` if unknown. Browsers set both headers, pages
 * cannot: `Sec-Fetch-Site` (Fetch Metadata §2.4) with TLS or on loopback, `Origin` (Fetch §3.2) with every form and every
 * change.
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
 * Returns the origin of an own form shown at another address than the public one, where cookies and redirects
 * fail. `undefined` for pages of other sites, and without an origin.
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
