import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Exports } from './exports.ts';
import type { Resource } from './sample-resources.ts';
import { Tokens } from './tokens.ts';

export interface FhirServerOptions {
  resources: Resource[];
  /** Largest page, whatever is asked for. */
  pageSizeMax?: number;
  /** Required `Authorization`. */
  authorization?: string;
  /** Gives tokens to this client and wants one of them. */
  oauth2?: {
    id: string;
    /** Absent: it requires assertions (`tokens.assertions`). */
    secret?: string;
    lifeS?: number;
    /** Document that names the token endpoint. */
    stated?: 'smart' | 'metadata';
    /** Further fields of its smart-configuration. */
    configuration?: object;
    /** Whole values of `scope` that it grants, `''` without a request for one; absent: any. */
    scopes?: string[];
    /** The error for a request without a scope. */
    refusesNone?: string;
    /** Lifetime of a token in its answer; absent: omitted. */
    given?: string;
  };
  export?: 'system' | 'patient';
  /** Types that it searches for one patient only: by its CapabilityStatement, or by its answers alone. */
  byPatient?: { types: string[]; declared: boolean };
  fhirVersion?: string;
  /** Search parameters besides patients; default `_lastUpdated`. */
  parameters?: string[];
}

/** Request as it arrived. */
export interface Seen {
  method: string;
  /** Path and query below the base; elsewhere with a slash at the beginning. */
  url: string;
  at: number;
  authorization: string | undefined;
  status: number;
}

/** Fault of an answer: replaced, connection closed before or within it, or none at all. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string | Uint8Array }
  | 'drop'
  | 'cut'
  | 'silence';

/** A real, small FHIR server on a free port of 127.0.0.1: searches with pages, tokens, bulk export, and faults to order. */
export class TestFhirServer {
  readonly seen: Seen[] = [];
  resources: Resource[];
  readonly tokens: Tokens;
  readonly exports: Exports;
  readonly #options: FhirServerOptions;
  readonly #server: Server;
  readonly #faults: { match: RegExp; faults: Fault[] }[] = [];
  #held: { match: RegExp; until: () => Promise<void> } | undefined;

  private constructor(options: FhirServerOptions) {
    this.#options = options;
    this.resources = options.resources;
    this.tokens = new Tokens(options.oauth2);
    this.exports = new Exports(this);
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(options: FhirServerOptions): Promise<TestFhirServer> {
    const server = new TestFhirServer(options);
    await new Promise<void>((done) => server.#server.listen(0, '127.0.0.1', done));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/fhir`;
  }

  /** Makes the next requests whose method and URL match fail in this way, one after the other. */
  fail(match: RegExp, ...faults: Fault[]): void {
    this.#faults.push({ match, faults });
  }

  /** Delays the answer to the next request whose method and URL match. */
  hold(match: RegExp, until: () => Promise<void>): void {
    this.#held = { match, until };
  }

  /** Requests that were answered, by method and URL. */
  answered(match: RegExp): Seen[] {
    return this.seen.filter(
      ({ method, url, status }) => status >= 200 && status < 300 && match.test(`${method} ${url}`),
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = (request.url ?? '')
      .replace(/^\/fhir\/?/, '')
      .replace(`${this.exports.place}/exports/`, 'exports/');
    const { authorization } = request.headers;
    const seen: Seen = { method: request.method ?? '', url, at: performance.now(), authorization, status: 0 };
    this.seen.push(seen);
    response.on('finish', () => {
      seen.status = response.statusCode;
    });
    if (this.#held?.match.test(`${seen.method} ${url}`)) {
      const { until } = this.#held;
      this.#held = undefined;
      await until();
    }
    const fault = this.#faults.find(
      ({ match, faults }) => faults.length > 0 && match.test(`${seen.method} ${url}`),
    );
    const what = fault?.faults.shift();
    if (what === 'silence') return undefined;
    if (what === 'drop') return request.socket.destroy();
    if (typeof what === 'object') return send(response, what.status, what.body ?? '', what.headers);
    const body = await text(request);
    if (what === 'cut') cutOff(response);
    if (this.tokens.takes(url)) return this.tokens.answer(request, response, body, this.url);
    const isOpen = url === 'metadata' || this.exports.isOpen(url);
    if (!isOpen && !this.#accepts(authorization)) return send(response, 401, outcome('login'));
    return this.#route(new URL(url, 'http://server/'), request, response);
  }

  #accepts(authorization: string | undefined): boolean {
    if (this.#options.oauth2) return this.tokens.accepts(authorization);
    return this.#options.authorization === undefined || this.#options.authorization === authorization;
  }

  #route(url: URL, request: IncomingMessage, response: ServerResponse): unknown {
    const path = url.pathname.slice(1);
    if (path === 'metadata') return send(response, 200, JSON.stringify(this.#statement()));
    if (this.exports.takes(path)) return this.exports.answer(url, request, response, this.#options.export);
    return this.#search(path, url.searchParams, response);
  }

  #search(type: string, query: URLSearchParams, response: ServerResponse): ServerResponse {
    const patient = query.get('patient');
    const wantsPatient = this.#options.byPatient?.types.includes(type) && patient === null;
    if (wantsPatient) return send(response, 400, outcome('required'));
    const since = query.get('_lastUpdated')?.replace(/^gt/, '') ?? '';
    const found = this.resources.filter(
      (one) =>
        one.resourceType === type &&
        one.meta.lastUpdated > since &&
        (patient === null || one.subject?.reference === `Patient/${patient}`),
    );
    const size = Math.min(Number(query.get('_count') ?? 10), this.#options.pageSizeMax ?? 1000);
    const offset = Number(query.get('_offset') ?? 0);
    const link = [{ relation: 'self', url: `${this.url}/${type}` }];
    if (offset + size < found.length) {
      query.set('_offset', String(offset + size));
      link.push({ relation: 'next', url: `${this.url}/${type}?${query}` });
    }
    const entry = found.slice(offset, offset + size).map((resource) => ({
      fullUrl: `${this.url}/${type}/${resource.id}`,
      resource: query.has('_elements') ? { resourceType: type, id: resource.id } : resource,
      search: { mode: 'match' },
    }));
    const bundle = { resourceType: 'Bundle', type: 'searchset', total: found.length, entry, link };
    return send(response, 200, JSON.stringify(bundle, null, 1));
  }

  #statement(): object {
    const { byPatient, fhirVersion = '4.0.1', parameters = ['_lastUpdated'] } = this.#options;
    const types = [...new Set(this.resources.map((one) => one.resourceType))].sort();
    const resource = types.map((type) => ({
      type,
      interaction: [{ code: 'read' }, { code: 'search-type' }],
      searchParam: [...parameters, ...(type === 'Patient' ? [] : ['patient'])].map((name) => ({ name })),
      ...(byPatient?.declared && byPatient.types.includes(type) && { extension: [patientRequired] }),
      ...(this.#options.export === 'patient' && type === 'Patient' && { operation: [{ name: 'export' }] }),
    }));
    const security = this.tokens.statement(this.url);
    const operation = this.#options.export === 'system' ? [{ name: 'export' }] : [];
    const rest = [{ mode: 'server', security, resource, operation }];
    return { resourceType: 'CapabilityStatement', fhirVersion, rest };
  }
}

const patientRequired = {
  url: 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-search-parameter-combination',
  extension: [{ url: 'required', valueString: 'patient' }],
};

function outcome(code: string): string {
  return JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] });
}

/** Half of the answer goes out, then the connection ends. */
function cutOff(response: ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((body: string) => {
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
    return response;
  }) as typeof end;
}

export function send(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): ServerResponse {
  response.writeHead(status, { 'content-type': 'application/fhir+json', ...headers });
  return response.end(body);
}

async function text(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString('utf8');
}
