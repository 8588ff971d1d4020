import { annotation } from '@ploidy/formats';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Engine } from '../../../platform/engine/engine.ts';
import type { JobHandler, JobRun, Jobs } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import { lockProjectIfThere } from '../../projects/index.ts';
import { currentVersion, type Segment, segmentsAt } from '../catalogue.ts';
import { addFilled, type Shortfall, shortfallOf } from './annotated-segments.ts';

const annotationJob = 'lake.annotate';
const attemptsMax = 3;
/** Rows of records that one transaction changes. */
const batchRows = 500;

export interface AnnotationParts {
  records: Records;
  blobs: Blobs;
  engine: Engine;
}

/** Asks for variants to be filled from annotations. Queries are right before that is done; then they are fast, too. */
export class AnnotationWork {
  readonly #jobs: Jobs;

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  /** In the transaction that changed a lake. Nothing happens where nothing is annotated. */
  async request(tx: Transaction, project: string): Promise<void> {
    if (!(await isAnnotated(tx, project))) return;
    const queueKey = `annotate:${project}`;
    const payload = { projectId: project };
    await this.#jobs.add(tx, { kind: annotationJob, payload, attemptsMax, queueKey, queueMax: 1 });
  }
}

/** Whether a project has annotations, or parts that were filled from such as it had. */
async function isAnnotated(tx: Transaction, project: string): Promise<boolean> {
  const annotations = await tx
    .selectFrom('segments')
    .select('id')
    .where('project_id', '=', project)
    .where('table_name', '=', annotation.name)
    .where('removed_version', 'is', null)
    .limit(1)
    .executeTakeFirst();
  const filled = await tx
    .selectFrom('annotated_segments')
    .select('id')
    .where('project_id', '=', project)
    .where('retired_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return annotations !== undefined || filled !== undefined;
}

/** The job that fills what is missing, a segment at a time, and retires what is needless. */
export function annotateSegments(parts: AnnotationParts): JobHandler {
  return {
    kind: annotationJob,
    concurrencyMax: 1,
    run: (run) => annotateProject(parts, run),
    // Queries join where nothing is filled, and the sweep asks again.
    onExhausted: async () => undefined,
  };
}

async function annotateProject(parts: AnnotationParts, run: JobRun): Promise<void> {
  const { records } = parts;
  const project = run.job.payload['projectId'] ?? '';
  // The lake may have changed since the last look.
  for (;;) {
    run.signal.throwIfAborted();
    const version = await currentVersion(records.read, project);
    const segments = await segmentsAt(records.read, project, version);
    const shortfall = await shortfallOf(records.read, project, segments);
    await retire(records, shortfall.needless);
    const [next] = shortfall.missing;
    if (!next || !(await fill(parts, run, project, next, shortfall))) return;
  }
}

async function retire(records: Records, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += batchRows) {
    const batch = ids.slice(at, at + batchRows);
    await records.transact((tx) =>
      tx
        .updateTable('annotated_segments')
        .set({ retired_at: Date.now() })
        .where('id', 'in', batch)
        .where('retired_at', 'is', null)
        .execute(),
    );
  }
}

/** False: somebody else did it or does it now, or the project is gone. */
async function fill(
  { records, blobs, engine }: AnnotationParts,
  run: JobRun,
  project: string,
  segment: Segment,
  { annotations, signature }: Shortfall,
): Promise<boolean> {
  const outputFolder = await blobs.scratchFolder();
  const sources = [segment, ...annotations].map(({ blob }) => blob);
  const convert = ([sourcePath = '', ...besidePaths]: string[]) =>
    engine.convert(
      {
        type: 'annotated',
        sourcePath,
        besidePaths,
        sourceSize: segment.blob.size,
        sourceName: segment.table,
        outputFolder,
        setId: segment.ingestionId,
        options: {},
      },
      run.signal,
    );
  const { tables } = await blobs.withLocal(sources, convert, { signal: run.signal });
  const made: { blob: BlobInfo; rowCount: number }[] = [];
  for (const table of tables) made.push({ rowCount: table.rows, blob: await blobs.adopt(table.path, table) });
  await blobs.discardScratch(outputFolder);
  const kept = await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx)) || !(await lockProjectIfThere(tx, project))) return false;
    return addFilled(tx, project, segment.blob.key, signature, made);
  });
  if (!kept)
    await removeFreed(
      blobs,
      made.map(({ blob }) => blob.key),
    );
  return kept;
}
