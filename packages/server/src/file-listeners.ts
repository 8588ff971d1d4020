import type { Core } from './core.ts';
import type { FileListeners } from './domains/files/index.ts';
import { type Ingestions, refuseWhileIngesting } from './domains/ingest/index.ts';
import { type AnnotationWork, followingRows, isQueryId, retireSource } from './domains/lake/index.ts';
import { genomicsListeners } from './open-genomics.ts';
import type { Blobs } from './platform/blobs/index.ts';
import type { Engine } from './platform/engine/index.ts';

/** What other domains do when something happens to a file. */
export function fileListeners(
  platform: Pick<Core, 'records'> & { blobs: Blobs; engine: Engine },
  ingestions: Ingestions,
  annotationWork: AnnotationWork,
): FileListeners {
  return {
    deleted: [
      async (tx, fileId, keepRows) => {
        const changed = keepRows ? undefined : await retireSource(tx, fileId);
        if (changed !== undefined) await annotationWork.request(tx, changed);
      },
      ...genomicsListeners.deleted,
    ],
    overwritten: genomicsListeners.overwritten,
    ingest: [(tx, file, by) => ingestions.queueUploaded(tx, file, by)],
    promised: [isQueryId],
    moving: [refuseWhileIngesting],
    followers: [
      (fileId) => followingRows({ ...platform, annotationWork }, fileId),
      ...genomicsListeners.followers,
    ],
  };
}
