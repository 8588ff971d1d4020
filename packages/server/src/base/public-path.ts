/**
 * Returns the path of the service on its host: `/ploidy` for `https://host/ploidy`, `''` for a host of its own.
 *
 * Inside the service, addresses begin at its root, as `/v1/projects`: `http/connection` takes the path off each request, and
 * `http/public-references.ts` puts it before each reference that leaves. Whole addresses begin with the public URL.
 */
export function pathOf(publicUrl: string): string {
  return URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/$/, '') : '';
}

/**
 * Takes the path off a request target. A target without it stays: probes leave it out, and some proxies remove it. Well-known
 * documents may have it behind their name (RFC 8414, §3.1): `/.well-known/name/ploidy/v1`.
 */
export function withoutPath(target: string, path: string): string {
  if (path === '') return target;
  const [start = ''] = /^\/\.well-known\/[^/?]+/.exec(target) ?? [];
  const rest = target.slice(start.length);
  const below = rest.slice(path.length);
  if (!rest.startsWith(path) || !/^(?:[/?]|$)/.test(below)) return target;
  return below.startsWith('/') || start !== '' ? start + below : `/${below}`;
}
