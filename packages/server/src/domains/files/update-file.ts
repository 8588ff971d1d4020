import type { Caller } from '../../access/caller.ts';
import type { Conditions } from '../../conditions.ts';
import { nameKey } from '../../names.ts';
import { orDiscard } from '../../platform/blobs/remove-freed.ts';
import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { conflict } from '../../problem.ts';
import { actor } from '../audit/index.ts';
import { attributesOf, requireBytes } from './file.ts';
import type { FileParts, Follower } from './files.ts';
import { fileChanging, lockFile } from './lock-file.ts';
import { endedAt } from './store.ts';

export interface FileChange {
  name?: string;
  /** Id of the project that it moves into. */
  datasetId?: string;
}

/** Who changes a file, and of which bytes he knows. */
export type ChangeBy = { caller: Caller; requestId: string; conditions: Conditions };

/** How often a move is made ready anew because the file's rows changed meanwhile. */
const attemptsMax = 5;

const nameHeld = () =>
  conflict('FILE_EXISTS', 'A file with this name already exists in the project. Choose another name.');

/**
 * Renames a file, moves it with everything that follows it, or both, in one step. Uploads to it that are under way follow a new
 * name and not into another project. Problem 412 when other bytes were meant, 409 when the name is taken, or something holds the file where it is.
 */
export async function updateFile(
  parts: FileParts,
  file: FilesTable,
  change: FileChange,
  by: ChangeBy,
): Promise<FilesTable> {
  const { name = file.name, datasetId = file.project_id } = change;
  requireBytes(by.conditions, file, false);
  if (name === file.name && datasetId === file.project_id) return file;
  if (datasetId === file.project_id) {
    const renamed = await transact(parts, file, { name, datasetId }, [], by);
    if (!renamed) throw fileChanging();
    return renamed;
  }
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const moved = await move(parts, file, { name, datasetId }, by);
    if (moved) return moved;
  }
  throw fileChanging();
}

async function move(
  parts: FileParts,
  file: FilesTable,
  to: Required<FileChange>,
  by: ChangeBy,
): Promise<FilesTable | undefined> {
  const { records, listeners } = parts;
  for (const refuse of listeners.moving) await refuse(records.read, file.id);
  const followers = await prepareFollowers(parts, file.id);
  const discard = () => discardAll(followers);
  const moved = await orDiscard(discard, () => transact(parts, file, to, followers, by));
  if (!moved) await discard();
  return moved;
}

async function prepareFollowers({ listeners }: FileParts, file: string): Promise<Follower[]> {
  const followers: Follower[] = [];
  try {
    for (const prepare of listeners.followers) followers.push(await prepare(file));
    return followers;
  } catch (error) {
    await discardAll(followers);
    throw error;
  }
}

async function discardAll(followers: Follower[]): Promise<void> {
  for (const follower of followers) await follower.discard();
}

/** The one step. Answers nothing when what follows has changed since it was made ready: nothing was done then. */
async function transact(
  parts: FileParts,
  file: FilesTable,
  to: Required<FileChange>,
  followers: Follower[],
  by: ChangeBy,
): Promise<FilesTable | undefined> {
  try {
    return await parts.records.transact(async (tx) => {
      const present = await lockFile(tx, file, to.datasetId);
      requireBytes(by.conditions, present, false);
      for (const refuse of to.datasetId === file.project_id ? [] : parts.listeners.moving) {
        await refuse(tx, file.id);
      }
      for (const follower of followers) {
        if (!(await follower.follow(tx, to.datasetId))) throw new Outdated();
      }
      const changed = await write(tx, present, to);
      await tell(parts, tx, present, changed, by);
      return changed;
    });
  } catch (error) {
    if (error instanceof Outdated) return undefined;
    throw isUniqueViolation(error, 'files') ? nameHeld() : error;
  }
}

/** Thrown so that nothing of a step stays that began with something outdated. */
class Outdated extends Error {}

async function write(tx: Transaction, present: FilesTable, to: Required<FileChange>): Promise<FilesTable> {
  const uploads = tx
    .updateTable('uploads')
    .where('file_id', '=', present.id)
    .where('project_id', '=', present.project_id);
  // For good: after a deletion in the other project it would make the file again in this one.
  if (to.datasetId !== present.project_id) await uploads.set({ expires_at: endedAt }).execute();
  else if (to.name !== present.name)
    await uploads.set({ name: to.name }).where('name', '=', present.name).execute();
  return tx
    .updateTable('files')
    .set({ name: to.name, name_key: nameKey(to.name), project_id: to.datasetId })
    .where('id', '=', present.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function tell(
  { audit }: FileParts,
  tx: Transaction,
  before: FilesTable,
  after: FilesTable,
  by: ChangeBy,
): Promise<void> {
  const moved = before.project_id !== after.project_id;
  await audit.append(tx, {
    account: before.account_id,
    ...actor(by.caller, by.requestId),
    action: 'files.update',
    resource: attributesOf(before),
    outcome: 'done',
    details: { renamed: before.name !== after.name, ...(moved && { movedTo: after.project_id }) },
  });
}
