import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of a project's removal is the files' part: promises first, so that none is kept meanwhile. */
export const fileRemovers: readonly Remover[] = [
  rowsOf('project', 'uploads'),
  rowsOf('project', 'upload_parts', { key: 'blob_key', blob: 'blob_key' }),
  rowsOf('project', 'files', { blob: 'blob_key' }),
];
