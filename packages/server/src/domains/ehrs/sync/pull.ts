import { setTimeout as delay } from 'node:timers/promises';
import type { OutboundAnswer } from '../../../platform/outbound/outbound.ts';
import type { EhrSyncsTable } from '../../../platform/records/schema-ehrs.ts';
import { awaitExport, beginExport, type ExportPosition, endExport } from '../fhir-server/bulk-export.ts';
import { type Capabilities, readCapabilities } from '../fhir-server/capabilities.ts';
import { EhrError, exportFailureMessage, isExportFailure, isRefusal } from '../fhir-server/ehr-error.ts';
import { readExportFile } from '../fhir-server/export-file.ts';
import type { FhirServer } from '../fhir-server/fhir-server.ts';
import { typesBeyond } from '../fhir-server/scopes.ts';
import { type PageContent, patientsMax } from './pages/page-content.ts';
import { PaginationLoopGuard } from './pages/pagination-loop.ts';
import type { PageReader } from './pages/read-page.ts';
import {
  afterGone,
  afterPage,
  afterRefusal,
  beginSearch,
  nextStep,
  type SearchPosition,
  type Step,
} from './plan.ts';
import type { Spool } from './spool.ts';
import { SyncProgress } from './sync-progress.ts';

interface PullDeps {
  server: FhirServer;
  spool: Spool;
  reader: PageReader;
  sync: EhrSyncsTable;
  pageSize: number;
  /** Maximum bytes of one sync. */
  bytesMax: number;
  signal: AbortSignal;
}

const pageBytesMax = 256 * 1024 * 1024;
const pageTimeoutMs = 10 * 60_000;
const fileTimeoutMs = 6 * 3_600_000;

/** Fetches all data of a sync, from the position of an earlier run. */
export class Pull {
  readonly #deps: PullDeps;
  readonly #loopGuard = new PaginationLoopGuard();
  readonly #progress: SyncProgress;
  /** Time from which the next sync asks for changes; null until the first step. */
  #mark: number | null;

  constructor(deps: PullDeps) {
    this.#deps = deps;
    this.#mark = deps.sync.mark;
    this.#progress = new SyncProgress(deps);
  }

  /** Must be called before each request to the server. */
  countRequest(): void {
    this.#progress.countRequest();
  }

  async run(): Promise<void> {
    const progress = this.#progress;
    let position = progress.position ?? (await this.#begin());
    if (position.kind === 'export') {
      const found = await this.#export(position);
      if (!found) return;
      position = found;
    }
    await this.#searchAll(position);
  }

  /** Fetches an export; returns the search to run instead if it fails. */
  async #export(position: ExportPosition): Promise<SearchPosition | undefined> {
    const progress = this.#progress;
    const { statusUrl } = position;
    try {
      await this.#fetchExport(position);
      await this.#forget(position);
      return undefined;
    } catch (error) {
      if (!isExportFailure(error)) throw error;
      await this.#forget({ kind: 'export', statusUrl, taken: null });
      progress.warnings.add(`${exportFailureMessage(error)} Resources were searched for instead.`);
      const search = beginSearch(await readCapabilities(this.#deps.server));
      progress.position = search;
      await progress.keep({ method: 'SEARCH' });
      return search;
    }
  }

  /** Deletes the export on the system after a cancellation. */
  async abandon(server: FhirServer): Promise<void> {
    if (this.#progress.position?.kind === 'export') await endExport(server, this.#progress.position);
  }

  /** Reads the capabilities of the system and chooses the first step. */
  async #begin(): Promise<SearchPosition | ExportPosition> {
    const { server, sync } = this.#deps;
    const capabilities = await readCapabilities(server);
    const mark = Math.min(Date.now(), capabilities.now ?? Number.POSITIVE_INFINITY);
    this.#mark = mark;
    this.#warnOfScope(capabilities);
    const position = await this.#beginExport(capabilities);
    if (position) {
      this.#progress.position = position;
      await this.#progress.keep({ method: 'EXPORT', mark });
      return position;
    }
    const timeless = capabilities.types.filter(({ byTime }) => !byTime);
    if (sync.since !== null && timeless.length > 0)
      this.#progress.warnings.add(
        `The EHR system does not search by _lastUpdated, so everything was fetched again of: ${timeless.map(({ name }) => name).join(', ')}.`,
      );
    const search = beginSearch(capabilities);
    this.#progress.position = search;
    await this.#progress.keep({ method: 'SEARCH', mark });
    return search;
  }

  /** Warns if the granted scope is smaller than the requested one, which only the token states. */
  #warnOfScope({ types }: Capabilities): void {
    const beyond = typesBeyond(
      this.#deps.server.scope ?? '',
      types.map(({ name }) => name),
    );
    if (beyond.length > 0)
      this.#progress.warnings.add(
        `The EHR system lets the client read some types only. Give it there the scopes for: ${beyond.join(', ')}.`,
      );
  }

  async #beginExport({ exportPath, types }: Capabilities): Promise<ExportPosition | undefined> {
    if (exportPath === undefined) return undefined;
    try {
      return await beginExport(this.#deps.server, exportPath, types, this.#deps.sync.since);
    } catch (error) {
      if (!isExportFailure(error)) throw error;
      this.#progress.warnings.add(`${exportFailureMessage(error)} Resources were searched for instead.`);
      return undefined;
    }
  }

  async #fetchExport(position: ExportPosition): Promise<void> {
    const { server, signal } = this.#deps;
    const wait = async (ms: number) => {
      await this.#progress.keep({});
      await delay(ms, undefined, { signal });
    };
    const { files, list, errors, at } = await awaitExport(server, position, wait);
    // Syncs begun by an earlier version have none, and fetch all files again.
    const { taken = null } = position;
    if (taken === null && errors > 0)
      this.#progress.warnings.add(
        `The EHR system could not export everything: it lists ${errors} file(s) of errors.`,
      );
    const done = taken?.list === list ? taken.files : 0;
    this.#progress.position = { ...position, taken: { list, files: done } };
    // Some systems state the end of an export (hapi-fhir 6841): changes made during it would never be fetched.
    const isEarlier = taken === null && at !== undefined && at < (this.#mark ?? Number.POSITIVE_INFINITY);
    await this.#progress.keep(isEarlier ? { mark: at } : {});
    for (const [index, file] of files.entries()) {
      if (index < done) continue;
      const content = { lines: 0 };
      const request = {
        ...file,
        headers: { accept: 'application/fhir+ndjson' },
        bytesMax: this.#progress.bytesLeft(),
        timeoutMs: fileTimeoutMs,
      };
      const page = await server.ask(request, [200], (answer) => {
        content.lines = 0;
        return this.#write(answer, (body) => readExportFile(body, file, content));
      });
      this.#progress.countResources(file.type, content.lines);
      if (file.count !== undefined && content.lines < file.count)
        this.#progress.warnings.add(`The EHR system announced more of ${file.type} than its export has.`);
      this.#progress.position = { ...position, taken: { list, files: index + 1 } };
      await this.#progress.keep({}, page);
    }
  }

  /** Best effort: systems delete old exports by themselves. */
  async #forget(position: ExportPosition): Promise<void> {
    try {
      await endExport(this.#deps.server, position);
    } catch (error) {
      if (!(error instanceof EhrError)) throw error;
      this.#progress.warnings.add('The EHR system refused to delete its export.');
    }
  }

  async #searchAll(position: SearchPosition): Promise<void> {
    const { sync, pageSize } = this.#deps;
    const settings = { pageSize, since: sync.since };
    let present = position;
    for (;;) {
      const step = nextStep(present, settings);
      if (!step) return;
      present = await this.#take(present, step);
    }
  }

  async #take(position: SearchPosition, step: Step): Promise<SearchPosition> {
    const { server, reader } = this.#deps;
    const content = nothingYet();
    const bytesMax = Math.min(pageBytesMax, this.#progress.bytesLeft());
    const request = {
      url: step.url,
      bytesMax,
      timeoutMs: pageTimeoutMs,
      withCredentials: true as const,
    };
    try {
      const page = await server.ask(request, [200], async (answer) => {
        Object.assign(content, nothingYet());
        return this.#write(answer, (body) => reader.read(body, content), step.of === 'ids');
      });
      if (step.of === 'ids' && content.patients.length > patientsMax) throw tooManyPatients();
      const next = content.next === undefined ? null : nextAddress(server, content.next, step.url);
      if (next !== null) this.#loopGuard.check(server.locate(step.url), next, position.next === null);
      if (content.isPartial)
        this.#progress.warnings.add(
          `The EHR system reports missing data in its responses about ${step.type.name}.`,
        );
      if (step.of !== 'ids')
        for (const [type, count] of content.counts) this.#progress.countResources(type, count);
      const count = [...content.counts.values()].reduce((sum, one) => sum + one, 0);
      if (step.of !== 'ids' && position.next === null && next === null && (content.total ?? 0) > count)
        this.#progress.warnings.add(
          `The EHR system announced more of ${step.type.name} than it returned: its first page has no next one.`,
        );
      server.throttle(count);
      const after = afterPage(position, step, { next, patients: content.patients });
      return await this.#goOn(after, page);
    } catch (error) {
      const again = afterGone(position, step, error);
      if (again) return this.#restart(again, step.type.name);
      if (step.of === 'ids' || position.next !== null || !isRefusal(error)) throw error;
      return this.#otherwise(position, step, error);
    }
  }

  /** Searches a type again from its first page. What was fetched twice is read once: the versions are the same. */
  async #restart(position: SearchPosition, type: string): Promise<SearchPosition> {
    const what = `forgot a search for ${type} between two pages (status 410)`;
    this.#progress.warnings.add(`The EHR system ${what}: it was begun again.`);
    return this.#goOn(position);
  }

  async #goOn(position: SearchPosition, page?: Parameters<SyncProgress['keep']>[1]): Promise<SearchPosition> {
    this.#progress.position = position;
    await this.#progress.keep({}, page);
    return position;
  }

  /** Handles the refusal of a search's first page. */
  async #otherwise(position: SearchPosition, step: Step, error: EhrError): Promise<SearchPosition> {
    const [name, status] = [step.type.name, `status ${error.status}`];
    if (step.of === 'type' && name === 'Patient') {
      const message = `The EHR system refuses a search for patients (${status}). Give the key the right to read all patients.`;
      throw new EhrError('NO_PATIENTS', message, { cause: error });
    }
    const after = afterRefusal(position, step);
    if (after === undefined) throw error;
    if (after.leftOut !== undefined)
      this.#progress.warnings.add(`${after.leftOut} was left out: the EHR system refused it (${status}).`);
    return this.#goOn(after.position);
  }

  /** Stores the content of a response; `walked`: only its ids are needed. */
  async #write(
    { body }: OutboundAnswer,
    linesOf: (body: AsyncIterable<Buffer>) => AsyncGenerator<Uint8Array>,
    walked = false,
  ) {
    const { spool } = this.#deps;
    const lines = linesOf(this.#progress.counted(body));
    return walked ? readAll(lines) : spool.write(lines);
  }
}

function nothingYet(): PageContent {
  return { counts: new Map(), patients: [], next: undefined, isPartial: false };
}

/**
 * Resolves the next page. A query alone is relative to the page itself (RFC 3986 §5.2.2); systems mean other
 * relative addresses from their base.
 */
function nextAddress(server: FhirServer, next: string, page: string): string {
  return server.locate(next.startsWith('?') ? new URL(next, server.locate(page)).href : next);
}

function tooManyPatients(): EhrError {
  const what = `returns more than ${patientsMax} patients in one page. Configure it to honour _count.`;
  return new EhrError('PAGE_TOO_LARGE', `The EHR system ${what}`);
}

async function readAll(lines: AsyncGenerator<unknown>): Promise<undefined> {
  for await (const _ of lines);
}
