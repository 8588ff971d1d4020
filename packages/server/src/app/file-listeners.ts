import type { Engine } from '@ploidy/engine';
import type { FileListeners } from '../domains/files/index.ts';
import {
  type Ingestions,
  refuseWhileIngesting,
  requireFullAccessToRows,
} from '../domains/ingestion/index.ts';
import {
  type AnnotationWork,
  followingRows,
  type RowRights,
  requireNoOwnTable,
  retireSource,
} from '../domains/lake/index.ts';
import { coversResult, isQueryId, uncoveredResults } from '../domains/queries/index.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import type { Core } from './core.ts';
import { genomicsListeners } from './open-genomics.ts';

/** Connects other domains to events of files. */
export function fileListeners(
  platform: Pick<Core, 'records'> & { blobs: Blobs; engine: Engine },
  ingestions: Ingestions,
  annotationWork: AnnotationWork,
  rights: RowRights,
): FileListeners {
  return {
    deleted: [
      async (tx, fileId, keepRows) => {
        if (keepRows) await requireNoOwnTable(tx, fileId);
        const changed = keepRows ? undefined : await retireSource(tx, fileId);
        if (changed !== undefined) await annotationWork.request(tx, changed);
      },
      ...genomicsListeners.deleted,
    ],
    overwritten: genomicsListeners.overwritten,
    ingest: [(tx, file, by) => ingestions.queueUploaded(tx, file, by)],
    promised: [isQueryId],
    coversResult: (fileId, caller) => coversResult(platform.records.read, rights, fileId, caller),
    uncoveredResults: (account, caller) => uncoveredResults(platform.records.read, rights, account, caller),
    moving: [refuseWhileIngesting],
    rowsChange: [requireFullAccessToRows],
    followers: [
      (fileId, project) => followingRows({ ...platform, annotationWork }, fileId, project),
      ...genomicsListeners.followers,
    ],
  };
}
