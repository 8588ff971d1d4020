import { conflict, notFound, type Problem } from '../../base/problem.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { lockProject } from './projects/index.ts';
import { findFile } from './store.ts';

/** Answers a change whose permissions were checked for another state of the file. */
export function fileChanging(): Problem {
  return conflict('FILE_CHANGING', 'The file is being changed by another request. Read it and try again.');
}

/**
 * Locks the file's project and, for a move, the target project in a fixed order, and returns the current file. Problem 404 if
 * the file was deleted, 409 if its project or owner differs from the checked one.
 */
export async function lockFile(
  tx: Transaction,
  file: FilesTable,
  target: string = file.project_id,
): Promise<FilesTable> {
  for (const project of [...new Set([file.project_id, target])].sort()) await lockProject(tx, project);
  const present = await findFile(tx, file.id);
  if (!present) throw notFound();
  if (present.project_id !== file.project_id || present.owner_id !== file.owner_id) throw fileChanging();
  return present;
}
