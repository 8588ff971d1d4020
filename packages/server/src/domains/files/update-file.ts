import type { Caller } from '../../access/caller.ts';
import type { Conditions } from '../../api/conditions.ts';
import { nameKey } from '../../base/names.ts';
import { conflict } from '../../base/problem.ts';
import { orDiscard } from '../../platform/blobs/remove-freed.ts';
import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { actor } from '../audit/index.ts';
import { attributesOf, requireBytes } from './file.ts';
import type { FileDeps, Follower } from './file-deps.ts';
import { fileChanging, lockFile } from './lock-file.ts';
import { endedAt } from './store.ts';

export interface FileChange {
  name?: string;
  /** Id of the target project. */
  datasetId?: string;
}

/** Caller of a change, and the file state it requires. */
export type ChangeBy = { caller: Caller; requestId: string; conditions: Conditions };

/** Attempts to prepare a move again because the file's rows changed meanwhile. */
const attemptsMax = 5;

const nameHeld = () =>
  conflict('FILE_EXISTS', 'A file with this name already exists in the project. Choose another name.');

/**
 * Renames or moves a file with its rows in one transaction. Open uploads to it follow a new name, but not
 * into another project. Problem 412 if the conditions name other bytes, 409 if the name is taken or the file
 * cannot move now.
 */
export async function updateFile(
  deps: FileDeps,
  file: FilesTable,
  change: FileChange,
  by: ChangeBy,
): Promise<FilesTable> {
  const { name = file.name, datasetId = file.project_id } = change;
  requireBytes(by.conditions, file, false);
  if (name === file.name && datasetId === file.project_id) return file;
  if (datasetId === file.project_id) {
    const renamed = await transact(deps, file, { name, datasetId }, [], by);
    if (!renamed) throw fileChanging();
    return renamed;
  }
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const moved = await move(deps, file, { name, datasetId }, by);
    if (moved) return moved;
  }
  throw fileChanging();
}

async function move(
  deps: FileDeps,
  file: FilesTable,
  to: Required<FileChange>,
  by: ChangeBy,
): Promise<FilesTable | undefined> {
  const { records, listeners } = deps;
  for (const refuse of listeners.moving) await refuse(records.read, file.id);
  const followers = await prepareFollowers(deps, file.id, to.datasetId);
  const discard = () => discardAll(followers);
  const moved = await orDiscard(discard, () => transact(deps, file, to, followers, by));
  if (!moved) await discard();
  return moved;
}

async function prepareFollowers({ listeners }: FileDeps, file: string, project: string): Promise<Follower[]> {
  const followers: Follower[] = [];
  try {
    for (const prepare of listeners.followers) followers.push(await prepare(file, project));
    return followers;
  } catch (error) {
    await discardAll(followers);
    throw error;
  }
}

async function discardAll(followers: Follower[]): Promise<void> {
  for (const follower of followers) await follower.discard();
}

/**
 * Runs the transaction. Returns `undefined`, with nothing changed, if a follower changed since it was
 * prepared.
 */
async function transact(
  deps: FileDeps,
  file: FilesTable,
  to: Required<FileChange>,
  followers: Follower[],
  by: ChangeBy,
): Promise<FilesTable | undefined> {
  try {
    return await deps.records.transact(async (tx) => {
      const present = await lockFile(tx, file, to.datasetId);
      requireBytes(by.conditions, present, false);
      if (to.datasetId !== file.project_id) {
        for (const refuse of deps.listeners.moving) await refuse(tx, file.id);
        for (const project of [file.project_id, to.datasetId])
          for (const refuse of deps.listeners.rowsChange) await refuse(tx, by.caller, present, project);
      }
      for (const follower of followers) {
        if (!(await follower.follow(tx, to.datasetId))) throw new Outdated();
      }
      const changed = await write(tx, present, to);
      await appendAudit(deps, tx, present, changed, by);
      return changed;
    });
  } catch (error) {
    if (error instanceof Outdated) return undefined;
    throw isUniqueViolation(error, 'files') ? nameHeld() : error;
  }
}

/** Rolls back a move whose followers are outdated. */
class Outdated extends Error {}

async function write(tx: Transaction, present: FilesTable, to: Required<FileChange>): Promise<FilesTable> {
  const uploads = tx
    .updateTable('uploads')
    .where('file_id', '=', present.id)
    .where('project_id', '=', present.project_id);
  // Ends the uploads for good: after a deletion in the target project they would create the file here again.
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

async function appendAudit(
  { audit }: FileDeps,
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
