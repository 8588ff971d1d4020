import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { InnerAnswer, InnerRequest, Route } from '../api/route.ts';
import { Problem } from '../base/problem.ts';
import { clientAddress } from './access/client-address.ts';
import type { Visitor } from './access/visitors.ts';

/** Request within another one, with its caller and what it may reach. */
interface Inside {
  asked: InnerRequest;
  /** Authenticates the credential of the outer request, again each time. */
  authenticate: () => Promise<Caller>;
  /** Aborted when the client of the outer request is gone. */
  signal: AbortSignal;
  visitor: Visitor;
}

const inside = new AsyncLocalStorage<Inside>();

/** Returns what is known of the present request where it was made within another one. */
export const innerRequest = (): Inside | undefined => inside.getStore();

/**
 * Performs a request of the API for the caller of another one: the same gate, limits, validation, audit and metrics as over the
 * network. Its credential is that of the outer request; its headers hold none.
 */
export async function performInside(request: FastifyRequest, inner: Inside): Promise<InnerAnswer> {
  const { method, url, account, body } = inner.asked;
  const { host = 'localhost' } = request.headers;
  // Awaited within: the request begins when its promise is first asked.
  const answer = await inside.run(
    inner,
    async () =>
      await request.server.inject({
        ...{ method, url, remoteAddress: clientAddress(request) },
        headers: {
          ...{ host, 'x-request-id': request.id },
          ...(account !== undefined && { 'service-account': account }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      }),
  );
  return { status: answer.statusCode, body: answer.payload === '' ? undefined : answer.json() };
}

/**
 * Requires that the route is the one that was meant, and that it only reads unless changes are allowed. Otherwise a wrong address
 * would reach another privilege than the declared one.
 */
export function requireAsked({ asked }: Inside, { operation, onlyReads, method }: Route): void {
  if (operation !== asked.operation)
    throw new Error(`${asked.method} ${asked.operation} reached ${operation}, another operation`);
  if (asked.mayChange || method === 'GET' || onlyReads === true) return;
  throw new Problem(403, 'FORBIDDEN', 'This account lets assistants read only.');
}
