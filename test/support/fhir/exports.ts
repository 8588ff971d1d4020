import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Resource } from './sample-resources.ts';
import { type FhirServerOptions, send } from './server.ts';

/** Bulk Data Access of the FHIR server: kick-off, status, files, deletion. */
export class Exports {
  /** Number of 202 answers before the export is complete; a client waits one second each time. */
  busy = 0;
  /** Lines of the file of removals. */
  deleted: string[] = [];
  /** Counts by type that the manifest claims. */
  promised: number | undefined;
  /** Exports that were deleted by their client. */
  readonly ended: string[] = [];
  /** Below which path of the server status and files are. */
  place = '/fhir';
  /** True when the files require the key. */
  requiresAccessToken = true;
  readonly #running = new Map<string, { resources: Resource[]; busy: number }>();
  /** Time that the list of files states; the present by default. */
  transactionTime: string | undefined;
  readonly #server: { url: string; resources: Resource[] };

  constructor(server: { url: string; resources: Resource[] }) {
    this.#server = server;
  }

  takes(path: string): boolean {
    return /^(?:Patient\/)?\$export$|^exports\//.test(path);
  }

  /** True when a file is served without the key. */
  isOpen(path: string): boolean {
    return !this.requiresAccessToken && /^exports\/[^/]+\/./.test(path);
  }

  answer(
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
    offered: FhirServerOptions['export'],
  ): ServerResponse {
    const path = url.pathname.slice(1);
    const [, id = '', file] = path.split('/');
    if (!path.startsWith('exports/')) {
      if (!offered || request.headers['prefer'] !== 'respond-async') return send(response, 400, '');
      return this.#begin(url.searchParams, response);
    }
    const found = this.#running.get(id);
    if (!found) return send(response, 404, '');
    if (request.method === 'DELETE') {
      this.#running.delete(id);
      this.ended.push(id);
      return send(response, 202, '');
    }
    if (file === 'deleted') return send(response, 200, this.deleted.join('\n'));
    if (file) return send(response, 200, linesOf(found.resources, file), ndjson);
    if (found.busy > 0) {
      found.busy -= 1;
      return send(response, 202, '', { 'retry-after': '0', 'x-progress': 'half' });
    }
    return send(response, 200, JSON.stringify(this.#manifest(id, found.resources)));
  }

  #begin(query: URLSearchParams, response: ServerResponse): ServerResponse {
    const types = query.get('_type')?.split(',') ?? [];
    const since = query.get('_since') ?? '';
    const resources = this.#server.resources.filter(
      (one) => types.includes(one.resourceType) && one.meta.lastUpdated > since,
    );
    const id = `export-${this.#running.size + this.ended.length + 1}`;
    this.#running.set(id, { resources, busy: this.busy });
    return send(response, 202, '', { 'content-location': `${this.#place}/${id}` });
  }

  get #place(): string {
    return new URL(`${this.place}/exports`, this.#server.url).href;
  }

  #manifest(id: string, resources: Resource[]): object {
    const place = `${this.#place}/${id}`;
    const types = [...new Set(resources.map((one) => one.resourceType))];
    return {
      transactionTime: this.transactionTime ?? new Date().toISOString(),
      requiresAccessToken: this.requiresAccessToken,
      output: types.map((type) => ({ type, url: `${place}/${type}`, count: this.promised })),
      deleted: this.deleted.length > 0 ? [{ type: 'Bundle', url: `${place}/deleted` }] : [],
      error: [],
    };
  }
}

const ndjson = { 'content-type': 'application/fhir+ndjson' };

function linesOf(resources: Resource[], type: string): string {
  return resources
    .filter((one) => one.resourceType === type)
    .map((one) => JSON.stringify(one))
    .join('\n');
}
