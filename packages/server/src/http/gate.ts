import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { isOpen, type OperationName, operationOf } from '../access/operations.ts';
import type { ResourceAttributes } from '../access/resource.ts';
import { type Audit, type AuditEvent, actor } from '../domains/audit/index.ts';
import { networkOf } from '../domains/sign-in/index.ts';
import { accountHeaderRequired, notFound, Problem } from '../problem.ts';
import type { Input, Located, Route } from '../route.ts';
import type { Authentication } from './authentication.ts';
import { clientAddress } from './client-address.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Refusals } from './refusals.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    formBody?: boolean;
    streamsBody?: boolean;
    problemPage?: Route['problemPage'];
    /** What the API document alone says of the route (http/route-schema.ts). */
    documented?: object;
  }
  interface FastifyRequest {
    caller: Caller | undefined;
    account: string;
    located: Located<unknown> | undefined;
    /** As they came, where http takes some away before the body is read (`streamsBody`). */
    sentHeaders: IncomingHttpHeaders | undefined;
  }
}

export interface GateParts {
  authentication: Authentication;
  audit: Audit;
  refusals: Refusals;
  rateLimit: RateLimit;
  /** Lower-case names of the account header, the specified one first. */
  accountHeaders: string[];
  /** Whether a project is there: rows of one that is being removed stay a while. */
  projectExists: (id: string) => Promise<boolean>;
}

/**
 * What stands before every handler, in the order of docs/clarifications.md: 401 → account header 400 → (shape 400) →
 * visible? 404 → allowed? 403. A route cannot leave it out: it names an operation, and the operation says who may.
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Before the body is read. */
  async enter(route: Route, request: FastifyRequest): Promise<void> {
    if (isOpen(route.operation)) {
      this.#parts.rateLimit.take(networkOf(clientAddress(request)));
      return;
    }
    try {
      request.caller = await this.#parts.authentication.authenticate(request);
    } catch (error) {
      this.#parts.rateLimit.take(networkOf(clientAddress(request)));
      throw error;
    }
    this.#parts.rateLimit.take(request.caller.userId);
    if (route.accountHeader) request.account = this.#accountOf(request, route.accountHeader === 'optional');
  }

  /** After the shape of the input was checked. */
  async pass(route: Route, request: FastifyRequest): Promise<void> {
    // A body may take its minute to come: who was let in with its head may have been shut out since.
    if (request.caller && mayHaveWaited(request))
      request.caller = await this.#parts.authentication.authenticate(request);
    const { caller } = request;
    if (!caller) {
      if (route.locate) request.located = await locate(route, request, undefined);
      return;
    }
    if (request.account !== '' && !caller.isMember(request.account)) throw notFound();
    const located = route.locate ? await locate(route, request, caller) : undefined;
    // What is his own he may know of wherever it is: `locate` finds nothing else for such an operation.
    const own = operationOf(located?.operation ?? route.operation).needs === 'self';
    if (located && !own && !caller.isMember(located.attributes.account)) throw notFound();
    if (located) await this.#requireProject(located.attributes);
    request.located = located;
    await this.#decide(located?.operation ?? route.operation, route, request, aboutOf(request));
    for (const { operation, attributes } of located?.also ?? []) {
      await this.#decide(operation, route, request, attributes);
    }
  }

  /** Writes down that a handler refused what the gate had let pass, because it knows more than a privilege says. */
  async tellRefusal(route: Route, request: FastifyRequest): Promise<void> {
    const { caller, located } = request;
    if (!caller) return;
    const event = eventOf(located?.operation ?? route.operation, request, caller, aboutOf(request));
    if (event.account) await this.#parts.refusals.record(event);
  }

  /** What lies in a project that is being removed is gone with it, by whatever id it was found. */
  async #requireProject({ type, dataset }: ResourceAttributes): Promise<void> {
    if (dataset === undefined || type === 'project') return;
    if (!(await this.#parts.projectExists(dataset))) throw notFound();
  }

  async #decide(
    operation: OperationName,
    route: Route,
    request: FastifyRequest,
    about: ResourceAttributes,
  ): Promise<void> {
    const caller = request.caller as Caller;
    const { needs, audited } = operationOf(operation);
    const keyRefused = !caller.mayUseKey();
    const refused = keyRefused || (needs !== 'self' && !caller.may(operation, about));
    // Most requests read what needs no entry in the audit log.
    if (!refused && !(audited && (request.method === 'GET' || route.onlyReads))) return;
    const event = eventOf(operation, request, caller, about);
    if (!refused) return this.#parts.audit.record({ ...event, outcome: 'done' });
    if (event.account) await this.#parts.refusals.record(event);
    throw keyRefused ? keysRefused() : forbidden(operation);
  }

  #accountOf(request: FastifyRequest, optional: boolean): string {
    for (const name of this.#parts.accountHeaders) {
      const value = request.headers[name];
      if (typeof value === 'string' && value !== '') return value;
    }
    if (optional) return '';
    throw accountHeaderRequired();
  }
}

/** What a request is about: what its route found, else the account. */
function aboutOf({ located, account }: FastifyRequest): ResourceAttributes {
  return located?.attributes ?? { account, type: 'account', id: account };
}

function eventOf(
  operation: OperationName,
  request: FastifyRequest,
  caller: Caller,
  about: ResourceAttributes,
): Omit<AuditEvent, 'outcome'> {
  const account = about.account || caller.keyAccount || '';
  return { account, ...actor(caller, request.id), action: operation, resource: about };
}

async function locate(
  route: Route,
  request: FastifyRequest,
  caller: Caller | undefined,
): Promise<Located<unknown>> {
  const input = { params: request.params, query: request.query, body: request.body } as Input<
    never,
    never,
    never
  >;
  const located = await route.locate?.(input, request.account, caller as Caller);
  if (!located) throw notFound();
  // A thing of another account than the one named is as unknown as one that does not exist.
  if (request.account !== '' && located.attributes.account !== request.account) throw notFound();
  return located;
}

function forbidden(operation: OperationName): Problem {
  const { needs } = operationOf(operation);
  const wanted = Array.isArray(needs) ? needs.join(' or ') : 'membership of the account';
  return new Problem(
    403,
    'FORBIDDEN',
    `You may not do this. It needs ${wanted}; ask an administrator of the account.`,
  );
}

function keysRefused(): Problem {
  return new Problem(
    403,
    'API_KEYS_REFUSED',
    'API keys may not be used in this account. It needs apiKeyUser.',
  );
}

/** Whether a body was waited for, also one without a byte: its end may take as long to come. */
function mayHaveWaited({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}
