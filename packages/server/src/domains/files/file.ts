import type { ResourceAttributes } from '../../access/resource.ts';
import { type Conditions, requireState, type State } from '../../api/conditions.ts';
import { timestamp } from '../../base/ids.ts';
import { conflict, type Problem } from '../../base/problem.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';

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

/** State that request conditions compare: the bytes, independent of name and project. */
export function stateOf(row: Pick<FilesTable, 'sha256' | 'modified_at'>): State & { modifiedAt: number } {
  return { etag: `"${row.sha256}"`, modifiedAt: row.modified_at };
}

/** Problem 412 if the request's conditions name other bytes. */
export function requireBytes(
  conditions: Conditions,
  row: Pick<FilesTable, 'sha256' | 'modified_at'>,
  mayRead: boolean,
): void {
  const message = 'The file was overwritten since. Read it again, then decide.';
  requireState(conditions, stateOf(row), message, mayRead);
}

/** Columns of a file that decide who may read it. */
export type FileToRead = Pick<FilesTable, 'id' | 'account_id' | 'project_id' | 'owner_id' | 'origin'>;

/** Attributes of a file for policies. */
export function attributesOf(row: FileToRead): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'file',
    id: row.id,
    ownerId: row.owner_id,
  };
}

/**
 * Attributes by which policies decide about reading a file. Having run a query is no right to its result: owning a file may be
 * one, by default policies.
 */
export function attributesToRead(row: FileToRead): ResourceAttributes {
  const { ownerId: _, ...others } = attributesOf(row);
  return row.origin === 'query' ? others : attributesOf(row);
}

/** Attributes for policies of the file that an upload will create. */
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

/** Cuts the slashes before an absolute path: names are paths inside the project, and clients send paths as typed. */
export function relativeName(name: string): string {
  return name.replace(/^\/+/, '');
}

/** Describes what is invalid about a file name (a path inside the project), or returns `undefined`. */
export function nameFault(name: string, suffixBytes = 0): string | undefined {
  const bytesMax = nameBytesMax - suffixBytes;
  if (Buffer.byteLength(name) > bytesMax) return `is longer than ${bytesMax} bytes`;
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return 'holds a control character';
  if (!name.isWellFormed()) return 'is not valid Unicode';
  const segments = relativeName(name).split('/');
  const bad = segments.find((segment) => segment === '' || segment === '.' || segment === '..');
  return bad === undefined ? undefined : 'holds an empty, "." or ".." segment';
}

/** Answers an upload that would replace a file without the permission to. */
export function idTaken(): Problem {
  return conflict(
    'FILE_EXISTS',
    'A file with this id has appeared since this upload began. Begin another one to replace it.',
  );
}

/** Answers bytes sent again after other uploads replaced the file. */
export function overtaken(): Problem {
  return conflict(
    'FILE_CHANGED',
    'The file has been replaced since these bytes were first sent. Begin another upload to replace it again.',
  );
}

/** Answers a request for a name that another file has. */
export function nameTaken(): Problem {
  return conflict(
    'FILE_EXISTS',
    'A file with this name already exists in the project. Send overwrite: true to replace it.',
  );
}
