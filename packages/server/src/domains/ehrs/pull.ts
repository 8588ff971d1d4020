import { setTimeout as delay } from 'node:timers/promises';
import type { OutboundAnswer } from '../../platform/outbound/outbound.ts';
import type { EhrSyncsTable } from '../../platform/records/schema-ehrs.ts';
import { awaitExport, beginExport, type ExportPosition, endExport, readExportFile } from './bulk-export.ts';
import { type Capabilities, readCapabilities } from './capabilities.ts';
import { EhrError, isRefusal } from './ehr-error.ts';
import type { FhirServer } from './fhir-server.ts';
import type { PageContent } from './page.ts';
import { PageCircle } from './page-circle.ts';
import { afterPage, afterRefusal, beginSearch, nextStep, type SearchPosition, type Step } from './plan.ts';
import type { PageReader } from './read-page.ts';
import { typesBeyond } from './scopes.ts';
import type { Spool } from './spool.ts';
import { Warnings } from './sync.ts';

type Position = SearchPosition | ExportPosition;

export interface PullParts {
  server: FhirServer;
  spool: Spool;
  reader: PageReader;
  sync: EhrSyncsTable;
  pageSize: number;
  /** Everything that a sync may fetch. */
  bytesMax: number;
  signal: AbortSignal;
}

const pageBytesMax = 256 * 1024 * 1024;
const pageTimeoutMs = 10 * 60_000;
const fileTimeoutMs = 6 * 3_600_000;

/** Fetches everything that a sync is to have, from where an earlier run of it stopped. */
export class Pull {
  readonly #parts: PullParts;
  readonly #circle = new PageCircle();
  readonly #warnings: Warnings;
  readonly #counts: Map<string, number>;
  #position: Position | undefined;
  #requests: number;
  #pages: number;
  #bytes: number;

  constructor(parts: PullParts) {
    const { sync } = parts;
    this.#parts = parts;
    this.#warnings = new Warnings(sync);
    this.#counts = new Map(Object.entries(JSON.parse(sync.counts) as Record<string, number>));
    this.#position = sync.position === null ? undefined : (JSON.parse(sync.position) as Position);
    this.#requests = sync.requests;
    this.#pages = sync.pages;
    this.#bytes = sync.bytes;
  }

  /** To be called before each request that the server is sent. */
  countRequest(): void {
    this.#requests += 1;
  }

  async run(): Promise<void> {
    this.#position ??= await this.#begin();
    if (this.#position.kind === 'export') {
      const { statusUrl } = this.#position;
      try {
        await this.#fetchExport(this.#position);
        await this.#forget(this.#position);
      } catch (error) {
        if (!isExportFailure(error)) throw error;
        await this.#forget({ kind: 'export', statusUrl, files: null });
        this.#warnings.add(`${sentence(error)} Resources were searched for instead.`);
        this.#position = beginSearch(await readCapabilities(this.#parts.server));
        await this.#keep({ method: 'SEARCH' });
      }
    }
    if (this.#position.kind === 'search') await this.#searchAll(this.#position);
  }

  /** After a cancel: what the system holds for us there is of no use any more. */
  async abandon(server: FhirServer): Promise<void> {
    if (this.#position?.kind === 'export') await endExport(server, this.#position);
  }

  /** Asks the system what it can do, and begins with that. */
  async #begin(): Promise<Position> {
    const { server, sync } = this.#parts;
    const capabilities = await readCapabilities(server);
    const mark = Math.min(Date.now(), capabilities.now ?? Number.POSITIVE_INFINITY);
    this.#warnOfScope(capabilities);
    const position = await this.#beginExport(capabilities);
    if (position) {
      this.#position = position;
      await this.#keep({ method: 'EXPORT', mark });
      return position;
    }
    const timeless = capabilities.types.filter(({ byTime }) => !byTime);
    if (sync.since !== null && timeless.length > 0)
      this.#warnings.add(
        `The EHR system does not search by _lastUpdated, so everything was fetched again of: ${timeless.map(({ name }) => name).join(', ')}.`,
      );
    this.#position = beginSearch(capabilities);
    await this.#keep({ method: 'SEARCH', mark });
    return this.#position;
  }

  /** A system may give less than it was asked for, and only the scope of its token says so. */
  #warnOfScope({ types }: Capabilities): void {
    const beyond = typesBeyond(
      this.#parts.server.scope ?? '',
      types.map(({ name }) => name),
    );
    if (beyond.length > 0)
      this.#warnings.add(
        `The EHR system lets the client read some types only. Give it there the scopes for: ${beyond.join(', ')}.`,
      );
  }

  async #beginExport({ exportPath, types }: Capabilities): Promise<ExportPosition | undefined> {
    if (exportPath === undefined) return undefined;
    try {
      return await beginExport(this.#parts.server, exportPath, types, this.#parts.sync.since);
    } catch (error) {
      if (!isExportFailure(error)) throw error;
      this.#warnings.add(`${sentence(error)} Resources were searched for instead.`);
      return undefined;
    }
  }

  async #fetchExport(position: ExportPosition): Promise<void> {
    const { server, signal } = this.#parts;
    let files = position.files;
    if (files === null) {
      const wait = async (ms: number) => {
        await this.#keep({});
        await delay(ms, undefined, { signal });
      };
      const manifest = await awaitExport(server, position, wait);
      files = manifest.files;
      if (manifest.errors > 0)
        this.#warnings.add(
          `The EHR system could not export everything: it lists ${manifest.errors} file(s) of errors.`,
        );
      this.#position = { ...position, files };
      await this.#keep(manifest.at === undefined ? {} : { mark: manifest.at });
    }
    for (const file of files) {
      const content = { lines: 0 };
      const request = {
        ...file,
        headers: { accept: 'application/fhir+ndjson' },
        bytesMax: this.#bytesLeft(),
        timeoutMs: fileTimeoutMs,
      };
      const page = await server.ask(request, [200], (answer) => {
        content.lines = 0;
        return this.#write(answer, (body) => readExportFile(body, file, content));
      });
      this.#count(file.type, content.lines);
      if (file.count !== undefined && content.lines < file.count)
        this.#warnings.add(`The EHR system promised more of ${file.type} than its export has.`);
      this.#position = { ...position, files: files.slice(files.indexOf(file) + 1) };
      await this.#keep({}, page);
    }
  }

  /** A courtesy to the system, which forgets old exports by itself. */
  async #forget(position: ExportPosition): Promise<void> {
    try {
      await endExport(this.#parts.server, position);
    } catch (error) {
      if (!(error instanceof EhrError)) throw error;
      this.#warnings.add('The EHR system did not let us delete its export.');
    }
  }

  async #searchAll(position: SearchPosition): Promise<void> {
    const { sync, pageSize } = this.#parts;
    const settings = { pageSize, since: sync.since };
    let present = position;
    for (;;) {
      const step = nextStep(present, settings);
      if (!step) return;
      present = await this.#take(present, step);
    }
  }

  async #take(position: SearchPosition, step: Step): Promise<SearchPosition> {
    const { server, reader } = this.#parts;
    const content: PageContent = { counts: new Map(), patients: [], next: undefined };
    const bytesMax = Math.min(pageBytesMax, this.#bytesLeft());
    const request = {
      url: step.url,
      bytesMax,
      timeoutMs: pageTimeoutMs,
      withCredentials: true as const,
    };
    try {
      const page = await server.ask(request, [200], async (answer) => {
        Object.assign(content, { counts: new Map(), patients: [], next: undefined });
        return this.#write(answer, (body) => reader.read(body, content), step.of === 'ids');
      });
      const next = content.next === undefined ? null : server.locate(content.next);
      if (next !== null) this.#circle.follow(server.locate(step.url), next, position.next === null);
      if (step.of !== 'ids') for (const [type, count] of content.counts) this.#count(type, count);
      server.took([...content.counts.values()].reduce((sum, count) => sum + count, 0));
      this.#position = afterPage(position, step, { next, patients: content.patients });
      await this.#keep({}, page);
      return this.#position;
    } catch (error) {
      if (step.of === 'ids' || position.next !== null || !isRefusal(error)) throw error;
      return this.#otherwise(position, step, error);
    }
  }

  /** The first page of a search was refused. */
  async #otherwise(position: SearchPosition, step: Step, error: EhrError): Promise<SearchPosition> {
    const { name } = step.type;
    const status = `status ${error.status}`;
    if (step.of === 'type' && name === 'Patient') {
      const message = `The EHR system does not let us search for patients (${status}). Give the key the right to read all patients.`;
      throw new EhrError('NO_PATIENTS', message, { cause: error });
    }
    const after = afterRefusal(position, step);
    if (after === undefined) throw error;
    if (after.leftOut !== undefined)
      this.#warnings.add(`${after.leftOut} was left out: the EHR system refused it (${status}).`);
    this.#position = after.position;
    await this.#keep({});
    return after.position;
  }

  /** Stores what an answer brings; `walked`: only its ids are wanted. */
  async #write(
    { body }: OutboundAnswer,
    linesOf: (body: AsyncIterable<Buffer>) => AsyncGenerator<Uint8Array>,
    walked = false,
  ) {
    const { spool } = this.#parts;
    const lines = linesOf(this.#counted(body));
    return walked ? readAll(lines) : spool.write(lines);
  }

  /** Counts what comes as it comes: what breaks off was fetched too, and is fetched again. */
  async *#counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#parts.bytesMax) throw this.#tooMuch();
      yield chunk;
    }
  }

  #count(type: string, count: number): void {
    if (count > 0) this.#counts.set(type, (this.#counts.get(type) ?? 0) + count);
  }

  #bytesLeft(): number {
    const left = this.#parts.bytesMax - this.#bytes;
    if (left > 0) return left;
    throw this.#tooMuch();
  }

  #tooMuch(): EhrError {
    const message = `The EHR system sent more than ${Math.floor(this.#parts.bytesMax / 1024 ** 2)} MiB, which is as much as one sync may fetch (PLOIDY_EHR_SYNC_BYTES_MAX).`;
    return new EhrError('TOO_MUCH', message);
  }

  async #keep(
    change: Pick<EhrSyncsTable, never> & { method?: 'SEARCH' | 'EXPORT'; mark?: number },
    page?: Parameters<Spool['keep']>[1],
  ): Promise<void> {
    if (page) this.#pages += 1;
    const progress = {
      position: JSON.stringify(this.#position),
      requests: this.#requests,
      pages: this.#pages,
      bytes: this.#bytes,
      counts: JSON.stringify(Object.fromEntries(this.#counts)),
      ...this.#warnings.columns,
    };
    await this.#parts.spool.keep({ ...progress, ...change }, page);
  }
}

async function readAll(lines: AsyncGenerator<unknown>): Promise<undefined> {
  for await (const _ of lines);
  return undefined;
}

/** What the export failed of, and a search may not. */
function isExportFailure(error: unknown): error is EhrError {
  if (!(error instanceof EhrError)) return false;
  const { status, code } = error;
  // That the export has failed a system says with 500 (Bulk Data Access, "Response - Error Status").
  return status === 500 || ['EXPORT_UNUSABLE', 'ELSEWHERE'].includes(code) || isRefusal(error);
}

function sentence(error: EhrError): string {
  return error.code === 'EXPORT_UNUSABLE'
    ? error.message
    : `The EHR system offers a bulk export, but it failed${error.status === undefined ? ' (its files are where no key is sent)' : ` (status ${error.status})`}.`;
}
