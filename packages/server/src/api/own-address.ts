import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns the address of the service for links in an answer: the configured one, else the one that the client used.
 * Programs follow such links as they are.
 */
export function ownAddress(headers: IncomingHttpHeaders, publicUrl: string): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return publicUrl || `${scheme}://${headers.host}`;
}
