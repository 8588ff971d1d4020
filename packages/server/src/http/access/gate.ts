import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { isOpen, type OperationName, operationOf } from '../../access/operations.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { Input, Located, Route } from '../../api/route.ts';
import { accountHeaderRequired, notFound, Problem } from '../../base/problem.ts';
import { type Audit, type AuditEvent, actor } from '../../domains/audit/index.ts';
import { innerRequest, requireAsked } from '../inner-requests.ts';
import type { Authentication } from './authentication.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Refusals } from './refusals.ts';
import { oneAtATime, signedIn, type Visitor } from './visitors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    formBody?: boolean;
    largeForm?: boolean;
    streamsBody?: boolean;
    problemPage?: Route['problemPage'];
    /** Parts of the API document that are not validated (http/contract/route-schema.ts). */
    documented?: object;
  }
  interface FastifyRequest {
    caller: Caller | undefined;
    visitor: Visitor;
    /** Answer instead of a failure, where the network of the client has sent too much. */
    trial: Problem | undefined;
    account: string;
    /** Set if the account has another name than the specified one. */
    isAccountAlias: boolean;
    located: Located<unknown> | undefined;
    /** Headers as sent, where some are removed before the body is read (`streamsBody`). */
    sentHeaders: IncomingHttpHeaders | undefined;
  }
}

interface GateDeps {
  authentication: Authentication;
  audit: Audit;
  refusals: Refusals;
  rateLimit: RateLimit;
  /** Lower-case names of the account header, the specified one first. */
  accountHeaders: string[];
  /** Reports whether a project exists: rows of one that is being removed stay for a while. */
  projectExists: (id: string) => Promise<boolean>;
  /** Reports whether the caller may know of a project. */
  isInView: (caller: Caller, project: { account: string; id: string }) => Promise<boolean>;
}

/**
 * Authentication and authorization for every route, in the order of docs/api/requests.md: 401 → account header 400 → (shape 400)
 * → visible? 404 → allowed? 403. No route can omit it: a route names an operation, which defines the privileges.
 */
export class Gate {
  readonly #deps: GateDeps;

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /** Authenticates and limits the rate, before the body is read. */
  async enter(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (isOpen(route.operation)) return this.#enterOpen(request);
    request.caller = await this.#callerOf(route, request);
    const { hand: userId } = request.caller;
    request.visitor = signedIn(userId);
    try {
      this.#deps.rateLimit.take(userId);
    } finally {
      reply.headers(this.#deps.rateLimit.headersFor(userId));
    }
    if (route.accountHeader) request.account = this.#accountOf(request, route.accountHeader === 'optional');
  }

  /** Returns the caller of a request: of one within another, that of the outer one. Problem 401. */
  async #callerOf(route: Route, request: FastifyRequest): Promise<Caller> {
    const inner = innerRequest();
    if (!inner) return this.authenticate(route, request);
    requireAsked(inner, route);
    return inner.authenticate();
  }

  /** Returns the caller that the credential of a request names. Problem 401. */
  async authenticate(route: Route, request: FastifyRequest): Promise<Caller> {
    const { basicKeys, resourceMetadata, smart } = route;
    const accepted = resourceMetadata ? 'ofResource' : basicKeys ? 'basicKeys' : smart ? 'smart' : 'any';
    try {
      return await this.#deps.authentication.authenticate(request, accepted);
    } catch (error) {
      // Clients find the authorization server by it (RFC 9728, §5.1).
      if (resourceMetadata && error instanceof Problem && error.status === 401)
        error.headers['www-authenticate'] +=
          `, resource_metadata="${resourceMetadata(request.params as Record<string, string>)}"`;
      throw error;
    }
  }

  /**
   * Enters an open request. A browser has a limit of its own. Other callers share that of the network, which may be a whole
   * hospital: beyond it requests are on trial, so that one client locks out no other. One at a time is worked on, and a failure
   * is 429.
   */
  #enterOpen(request: FastifyRequest): void {
    const { part, shares } = request.visitor;
    const names = shares.map(({ name }) => name);
    if (part === 'browser' || part === 'signedIn') {
      this.#deps.rateLimit.take(names[0] ?? '');
      return;
    }
    request.trial = this.#deps.rateLimit.tryNetworks(names);
    if (request.trial) request.visitor = oneAtATime(request.visitor);
  }

  /** Authorizes, after the shape of the input was checked. */
  async pass(route: Route, request: FastifyRequest): Promise<void> {
    // A body may take a minute: the caller may have lost access since the headers arrived.
    if (request.caller && mayHaveWaited(request)) request.caller = await this.#callerOf(route, request);
    const { caller } = request;
    if (!caller) {
      if (route.locate) request.located = await locate(route, request, undefined);
      return;
    }
    if (request.account !== '' && !caller.isMember(request.account)) throw notFound();
    const located = route.locate ? await locate(route, request, caller) : undefined;
    // Users may always access their own resources, in any account: `locate` finds no others for such an operation.
    const own = operationOf(located?.operation ?? route.operation).needs === 'self';
    if (located && !own && !caller.isMember(located.attributes.account)) throw notFound();
    request.located = located;
    if (located) await this.#requireProject(route, request, located.attributes, own);
    await this.#decide(located?.operation ?? route.operation, route, request, aboutOf(request, route));
    for (const { operation, attributes } of located?.also ?? []) {
      await this.#requireProject(route, request, attributes, false);
      await this.#decide(operation, route, request, attributes);
    }
  }

  /**
   * Reports whether the caller of a read still has the rights with which it was answered: a statement may have run for half a
   * minute, and waited for its turn before. Problem 401 where the credential has ended.
   */
  async keepsRights(route: Route, request: FastifyRequest): Promise<boolean> {
    const { caller } = request;
    // Requests within this one were each answered with the rights of their own end.
    if (!caller || route.streamsBody || route.resourceMetadata || !onlyReads(route, request)) return true;
    request.caller = await this.#callerOf(route, request);
    const { userId, rightsDigest } = request.caller;
    return userId === caller.userId && rightsDigest === caller.rightsDigest;
  }

  /** Authenticates and authorizes a request again, while its answer goes on; Problem once the right has ended. */
  async renew(route: Route, request: FastifyRequest): Promise<Caller> {
    request.caller = await this.#callerOf(route, request);
    await this.pass(route, request);
    return request.caller;
  }

  /** Records a refusal by a handler, which may check more than privileges. */
  async recordRefusal(route: Route, request: FastifyRequest): Promise<void> {
    const { caller, located } = request;
    if (!caller) return;
    const event = eventOf(located?.operation ?? route.operation, request, caller, aboutOf(request, route));
    if (event.account) await this.#deps.refusals.record(event);
  }

  /**
   * Hides a project of which the caller may not know, and the contents of one that is being removed. Content that is named by
   * its own id alone is decided by its privilege: 403 for members (docs/api/requests.md).
   */
  async #requireProject(
    route: Route,
    request: FastifyRequest,
    { account, type, dataset, id }: ResourceAttributes,
    own: boolean,
  ): Promise<void> {
    if (dataset === undefined) return;
    const { caller } = request;
    const inAddress = Object.values(request.params as Record<string, string>).includes(dataset);
    const isNamed = type === 'project' || id === undefined || inAddress;
    // A key that its account refuses is 403, whatever it asks for.
    if (
      isNamed &&
      !own &&
      caller?.mayUseKey() &&
      !(await this.#deps.isInView(caller, { account, id: dataset }))
    ) {
      await this.recordRefusal(route, request);
      throw notFound();
    }
    // Rows that are located by a project of their own, such as its buckets, have its attributes.
    if (!(await this.#deps.projectExists(dataset))) throw notFound();
  }

  async #decide(
    operation: OperationName,
    route: Route,
    request: FastifyRequest,
    about: ResourceAttributes,
  ): Promise<void> {
    const caller = request.caller as Caller;
    const { needs, audited, inView } = operationOf(operation);
    if (caller.viewer !== undefined) requireReading(route, request, needs !== 'self' || inView === true);
    const keyRefused = !caller.mayUseKey();
    const refused = keyRefused || (needs !== 'self' && !caller.may(operation, about));
    // Most reads need no entry in the audit log.
    if (!refused && !(audited && onlyReads(route, request))) return;
    const event = eventOf(operation, request, caller, about);
    if (!refused) return this.#deps.audit.record({ ...event, outcome: 'done' });
    if (event.account) await this.#deps.refusals.record(event);
    throw keyRefused ? keysRefused() : forbidden(operation);
  }

  #accountOf(request: FastifyRequest, optional: boolean): string {
    for (const name of this.#deps.accountHeaders) {
      const value = request.headers[name];
      if (typeof value !== 'string' || value === '') continue;
      request.isAccountAlias = name !== this.#deps.accountHeaders[0];
      return value;
    }
    if (optional) return '';
    throw accountHeaderRequired();
  }
}

/**
 * Returns the resource of a request: the one that its route located, else one of the account, to be made or
 * listed, else the account.
 */
function aboutOf({ located, account }: FastifyRequest, { operation }: Route): ResourceAttributes {
  const { on: type = 'account' } = operationOf(operation);
  return located?.attributes ?? { account, type, ...(type === 'account' && { id: account }) };
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
  // A resource of another account than the named one is reported as missing.
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
    'You may not use API keys in this account: that needs the privilege apiKeyUser.',
  );
}

/** Refuses changes, new work and own things of the user to an administrator who looks as that user. */
function requireReading(route: Route, request: FastifyRequest, isShown: boolean): void {
  if (isShown && onlyReads(route, request) && !(202 in route.answers)) return;
  throw new Problem(
    403,
    'VIEW_READS_ONLY',
    'You look as another person: nothing can be changed, and credentials are not shown. End the view first.',
  );
}

function onlyReads(route: Route, { method }: FastifyRequest): boolean {
  return method === 'GET' || route.onlyReads === true;
}

/** Reports whether a body was awaited; the end of an empty one may take as long. */
function mayHaveWaited({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}
