import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../access/caller.ts';
import type { OperationName } from '../access/operations.ts';
import type { ResourceAttributes } from '../access/resource.ts';
import type { ErrorCode } from '../base/error-codes/index.ts';
import type { Problem } from '../base/problem.ts';
import type { Tag } from './tags.ts';

/** Additional requirement of a request. */
export interface AlsoNeeded {
  operation: OperationName;
  attributes: ResourceAttributes;
}

/** Resource that a request names: its attributes for the decision, and its record so that it is read once. */
export interface Located<R> {
  attributes: ResourceAttributes;
  record: R;
  /** Replaces the operation of the route, if it depends on the resource. */
  operation?: OperationName;
  /** Further requirements, on this or other resources of the request, such as the target of a move. */
  also?: AlsoNeeded[];
}

/** Validated parts of a request. Absent parts are `undefined`. */
export interface Input<P, Q, B> {
  params: P;
  query: Q;
  body: B;
}

/**
 * Holds a request while it waits for something that happens elsewhere, outside of the requests at work. `held` ends soon after its
 * signal aborts: the client is gone. Problem 429 where too many requests of the caller are held.
 */
export type Wait = <T>(held: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** Request of the API that a handler makes for its caller. */
export interface InnerRequest {
  /** Operation of the route that the address must belong to; its privilege is decided as for any request. */
  operation: OperationName;
  method: 'GET' | 'POST';
  /** Path and query. */
  url: string;
  /** Account of the header. */
  account?: string;
  body?: object;
  /** False: only routes that read. */
  mayChange: boolean;
}

/** Answer of the API to its caller; the body of an error is that of `Problem`. */
export interface InnerAnswer {
  status: number;
  body: unknown;
}

/** Input of a handler: `caller` is authenticated, `resource` located and its privilege checked. */
export interface RouteContext<P, Q, B, R> extends Input<P, Q, B> {
  caller: Caller;
  /** Account of the header where the route accepts one; '' elsewhere and where it is optional and absent. */
  account: string;
  /** Set if the account has a name from PLOIDY_ACCOUNT_HEADERS. */
  isAccountAlias: boolean;
  resource: R;
  requestId: string;
  method: string;
  /** Raw headers, names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** Path and query as sent, for signatures. */
  url: string;
  /** IP address of the client. */
  address: string;
  /** The body of a route with `streamsBody`. */
  stream: Readable;
  /** Aborted when the client disconnects before the response is sent. */
  signal: AbortSignal;
  wait: Wait;
  /** Makes a request of the API for the caller, while this one is held. */
  perform: (asked: InnerRequest) => Promise<InnerAnswer>;
  /**
   * Authenticates and authorizes again, for an answer that goes on for long. Returns the caller as of now; a Problem once the
   * right has ended.
   */
  renew: () => Promise<Caller>;
}

/** Response other than `200` with JSON. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  /** Repeated headers as a list. */
  readonly headers: Record<string, string | string[]>;

  constructor(status: number, body?: unknown, headers: Record<string, string | string[]> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/**
 * Response of a POST that only read. A repetition with its idempotency key runs again: a stored response could reveal data that
 * is no longer visible.
 */
export class FreshAnswer extends Answer {}

/** Opens the bytes of a response, except for HEAD. */
export async function bodyFor(method: string, open: () => Readable | Promise<Readable>): Promise<Readable> {
  return method === 'HEAD' ? Readable.from([]) : open();
}

/** Credential types; http/contract/security-schemes.ts describes them. */
export type Credential = 'apiKey' | 'oauth2' | 'sessionCookie' | 'client';

/** Request headers that handlers read; http/contract/route-schema.ts describes them. */
export type RequestHeader =
  | 'If-Match'
  | 'If-Modified-Since'
  | 'If-None-Match'
  | 'If-Range'
  | 'If-Unmodified-Since'
  | 'Last-Event-ID'
  | 'Prefer'
  | 'Range'
  | 'Content-MD5'
  | 'Content-Length';

type Part<S> = S extends TSchema ? Static<S> : undefined;

/** Content type of bytes that a user stored: the user's own. */
export const anyType = '*/*';

/** Declared response of a route for one status. */
export interface DeclaredAnswer {
  schema?: TSchema;
  description: string;
  /** Absent: JSON. */
  contentType?: string;
  /** Alternative content type of the same response, by `Accept`. */
  alsoAs?: string;
  /** Reports whether the response has an `ETag`. */
  etag?: boolean;
}

export interface RouteDefinition<P, Q, B, R> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'UPDATE';
  /** Path from the root of the server, with `:name` parameters. */
  path: string;
  /** Equivalent paths (data lake: both prefixes). */
  aliases?: readonly string[];
  /** Entry of access/operations.ts with the required privilege. */
  operation: OperationName;
  tag: Tag;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Schemas for the API document where the handler validates `query` or `body` itself. */
  described?: { query?: TSchema; body?: TSchema };
  /** Headers that the handler reads, for the API document. Headers of all routes are documented already. */
  headers?: readonly RequestHeader[];
  /** Responses by status; a plain return value is the first 2xx. */
  answers: Record<number, DeclaredAnswer>;
  /** Codes of 409 that the route answers with, besides `IDEMPOTENCY_KEY_BUSY`. Tests find a code that is missing here. */
  conflicts?: readonly ErrorCode[];
  /** Reports whether the account header is required; `optional`: it may be sent. */
  accountHeader?: boolean | 'optional';
  /** Renders problems for browsers or for standards with their own error format. Absent: JSON. */
  problemPage?: (problem: Problem, requestId: string, headers: IncomingHttpHeaders) => Answer;
  /** Path below which unknown addresses are answered by `problemPage` as well. */
  problemsBelow?: string;
  /** Allows pages of other origins to read responses (CORS), without cookies. */
  crossOrigin?: boolean;
  /** Accepted credentials for the API document, if not all. The handler enforces them. */
  credentials?: readonly Credential[];
  /** Accepts a key or token also as the password of basic authentication, and no cookie. */
  basicKeys?: boolean;
  /**
   * Marks a protected resource of its own (RFC 9728), by the address of its metadata for the parameters of a path. It accepts API keys
   * and the access tokens that were issued for it, no cookies; all other routes refuse those tokens.
   */
  resourceMetadata?: (params: Record<string, string>) => string;
  /** Accepts access tokens of SMART apps as well, which are for an address above it and limited by their scopes. */
  smart?: boolean;
  /** Accepts an HTML form; `large`: as long as a JSON body. */
  formBody?: boolean | 'large';
  /**
   * POST without changes: audited as a read, and executed again when repeated. A stored response could reveal data that is no
   * longer visible.
   */
  onlyReads?: boolean;
  /** Leaves reading the body to the handler. */
  streamsBody?: boolean;
  /** Exempt from load shedding (http/connection/load-shedding.ts): it reports on the service, or ends work. */
  neverShed?: boolean;
  /** Finds the resource of the request; `undefined` = 404. Required if the operation needs a privilege on a resource. */
  locate?: (
    input: Input<Part<P>, Part<Q>, Part<B>>,
    account: string,
    caller: Caller,
  ) => Promise<Located<R> | undefined>;
  handle: (context: RouteContext<Part<P>, Part<Q>, Part<B>, R>) => Promise<unknown>;
}

/** Route without its type parameters, as http keeps it. */
export type Route = RouteDefinition<
  TSchema | undefined,
  TSchema | undefined,
  TSchema | undefined,
  // biome-ignore lint/suspicious/noExplicitAny: the one place where routes of different types meet in a list
  any
>;

/** Declares a route; input types of the handler follow from the schemas. */
export function route<
  R = undefined,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(definition: RouteDefinition<P, Q, B, R>): Route {
  return definition as unknown as Route;
}

/** Lists all paths of a route. */
export function pathsOf({ path, aliases = [] }: Pick<Route, 'path' | 'aliases'>): string[] {
  return [path, ...aliases];
}
