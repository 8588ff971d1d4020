import { annotation } from '@ploidy/formats';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Records } from '../../../platform/records/records.ts';
import { currentVersion, segmentsAt } from '../catalogue.ts';
import { removeRows, retiredBatchRows, retiredMs } from '../retired.ts';
import { shortfallOf } from './annotated-segments.ts';
import type { AnnotationWork } from './annotation-work.ts';

/**
 * Removes filled segments that nothing reads any more, and asks for those that are missing: whatever changed a lake, what is filled follows.
 */
export async function sweepAnnotated(records: Records, blobs: Blobs, work: AnnotationWork): Promise<void> {
  await removeRetired(records, blobs);
  for (const project of await annotatedProjects(records)) {
    const version = await currentVersion(records.read, project);
    const segments = await segmentsAt(records.read, project, version);
    const { missing, needless } = await shortfallOf(records.read, project, segments);
    if (missing.length + needless.length > 0) await records.transact((tx) => work.request(tx, project));
  }
}

async function annotatedProjects(records: Records): Promise<Set<string>> {
  const annotated = await records.read
    .selectFrom('segments')
    .select('project_id')
    .distinct()
    .where('table_name', '=', annotation.name)
    .where('removed_version', 'is', null)
    .execute();
  const filled = await records.read
    .selectFrom('annotated_segments')
    .select('project_id')
    .distinct()
    .where('retired_at', 'is', null)
    .execute();
  return new Set([...annotated, ...filled].map((row) => row.project_id));
}

async function removeRetired(records: Records, blobs: Blobs): Promise<void> {
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
