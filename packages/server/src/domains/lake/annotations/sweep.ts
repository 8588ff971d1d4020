import { doAll } from '../../../platform/concurrency/do-all.ts';
import { eachAlone } from '../../../platform/concurrency/each-alone.ts';
import type { Reader } from '../../../platform/records/records.ts';
import { isRunning, type RetiredPage, removeRetired } from '../catalogue/retired.ts';
import { shortfallOf } from './annotated-segments.ts';
import { type AnnotationDeps, isPaused, projectsWithVariants } from './annotation-work.ts';

/** Removes unread filled segments and requests missing ones, after any change of a lake. */
export async function sweepAnnotated(
  deps: Omit<AnnotationDeps, 'engine'>,
  signal: AbortSignal,
): Promise<void> {
  const { records, serviceAnnotations, annotationWork } = deps;
  const page = (of: RetiredPage) => retiredCopies(records.read, of).execute();
  const requestMissing = async (project: string): Promise<void> => {
    const { missing, needless } = await shortfallOf(records.read, project, serviceAnnotations);
    if (missing.length + needless.length > 0 && !(await isPaused(records.read, project)))
      await records.transact((tx) => annotationWork.request(tx, project));
  };
  await doAll([
    () => removeRetired(deps, 'annotated_segments', page, signal),
    async () =>
      eachAlone(await projectsWithVariants(records.read), requestMissing, {
        failed: 'annotations of a project could not be requested; it is tried again',
        about: (project) => ({ project }),
        signal,
      }),
  ]);
}

function retiredCopies(read: Reader, { before, after, rowsMax }: RetiredPage) {
  return read
    .selectFrom('annotated_segments as a')
    .select(({ eb, exists, or, selectFrom }) => [
      'a.id',
      eb.ref('a.retired_at').$castTo<number>().as('at'),
      or([
        exists(
          selectFrom('queries as q')
            .select('q.id')
            .whereRef('q.project_id', '=', 'a.project_id')
            .whereRef('q.started_at', '<', 'a.retired_at')
            .where('q.state', '=', isRunning),
        ),
        exists(
          selectFrom('trino_statements as t')
            .select('t.id')
            .whereRef('t.project_id', '=', 'a.project_id')
            .whereRef('t.created_at', '<', 'a.retired_at')
            .where('t.state', '=', isRunning),
        ),
      ]).as('held'),
    ])
    .where('a.retired_at', '<', before)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('a.retired_at', 'a.id'), '>', tuple(after.at, after.id)))
    .orderBy('a.retired_at')
    .orderBy('a.id')
    .limit(rowsMax);
}
