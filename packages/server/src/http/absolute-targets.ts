import type { Server } from 'node:http';

/**
 * RFC 9112, §3.2.2: the target of a request may be a whole URL (proxies send such), and means what its path means. To be called after all
 * others that listen for requests: it hears of each first.
 */
export function acceptAbsoluteTargets(server: Server): void {
  server.prependListener('request', (request) => {
    const [authority] = /^https?:\/\/[^/?#]*/i.exec(request.url ?? '') ?? [];
    if (authority === undefined) return;
    const rest = request.url?.slice(authority.length) ?? '';
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
  });
}
