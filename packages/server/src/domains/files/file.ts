import type { ResourceAttributes } from '../../access/resource.ts';
import { type Conditions, requireState, type State } from '../../conditions.ts';
import { timestamp } from '../../ids.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { conflict, type Problem } from '../../problem.ts';

/** A file as the API shows it. */
export interface FileView {
  id: string;
  name: string;
  datasetId: string;
  contentType: string;
  size: number;
  lastModified: string;
}

export function viewOf(row: FilesTable): FileView {
  return {
    id: row.id,
    name: row.name,
    datasetId: row.project_id,
    contentType: row.content_type,
    size: row.size,
    lastModified: timestamp(row.modified_at),
  };
}

/** What conditions of requests compare: the bytes, whatever they are called and wherever they lie. */
export function stateOf(row: Pick<FilesTable, 'sha256' | 'modified_at'>): State & { modifiedAt: number } {
  return { etag: `"${row.sha256}"`, modifiedAt: row.modified_at };
}

/** Problem 412 when a request was meant for other bytes. */
export function requireBytes(
  conditions: Conditions,
  row: Pick<FilesTable, 'sha256' | 'modified_at'>,
  mayRead: boolean,
): void {
  const message = 'The file was overwritten since. Read it again, then decide.';
  requireState(conditions, stateOf(row), message, mayRead);
}

/** What policies may ask of a file. */
export function attributesOf(row: FilesTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'file',
    id: row.id,
    ownerId: row.owner_id,
  };
}

/** The same of a file that is promised. */
export function attributesOfUpload(row: UploadsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'file',
    id: row.file_id,
    ownerId: row.owner_id,
  };
}

const nameBytesMax = 1024;

/** What is wrong with a file name (a path inside the project), or `undefined`. */
export function nameMistake(name: string, suffixBytes = 0): string | undefined {
  const bytesMax = nameBytesMax - suffixBytes;
  if (Buffer.byteLength(name) > bytesMax) return `is longer than ${bytesMax} bytes`;
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return 'holds a control character';
  if (!name.isWellFormed()) return 'is not valid Unicode';
  const segments = name.split('/');
  const bad = segments.find((segment) => segment === '' || segment === '.' || segment === '..');
  return bad === undefined ? undefined : 'holds an empty, "." or ".." segment';
}

/** The answer to bytes that would replace a file of which their sender was never asked whether he may. */
export function idTaken(): Problem {
  return conflict(
    'FILE_EXISTS',
    'A file with this id has appeared since this upload began. Begin another one to replace it.',
  );
}

/** The answer to bytes that are sent again after others have come. */
export function overtaken(): Problem {
  return conflict(
    'FILE_CHANGED',
    'Others have replaced the file since these bytes were first sent. Begin another upload to replace it again.',
  );
}

/** The answer to who wants a name that another file has. */
export function nameTaken(): Problem {
  return conflict(
    'FILE_EXISTS',
    'A file with this name already exists in the project. Send overwrite: true to replace it.',
  );
}
