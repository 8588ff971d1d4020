import type { Engine } from '@ploidy/engine';
import { annotation } from '@ploidy/formats/tables';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { JobHandler, JobRun, Jobs } from '../../../platform/jobs/jobs.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import { lockProjectIfThere } from '../../files/projects/index.ts';
import { addFilled, type Filling, shortfallOf } from './annotated-segments.ts';
import type { ServiceAnnotations } from './service-annotations.ts';

const annotationJob = 'lake.annotate';
const attemptsMax = 3;
/** Rows changed in one transaction. */
const batchRows = 500;

export interface AnnotationDeps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
  serviceAnnotations: ServiceAnnotations;
  annotationWork: AnnotationWork;
}

/** Requests the filling of variants with annotations. Queries are correct before it, and fast after it. */
export class AnnotationWork {
  readonly #jobs: Pick<Jobs, 'add'>;
  readonly #service: ServiceAnnotations;

  constructor(jobs: Pick<Jobs, 'add'>, service: ServiceAnnotations) {
    this.#jobs = jobs;
    this.#service = service;
  }

  /**
   * Queues a job in the transaction that changed a lake. Does nothing without annotations or if a job is
   * waiting already.
   */
  async request(tx: Transaction, project: string): Promise<void> {
    const concerned =
      this.#service.areOf(project) ||
      (await hasAnnotations(tx, project)) ||
      (await this.#service.signature(tx)) !== '';
    if (!concerned) return;
    const owner = await tx
      .selectFrom('projects')
      .select('account_id')
      .where('id', '=', project)
      .executeTakeFirst();
    await this.#jobs.add(tx, {
      ...{ kind: annotationJob, class: 'background', payload: { projectId: project }, attemptsMax },
      whose: { account: owner?.account_id ?? '', project, user: '' },
      ...{ exclusiveKey: `annotate:${project}`, unlessWaiting: true },
    });
  }
}

/** Reports whether a project has annotations or segments filled from former ones. */
async function hasAnnotations(tx: Transaction, project: string): Promise<boolean> {
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

/** Handles the job: fills missing segments one by one, and retires obsolete ones. */
export function annotateSegments(deps: AnnotationDeps): JobHandler {
  return {
    kind: annotationJob,
    run: async (run) => {
      const project = run.job.payload['projectId'] ?? '';
      await annotateProject(deps, run, project);
      if (deps.serviceAnnotations.areOf(project)) await requestAll(deps, run);
    },
    // Queries join unfilled segments, and the sweep requests the job again.
    onExhausted: async () => undefined,
  };
}

/** Requests the filling of all projects: the service's annotations changed. */
async function requestAll({ records, annotationWork }: AnnotationDeps, run: JobRun): Promise<void> {
  for (const project of await projectsWithVariants(records.read)) {
    run.signal.throwIfAborted();
    await records.transact((tx) => annotationWork.request(tx, project));
  }
}

/** Lists the projects that have variants or filled segments. */
export async function projectsWithVariants(read: Reader): Promise<string[]> {
  const lakes = await read
    .selectFrom('lakes')
    .select('project_id')
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('segments')
            .select('segments.id')
            .whereRef('segments.project_id', '=', 'lakes.project_id')
            .where('segments.table_name', '=', 'variant')
            .where('segments.removed_version', 'is', null),
        ),
        exists(
          selectFrom('annotated_segments')
            .select('annotated_segments.id')
            .whereRef('annotated_segments.project_id', '=', 'lakes.project_id')
            .where('annotated_segments.retired_at', 'is', null),
        ),
      ]),
    )
    .execute();
  return lakes.map((lake) => lake.project_id);
}

async function annotateProject(deps: AnnotationDeps, run: JobRun, project: string): Promise<void> {
  const { records, serviceAnnotations } = deps;
  // The lake may have changed since the previous check.
  for (;;) {
    run.signal.throwIfAborted();
    if (await isPaused(records.read, project)) return;
    const shortfall = await shortfallOf(records.read, project, serviceAnnotations);
    await retire(records, shortfall.needless);
    const [next] = shortfall.missing;
    if (!next || !(await fill(deps, run, project, next))) return;
  }
}

/** Reports whether a user paused the filling of a project. Queries join unfilled segments meanwhile. */
export async function isPaused(read: Reader, project: string): Promise<boolean> {
  const row = await read
    .selectFrom('lakes')
    .select('filling_paused_at')
    .where('project_id', '=', project)
    .executeTakeFirst();
  return (row?.filling_paused_at ?? null) !== null;
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

/** Fills one segment. False if another worker did or does it, or the project is gone. */
async function fill(
  { records, blobs, engine }: AnnotationDeps,
  run: JobRun,
  project: string,
  { segment, annotations, signature }: Filling,
): Promise<boolean> {
  const sources = [segment, ...annotations].map(({ blob }) => blob);
  const made: { blob: BlobInfo; rowCount: number }[] = [];
  await blobs.inScratchFolder(async (outputFolder) => {
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
    for (const table of tables) {
      made.push({ rowCount: table.rows, blob: await blobs.adopt(table.path, table) });
    }
  });
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
