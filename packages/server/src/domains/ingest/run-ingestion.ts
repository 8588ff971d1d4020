import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { ConversionOptions, ConversionTask } from '../../platform/engine/conversion.ts';
import {
  type ConversionOutcome,
  type ConversionProgress,
  type Engine,
  EngineError,
} from '../../platform/engine/engine.ts';
import { givenUp } from '../../platform/jobs/given-up.ts';
import type { Job, JobHandler, JobRun } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { isStorageFull, Problem } from '../../problem.ts';
import { type Audit, onBehalf } from '../audit/index.ts';
import type { Callers } from '../callers/index.ts';
import { expectReads, failReads } from '../genomics/index.ts';
import type { AnnotationWork, ServiceAnnotations } from '../lake/index.ts';
import { lockProjectIfThere } from '../projects/index.ts';
import { indexBeside } from './index-beside.ts';
import { attributesOfIngestion, type IngestionFailure, type SourceType } from './ingestion.ts';
import { ingestionJob } from './ingestions.ts';
import { type Publication, preparePublication } from './publication.ts';
import { requireStillAllowed } from './rights.ts';

export interface RunParts {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  audit: Audit;
  callers: Callers;
  annotationWork: AnnotationWork;
  serviceAnnotations: ServiceAnnotations;
}

const progressEveryMs = 250;
/** A move refuses while an ingestion runs; one that is started in the same moment finds it out here. */
const movedAway = 'The file was moved into another project before it was ingested. Ingest it there.';

/** The job that runs an ingestion: blob → converter in a process of its own → one transaction shows what it made. */
export function runIngestions(parts: RunParts, concurrencyMax: number): JobHandler {
  return {
    kind: ingestionJob,
    concurrencyMax,
    run: (run) => runIngestion(parts, run),
    onExhausted: (tx, job, error) =>
      fail(tx, parts.audit, ingestionId(job), givenUp('ingestion', job, error)),
  };
}

const ingestionId = (job: Job): string => job.payload['ingestionId'] ?? '';

async function runIngestion(parts: RunParts, run: JobRun): Promise<void> {
  const { records, audit } = parts;
  const ingestion = await begin(records, ingestionId(run.job));
  if (!ingestion) return;
  try {
    let end: End = 'overwritten';
    while (end === 'overwritten') {
      const file = await records.read
        .selectFrom('files')
        .selectAll()
        .where('id', '=', ingestion.file_id)
        .executeTakeFirst();
      if (!file) throw new EngineError('INPUT', 'The file was deleted before it was ingested.');
      if (file.project_id !== ingestion.project_id) throw new EngineError('INPUT', movedAway);
      await requireStillAllowed(parts, ingestion, file);
      end = await convert(parts, ingestion, file, run);
    }
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    await records.transact(async (tx) => {
      if (await run.holdsLease(tx)) await fail(tx, audit, ingestion.id, failure);
    });
  }
}

async function begin(records: Records, id: string): Promise<IngestionsTable | undefined> {
  return records.transact((tx) =>
    tx
      .updateTable('ingestions')
      .set({ state: 'running', started_at: Date.now(), bytes_done: 0, rows: 0 })
      .where('id', '=', id)
      .where('state', 'in', ['queued', 'running'])
      .returningAll()
      .executeTakeFirst(),
  );
}

async function convert(
  parts: RunParts,
  ingestion: IngestionsTable,
  file: FilesTable,
  run: JobRun,
): Promise<End> {
  const { records, blobs } = parts;
  const source = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  // Whether it is a BAM tell its bytes; what it needs is held at once.
  const beside = await indexBeside(records, file);
  return blobs.inScratchFolder(async (outputFolder) => {
    const outcome = await blobs.withLocal(
      [source, ...beside],
      ([path = '', indexPath]) => readSource(parts, ingestion, file, { path, indexPath, outputFolder }, run),
      { signal: run.signal, once: true },
    );
    await requireStillAllowed(parts, ingestion, file);
    const publication = await preparePublication(parts, { ingestion, file, run }, outcome);
    const end = await records.transact((tx) =>
      publish(tx, parts, ingestion, file, outcome, publication, run),
    );
    if (end !== 'published') await publication.discard();
    return end;
  });
}

async function readSource(
  { records, engine }: RunParts,
  ingestion: IngestionsTable,
  file: FilesTable,
  { path, indexPath, outputFolder }: { path: string; indexPath: string | undefined; outputFolder: string },
  run: JobRun,
): Promise<ConversionOutcome> {
  const type = (ingestion.type as SourceType | null) ?? (await recognised(path, file));
  await setType(records, ingestion, type, file.size);
  let toldAt = 0;
  const task: ConversionTask = {
    type,
    sourcePath: path,
    sourceSize: file.size,
    sourceName: file.name,
    outputFolder,
    setId: ingestion.id,
    options: JSON.parse(ingestion.options) as ConversionOptions,
  };
  const tell = ({ bytes, rows }: ConversionProgress): void => {
    if (performance.now() - toldAt < progressEveryMs) return;
    toldAt = performance.now();
    void tellProgress(records, ingestion.id, bytes, rows);
  };
  const withIndex = type === 'bam' && indexPath !== undefined;
  return engine.convert({ ...task, ...(withIndex && { indexPath }) }, run.signal, tell);
}

/** For this the code of every format is read, which a service that starts does without. */
async function recognised(path: string, { name }: FilesTable): Promise<SourceType> {
  const { recognise } = await import('./recognise.ts');
  return recognise(path, name);
}

/** What became of a conversion. `dropped`: cancelled, taken over, or without its file or project. `overwritten`: the file has new bytes. */
type End = 'published' | 'dropped' | 'overwritten';

/** The one step in which everything that the ingestion made appears. */
async function publish(
  tx: Transaction,
  { audit, annotationWork }: RunParts,
  ingestion: IngestionsTable,
  file: FilesTable,
  outcome: ConversionOutcome,
  publication: Publication,
  run: JobRun,
): Promise<End> {
  if (!(await run.holdsLease(tx))) return 'dropped';
  if (!(await lockProjectIfThere(tx, ingestion.project_id))) return 'dropped';
  const present = await tx
    .selectFrom('files')
    .select(['blob_key', 'project_id'])
    .where('id', '=', file.id)
    .executeTakeFirst();
  if (present && present.blob_key !== file.blob_key) return 'overwritten';
  if (!present) {
    const message = 'The file was deleted while it was being ingested.';
    await fail(tx, audit, ingestion.id, { code: 'INPUT', message });
    return 'dropped';
  }
  if (present.project_id !== ingestion.project_id) {
    await fail(tx, audit, ingestion.id, { code: 'INPUT', message: movedAway });
    return 'dropped';
  }
  const { rows } = publication;
  const remarks = await publication.remarks(tx);
  const warnings = [...remarks.map((message) => ({ message })), ...outcome.warnings];
  const warningCount = outcome.warningCount + remarks.length;
  const done = await tx
    .updateTable('ingestions')
    .set({
      state: 'succeeded',
      bytes_done: file.size,
      rows,
      genome_build: publication.genomeBuild,
      warning_count: warningCount,
      warnings: JSON.stringify(warnings),
      ended_at: Date.now(),
    })
    .where('id', '=', ingestion.id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (done.numUpdatedRows === 0n) return 'dropped';
  await publication.publish(tx);
  await annotationWork.request(tx, ingestion.project_id);
  await tell(tx, audit, ingestion, { rows, warnings: warningCount });
  return 'published';
}

async function setType(
  records: Records,
  ingestion: IngestionsTable,
  type: SourceType,
  size: number,
): Promise<void> {
  await records.transact(async (tx) => {
    const set = await tx
      .updateTable('ingestions')
      .set({ type, bytes_total: size })
      .where('id', '=', ingestion.id)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (set.numUpdatedRows > 0n && type === 'bam') await expectReads(tx, ingestion);
  });
}

/** A courtesy to whoever watches: what the records do not take now, the next one tells. */
async function tellProgress(records: Records, id: string, bytes: number, rows: number): Promise<void> {
  const told = records.transact((tx) =>
    tx
      .updateTable('ingestions')
      .set({ bytes_done: bytes, rows })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute(),
  );
  await told.catch(() => undefined);
}

/** What is told of an end that another attempt would only repeat; nothing when it should be tried again. */
function failureOf(error: unknown): IngestionFailure | undefined {
  if (isStorageFull(error)) return { code: 'DISK', message: error.message };
  if (error instanceof Problem && error.status === 403) return { code: error.code, message: error.message };
  if (!(error instanceof EngineError) || error.code === 'WORKER_LOST') return undefined;
  const { code, message, line, column } = error;
  return { code, message, ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
}

async function fail(tx: Transaction, audit: Audit, id: string, failure: IngestionFailure): Promise<void> {
  const row = await tx
    .updateTable('ingestions')
    .set({ state: 'failed', error: JSON.stringify(failure), ended_at: Date.now() })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .returningAll()
    .executeTakeFirst();
  if (!row) return;
  await failReads(tx, id, failure.message);
  await tell(tx, audit, row, { failed: failure.code });
}

async function tell(
  tx: Transaction,
  audit: Audit,
  row: IngestionsTable,
  details: Record<string, string | number>,
): Promise<void> {
  await audit.append(tx, {
    ...onBehalf(row),
    action: 'ingestions.run',
    resource: attributesOfIngestion(row),
    details,
  });
}
