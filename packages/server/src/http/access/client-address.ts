import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Returns the address of the client, without the port that some proxies add to X-Forwarded-For (Azure, IIS, AWS with client ports).
 * Falls back to the address of the peer if the header holds none.
 */
export function clientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(ip)?.[1];
  const inBrackets = /^\[([^[\]]{1,64})\](?::\d{1,5})?$/.exec(ip)?.[1];
  const address = withPort ?? inBrackets ?? ip;
  return isIP(address) === 0 ? (socket.remoteAddress ?? '') : address;
}
