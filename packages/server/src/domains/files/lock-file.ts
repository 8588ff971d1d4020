import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { conflict, notFound, type Problem } from '../../problem.ts';
import { lockProject } from '../projects/index.ts';
import { findFile } from './store.ts';

/** The answer to who was asked for rights where the thing no longer is. */
export function fileChanging(): Problem {
  return conflict('FILE_CHANGING', 'The file is being changed by somebody else. Look at it and try again.');
}

/**
 * The file as it is now; until the transaction ends it stays where it is. Locks its project, and the one that it is to enter, always in
 * the same order. Problem 404 when it has gone, 409 when it is elsewhere, or somebody else's, than when the rights to it were asked.
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
