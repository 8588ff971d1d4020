import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Caller } from './access/caller.ts';
import type { OperationName } from './access/operations.ts';
import type { ResourceAttributes } from './access/resource.ts';
import type { Problem } from './problem.ts';
import type { Static, TSchema } from './schema.ts';

/** Something else that has to be allowed for the same request. */
export interface AlsoNeeded {
  operation: OperationName;
  attributes: ResourceAttributes;
}

/** What a request names, found: its attributes for the decision, and the record so that nobody reads it twice. */
export interface Located<R> {
  attributes: ResourceAttributes;
  record: R;
  /** Decides in place of the route's operation, where what is asked depends on what was found. */
  operation?: OperationName;
  /** What has to be allowed besides, on this thing or on others that the request touches (where a file is moved to). */
  also?: AlsoNeeded[];
}

/** The parts of a request that passed validation. Absent parts are `undefined`. */
export interface Input<P, Q, B> {
  params: P;
  query: Q;
  body: B;
}

/** What a handler is handed. `caller` has been authenticated, `resource` located and the privilege on it checked. */
export interface RouteContext<P, Q, B, R> extends Input<P, Q, B> {
  caller: Caller;
  /** The account named by the header where the route takes one; '' elsewhere, and where it is optional and absent. */
  account: string;
  resource: R;
  requestId: string;
  method: string;
  /** Raw headers, lower case names. */
  headers: Record<string, string | string[] | undefined>;
  /** Path and query as sent, for signatures. */
  url: string;
  /** IP address of the client. */
  address: string;
  /** The body of a route with `streamsBody`. */
  stream: Readable;
  /** Aborted when the client goes away before the answer is out. */
  signal: AbortSignal;
}

/** An answer other than `200` with JSON. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  /** Several of one name as a list. */
  readonly headers: Record<string, string | string[]>;

  constructor(status: number, body?: unknown, headers: Record<string, string | string[]> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The bytes of an answer: HEAD is told of them and gets none, so they are not even opened. */
export async function bodyFor(method: string, open: () => Readable | Promise<Readable>): Promise<Readable> {
  return method === 'HEAD' ? Readable.from([]) : open();
}

/** A way of saying who calls; what they are is in http/security-schemes.ts. */
export type Credential = 'apiKey' | 'oauth2' | 'sessionCookie' | 'client';

/** Headers of requests that handlers read; what they do is in http/route-schema.ts. */
export type RequestHeader =
  | 'If-Match'
  | 'If-Modified-Since'
  | 'If-None-Match'
  | 'If-Range'
  | 'If-Unmodified-Since'
  | 'Range'
  | 'Content-MD5'
  | 'Content-Length';

type Part<S> = S extends TSchema ? Static<S> : undefined;

/** Content type of bytes that somebody stored: his own. */
export const anyType = '*/*';

/** What a route answers with a status. */
export interface DeclaredAnswer {
  schema?: TSchema;
  description: string;
  /** Absent: JSON. */
  contentType?: string;
  /** Another content type of the same answer, for those who ask for it. */
  alsoAs?: string;
  /** Whether it comes with the `ETag` of what it shows. */
  etag?: boolean;
}

export interface RouteDefinition<P, Q, B, R> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'UPDATE';
  /** With `:name` parameters, from the root of the server. */
  path: string;
  /** Other paths that answer the same (data lake: both prefixes). */
  aliases?: readonly string[];
  /** Names the entry of access/operations.ts that says what the caller must be allowed. */
  operation: OperationName;
  tag: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** What the API document says in place of `query` or `body`, where the handler itself checks them. */
  described?: { query?: TSchema; body?: TSchema };
  /** Headers that the handler reads, for the API document; those that http reads for all routes are known there. */
  headers?: readonly RequestHeader[];
  /** Answers by status; the first 2xx is what a plain return value is. */
  answers: Record<number, DeclaredAnswer>;
  /** Whether the account header must be sent; `optional`: it counts when it is. */
  accountHeader?: boolean | 'optional';
  /** How clients are told what is wrong: people in a browser, or clients of a standard that has its own shape. Absent: as JSON. */
  problemPage?: (problem: Problem, requestId: string, headers: IncomingHttpHeaders) => Answer;
  /** Pages of other origins may read the answers (CORS). Cookies never come along: only what a page holds itself counts. */
  crossOrigin?: boolean;
  /** Which credentials open it, for the API document, where not all do. The handler sees to it. */
  credentials?: readonly Credential[];
  /** The body comes from an HTML form. */
  formBody?: boolean;
  /** A POST that changes nothing: audited as reading is, and asked anew when it is repeated (an old answer could hold what is no longer to be seen). */
  onlyReads?: boolean;
  /** The handler reads the body itself. */
  streamsBody?: boolean;
  /** Answered also while others are turned away (http/overload.ts): it tells how the service is, or takes work from it. */
  neverTurnedAway?: boolean;
  /** Finds what the request is about; `undefined` = 404. Needed when the operation asks for a privilege on a thing. */
  locate?: (
    input: Input<Part<P>, Part<Q>, Part<B>>,
    account: string,
    caller: Caller,
  ) => Promise<Located<R> | undefined>;
  handle: (context: RouteContext<Part<P>, Part<Q>, Part<B>, R>) => Promise<unknown>;
}

/** A route whose types have been forgotten, as http keeps it. */
export type Route = RouteDefinition<
  TSchema | undefined,
  TSchema | undefined,
  TSchema | undefined,
  // biome-ignore lint/suspicious/noExplicitAny: the one place where routes of different types meet in a list
  any
>;

/** Declares a route; types of the handler's input follow from the schemas. */
export function route<
  R = undefined,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(definition: RouteDefinition<P, Q, B, R>): Route {
  return definition as unknown as Route;
}

/** All paths that a route answers at. */
export function pathsOf({ path, aliases = [] }: Pick<Route, 'path' | 'aliases'>): string[] {
  return [path, ...aliases];
}
