import type { Reader } from '../../../platform/records/records.ts';
import { isRunning, type RetiredPage, removeRetired } from '../retired.ts';
import { shortfallOf } from './annotated-segments.ts';
import { type AnnotationParts, projectsWithVariants } from './annotation-work.ts';

/**
 * Removes filled segments that nothing reads any more, and asks for those that are missing: whatever changed a lake, what is filled follows.
 */
export async function sweepAnnotated(
  parts: Omit<AnnotationParts, 'engine'>,
  signal: AbortSignal,
): Promise<void> {
  const { records, serviceAnnotations, annotationWork } = parts;
  const page = (of: RetiredPage) => retiredCopies(records.read, of).execute();
  await removeRetired(parts, 'annotated_segments', page, signal);
  for (const project of await projectsWithVariants(records.read)) {
    signal.throwIfAborted();
    const { missing, needless } = await shortfallOf(records.read, project, serviceAnnotations);
    if (missing.length + needless.length > 0)
      await records.transact((tx) => annotationWork.request(tx, project));
  }
}

function retiredCopies(read: Reader, { before, after, rowsMax }: RetiredPage) {
  return read
    .selectFrom('annotated_segments as a')
    .select(({ eb, exists, selectFrom }) => [
      'a.id',
      eb.ref('a.retired_at').$castTo<number>().as('at'),
      exists(
        selectFrom('queries as q')
          .select('q.id')
          .whereRef('q.project_id', '=', 'a.project_id')
          .whereRef('q.started_at', '<', 'a.retired_at')
          .where('q.state', '=', isRunning),
      ).as('held'),
    ])
    .where('a.retired_at', '<', before)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('a.retired_at', 'a.id'), '>', tuple(after.at, after.id)))
    .orderBy('a.retired_at')
    .orderBy('a.id')
    .limit(rowsMax);
}
