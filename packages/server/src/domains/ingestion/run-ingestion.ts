import { formatsThatPublish, type SourceType } from '@ploidy/converters';
import type { ConversionOptions, ConversionTask } from '@ploidy/engine';
import { type ConversionOutcome, type ConversionProgress, type Engine, EngineError } from '@ploidy/engine';
import { isStorageFull, Problem } from '../../base/problem.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { givenUp } from '../../platform/jobs/given-up.ts';
import type { Job, JobHandler, JobRun, Jobs } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { type Audit, onBehalf } from '../audit/index.ts';
import type { Files } from '../files/index.ts';
import { lockProjectIfThere } from '../files/projects/index.ts';
import { expectReads, failReads } from '../genomics/datasets/index.ts';
import type { Callers } from '../identity/callers/index.ts';
import { type AnnotationWork, announceRelease, type ServiceAnnotations } from '../lake/index.ts';
import { requestConsequences } from './fill-consequences.ts';
import { furtherFiles, type LocatedFiles, recognised } from './further-files.ts';
import { attributesOfIngestion, type IngestionFailure } from './ingestion.ts';
import { ingestionJob } from './ingestions.ts';
import { type Publication, preparePublication } from './publication.ts';
import { PublicationTurns } from './publication-turns.ts';
import { requireStillAllowed } from './rights.ts';

const reads: ReadonlySet<string> = new Set(formatsThatPublish('reads'));

export interface RunDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  audit: Audit;
  callers: Callers;
  files: Files;
  annotationWork: AnnotationWork;
  serviceAnnotations: ServiceAnnotations;
  jobs: Pick<Jobs, 'add'>;
}

const progressEveryMs = 250;
/** A move is refused while an ingestion runs; one that starts at the same moment ends with this failure. */
const movedAway = 'The file was moved into another project before it was ingested. Ingest it there.';

/** Handles the ingestion job: blob → converter process → one transaction that publishes the result. */
export function runIngestions(deps: RunDeps): JobHandler {
  const turns = new PublicationTurns<End | 'outdated'>(deps.records, 'dropped');
  return {
    kind: ingestionJob,
    run: (run) => runIngestion(deps, turns, run),
    onExhausted: (tx, job, error) => fail(tx, deps.audit, ingestionId(job), givenUp('ingestion', job, error)),
  };
}

const ingestionId = (job: Job): string => job.payload['ingestionId'] ?? '';

async function runIngestion(deps: RunDeps, turns: Turns, run: JobRun): Promise<void> {
  const { records, audit } = deps;
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
      await requireStillAllowed(deps, ingestion, file);
      end = await convert(deps, turns, { ingestion, file, run });
    }
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    run.report({ failed: failure.code });
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

async function convert(deps: RunDeps, turns: Turns, { ingestion, file, run }: Work): Promise<End> {
  const { blobs } = deps;
  const source = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const further = await furtherFiles(deps, ingestion, file);
  return blobs.inScratchFolder(async (outputFolder) => {
    const outcome = await blobs.withLocal(
      [source, ...further.blobs],
      ([path = '', ...paths]) =>
        readSource(deps, ingestion, file, { path, outputFolder, ...further.located(paths) }, run),
      { signal: run.signal, once: true },
    );
    await requireStillAllowed(deps, ingestion, file);
    const publication = await preparePublication(deps, { ingestion, file, run }, outcome);
    const models = further.modelsOf(publication.genomeBuild);
    let end: End | 'outdated' = 'outdated';
    try {
      while (end === 'outdated') {
        await publication.compare();
        end = await turns.publish(ingestion.project_id, run, (tx) =>
          publish(tx, deps, { ingestion, file, run, models }, outcome, publication),
        );
      }
    } finally {
      if (end !== 'published') await publication.discard();
    }
    return end;
  });
}

async function readSource(
  { records, engine }: RunDeps,
  ingestion: IngestionsTable,
  file: FilesTable,
  { path, indexPath, outputFolder, genomes, earlier }: { path: string; outputFolder: string } & LocatedFiles,
  run: JobRun,
): Promise<ConversionOutcome> {
  const type = (ingestion.type as SourceType | null) ?? (await recognised(path, file));
  await setType(records, ingestion, type, file.size);
  let reportedAt = 0;
  const task: ConversionTask = {
    type,
    sourcePath: path,
    sourceSize: file.size,
    sourceName: file.name,
    outputFolder,
    ...(genomes.length > 0 && { genomes }),
    ...(earlier.length > 0 && { earlier }),
    setId: ingestion.id,
    options: JSON.parse(ingestion.options) as ConversionOptions,
  };
  const onProgress = ({ bytes, rows }: ConversionProgress): void => {
    if (performance.now() - reportedAt < progressEveryMs) return;
    reportedAt = performance.now();
    void recordProgress(records, ingestion.id, bytes, rows);
  };
  const withIndex = reads.has(type) && indexPath !== undefined;
  return engine.convert({ ...task, ...(withIndex && { indexPath }) }, run.signal, onProgress);
}

/** Result of a conversion. `dropped`: cancelled, taken over, or without its file or project. `overwritten`: the file has new bytes. */
type End = 'published' | 'dropped' | 'overwritten';

type Turns = PublicationTurns<End | 'outdated'>;

interface Work {
  ingestion: IngestionsTable;
  file: FilesTable;
  run: JobRun;
}

interface Publishing extends Work {
  /** Names of the gene models that the conversion had. */
  models: readonly string[];
}

/** Publishes everything that the ingestion made, in one transaction. The run holds its lease there. */
async function publish(
  tx: Transaction,
  { audit, annotationWork, serviceAnnotations, jobs }: RunDeps,
  { ingestion, file, run, models }: Publishing,
  outcome: ConversionOutcome,
  publication: Publication,
): Promise<End | 'outdated'> {
  if (!(await lockProjectIfThere(tx, ingestion.project_id))) return 'dropped';
  if (!(await publication.isCurrent(tx))) return 'outdated';
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
      gene_models: models.length > 0 ? JSON.stringify(models) : null,
      found: outcome.found ? JSON.stringify({ tables: publication.tables, ...outcome.found }) : null,
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
  const { type } = await tx
    .selectFrom('ingestions')
    .select('type')
    .where('id', '=', ingestion.id)
    .executeTakeFirstOrThrow();
  await requestConsequences({ jobs, serviceAnnotations }, tx, { ...ingestion, type });
  await announceRelease(tx, { audit, jobs, serviceAnnotations }, ingestion, publication.tables);
  await appendAudit(tx, audit, ingestion, { rows, warnings: warningCount });
  run.report({ rows, bytes: file.size });
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
    if (set.numUpdatedRows > 0n && reads.has(type)) await expectReads(tx, ingestion);
  });
}

/** Records progress. Best effort: a lost update is corrected by the next one. */
async function recordProgress(records: Records, id: string, bytes: number, rows: number): Promise<void> {
  const update = records.transact((tx) =>
    tx
      .updateTable('ingestions')
      .set({ bytes_done: bytes, rows })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute(),
  );
  await update.catch(() => undefined);
}

/** Returns a permanent failure, which another attempt would repeat; `undefined` if the run should be retried. */
function failureOf(error: unknown): IngestionFailure | undefined {
  if (isStorageFull(error)) return { code: 'DISK', message: error.message };
  if (error instanceof Problem && error.status < 500) return { code: error.code, message: error.message };
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
  await appendAudit(tx, audit, row, { failed: failure.code });
}

async function appendAudit(
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
