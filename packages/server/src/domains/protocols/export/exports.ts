import type { Caller } from '../../../access/caller.ts';
import { newId, timestamp } from '../../../base/ids.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import type { ExportsTable, QueriesTable } from '../../../platform/records/schema-lake.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { Files, Transfers } from '../../files/index.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import { attributesOfTables, type RowRights } from '../../lake/index.ts';
import type { NewQuery, Queries } from '../../queries/index.ts';

/** File of an export: its statement, name and kind. */
export interface NewPart {
  /** FHIR type of its resources, or `VCF`. */
  type: string;
  /** Sample of a VCF. */
  sampleId?: string;
  query: string;
  name: string;
  format: NonNullable<NewQuery['format']>;
}

/** File of a started export, with the query that writes it. */
interface ExportPart {
  type: string;
  sampleId?: string;
  queryId: string;
}

interface ExportedFile {
  type: string;
  url: string;
  fileId: string;
  name: string;
  count?: number;
  sampleId?: string;
}

/** Manifest of a complete export (FHIR Bulk Data Access 2.0, "Response - Complete Status"). */
export interface Manifest {
  transactionTime: string;
  request: string;
  requiresAccessToken: boolean;
  output: ExportedFile[];
  error: never[];
}

/** State of an export: files written so far, or the manifest. */
type ExportState =
  | { done: number; parts: number; waiting?: { position: number; since: string } }
  | { manifest: Manifest };

interface ExportDeps {
  records: Records;
  audit: Audit;
  queries: Queries;
  files: Files;
  transfers: Transfers;
  rights: RowRights;
}

/** Files of an export at most: each is a query of its own. */
export const partsMax = 500;

type By = { caller: Caller; requestId: string; signal: AbortSignal };

/** Exports of projects: sets of queries, whose results are the files. */
export class Exports {
  readonly #deps: ExportDeps;

  constructor(deps: ExportDeps) {
    this.#deps = deps;
  }

  /** Starts the queries of an export and records it, in one transaction. Returns its id. */
  async start(project: ProjectRecord, request: string, parts: NewPart[], by: By): Promise<string> {
    if (parts.length > partsMax) {
      const message = `The export has ${parts.length} files; ${partsMax} are allowed. Name fewer samples, or a cohort.`;
      throw new Problem(422, 'EXPORT_SIZE', message);
    }
    const id = newId();
    const inputs = parts.map(({ query, name, format }) => ({
      ...{ query, format },
      outputFileName: `${folderOf(id)}${name}`,
    }));
    const { queries, audit } = this.#deps;
    await queries.startAll(project, inputs, by, async (tx, ids) => {
      const started = parts.map(({ type, sampleId }, at): ExportPart => {
        return { type, ...(sampleId !== undefined && { sampleId }), queryId: ids[at] ?? '' };
      });
      const row: ExportsTable = {
        id,
        account_id: project.account,
        project_id: project.id,
        user_id: by.caller.userId,
        request,
        parts: JSON.stringify(started),
        started_at: Date.now(),
      };
      await tx.insertInto('exports').values(row).execute();
      await audit.append(tx, {
        account: project.account,
        ...actor(by.caller, by.requestId),
        action: 'exports.create',
        resource: attributesOfTables(row),
        outcome: 'done',
        details: { export: id, files: parts.length },
      });
    });
    return id;
  }

  /** Finds an export of a user. */
  async find(id: string, userId: string): Promise<ExportsTable | undefined> {
    return this.#deps.records.read
      .selectFrom('exports')
      .selectAll()
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
  }

  /** Returns how far an export is; Problem 422 if one of its files could not be written or is gone. */
  async state(row: ExportsTable, caller: Caller): Promise<ExportState> {
    const { rights, files, transfers } = this.#deps;
    const parts = partsOf(row);
    const queries = await this.#queriesOf(parts);
    const covered = await rights.covered(
      caller,
      queries.filter((query) => query !== undefined),
    );
    const isCovered = (query: QueriesTable) => covered.has(query);
    const ended = queries.map((query, at) => requireNotFailed(parts[at], query, isCovered));
    const done = ended.filter(({ state }) => state === 'succeeded');
    if (done.length < parts.length) {
      const state = { done: done.length, parts: parts.length };
      const waits = [...(await this.#deps.queries.waiting(ended)).values()];
      // Its next file; while one is written, the export runs.
      const [first] = waits.toSorted((one, other) => one.position - other.position);
      const isWaiting = first && waits.length === parts.length - done.length;
      return isWaiting
        ? { ...state, waiting: { position: first.position, since: timestamp(first.since) } }
        : state;
    }
    const output: Manifest['output'] = [];
    for (const [at, query] of done.entries()) {
      const { type, sampleId } = parts[at] as ExportPart;
      if (query.row_count === 0) {
        if (!isCovered(query)) throw unreadable();
        continue;
      }
      const located = await files.locateToRead(query.id, caller);
      if (!located) throw failed(type, 'its file was deleted.');
      if (!isPartOf(row, located.record)) throw failed(type, 'its file was moved or replaced.');
      // An address that opens nothing is useless.
      if (!caller.may(located.operation ?? 'files.read', located.attributes)) throw unreadable();
      const url = transfers.downloadUrl(located.record, caller);
      // Lines of a VCF are not its records.
      const about = sampleId === undefined ? { count: query.row_count ?? 0 } : { sampleId };
      const { id: fileId, name } = located.record;
      output.push({ type, url, fileId, name: name.slice(name.lastIndexOf('/') + 1), ...about });
    }
    const manifest: Manifest = {
      transactionTime: timestamp(row.started_at),
      request: row.request,
      // The addresses are signed.
      requiresAccessToken: false,
      output,
      error: [],
    };
    return { manifest };
  }

  /** Cancels the running queries of an export, deletes its files and forgets it. */
  async delete(row: ExportsTable, by: By): Promise<void> {
    const { queries, files, records, audit } = this.#deps;
    for (const query of await this.#queriesOf(partsOf(row))) {
      if (query?.state === 'running')
        await queries.cancel(query, by).catch((error: unknown) => {
          if (!(error instanceof Problem) || error.code !== 'QUERY_ENDED') throw error;
        });
      const file = query && (await files.find(query.id));
      if (file && isPartOf(row, file)) await files.delete(file, false, { ...by, conditions: {} });
    }
    await records.transact(async (tx) => {
      await tx.deleteFrom('exports').where('id', '=', row.id).execute();
      await audit.append(tx, {
        account: row.account_id,
        ...actor(by.caller, by.requestId),
        action: 'exports.deleteOwn',
        resource: attributesOfTables(row),
        outcome: 'done',
        details: { export: row.id },
      });
    });
  }

  /** Reads the queries of parts, in their order. */
  async #queriesOf(parts: ExportPart[]): Promise<(QueriesTable | undefined)[]> {
    const ids = parts.map(({ queryId }) => queryId);
    if (ids.length === 0) return [];
    const rows = await this.#deps.records.read
      .selectFrom('queries')
      .selectAll()
      .where('id', 'in', ids)
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }
}

/** Reports whether a file has the name, project and content that its export gave it. */
const isPartOf = (
  { id, project_id }: ExportsTable,
  { project_id: project, name, origin }: FilesTable,
): boolean => project === project_id && origin === 'query' && name.startsWith(folderOf(id));

const folderOf = (id: string): string => `exports/${id}/`;

/** Reads the files of an export. */
export const partsOf = ({ parts }: Pick<ExportsTable, 'parts'>): ExportPart[] =>
  JSON.parse(parts) as ExportPart[];

function requireNotFailed(
  part: ExportPart | undefined,
  query: QueriesTable | undefined,
  isCovered: (query: QueriesTable) => boolean,
): QueriesTable {
  const type = part?.type ?? '';
  if (!query) throw failed(type, 'its query is gone.');
  if (query.state === 'cancelled') throw failed(type, 'its query was cancelled.');
  if (query.state !== 'failed') return query;
  // The reason may hold a value.
  if (!isCovered(query)) throw unreadable();
  throw failed(type, (JSON.parse(query.error ?? '{}') as Error).message);
}

const unreadable = (): Problem =>
  new Problem(403, 'FORBIDDEN', 'You may no longer read the files of this export. Start it again.');

const failed = (type: string, reason: string): Problem =>
  new Problem(422, 'EXPORT_FAILED', `The export lacks ${type}: ${reason} Delete it and start it again.`);
