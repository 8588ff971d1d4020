import { removeRows, retiredBatchRows, retiredMs } from '../retired.ts';
import { shortfallOf } from './annotated-segments.ts';
import { type AnnotationParts, projectsWithVariants } from './annotation-work.ts';

/**
 * Removes filled segments that nothing reads any more, and asks for those that are missing: whatever changed a lake, what is filled follows.
 */
export async function sweepAnnotated(parts: Omit<AnnotationParts, 'engine'>): Promise<void> {
  const { records, serviceAnnotations, annotationWork } = parts;
  await removeRetired(parts);
  for (const project of await projectsWithVariants(records.read)) {
    const { missing, needless } = await shortfallOf(records.read, project, serviceAnnotations);
    if (missing.length + needless.length > 0)
      await records.transact((tx) => annotationWork.request(tx, project));
  }
}

async function removeRetired({ records, blobs }: Pick<AnnotationParts, 'records' | 'blobs'>): Promise<void> {
  const rows = await records.read
    .selectFrom('annotated_segments as a')
    .select(['a.id', 'a.blob_key'])
    .where('a.retired_at', '<', Date.now() - retiredMs)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('queries as q')
            .select('q.id')
            .whereRef('q.project_id', '=', 'a.project_id')
            .whereRef('q.started_at', '<', 'a.retired_at')
            .where('q.state', '=', 'running'),
        ),
      ),
    )
    .limit(retiredBatchRows)
    .execute();
  await removeRows(records, blobs, 'annotated_segments', rows);
}
