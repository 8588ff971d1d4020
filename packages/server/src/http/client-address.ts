import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The address of who asks. Some proxies write its port into X-Forwarded-For (Azure, IIS, AWS with client ports): each connection would be somebody else. What is no
 * address at all says nothing: then it is the proxy's own.
 */
export function clientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(ip)?.[1];
  const inBrackets = /^\[([^[\]]{1,64})\](?::\d{1,5})?$/.exec(ip)?.[1];
  const address = withPort ?? inBrackets ?? ip;
  return isIP(address) === 0 ? (socket.remoteAddress ?? '') : address;
}
