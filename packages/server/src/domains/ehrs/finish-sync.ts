import { timestamp } from '../../ids.ts';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { JobRun } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { EhrSyncsTable } from '../../platform/records/schema-ehrs.ts';
import type { Audit } from '../audit/index.ts';
import { addMadeFile, isNameTaken } from '../files/index.ts';
import type { Ingestions } from '../ingest/index.ts';
import { lockProjectIfThere } from '../projects/index.ts';
import { lockEhr } from './ehrs.ts';
import { openPages } from './pages.ts';
import { type Spool, SyncOver } from './spool.ts';
import { tellRun } from './sync.ts';

interface FinishParts {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  ingestions: Ingestions;
}

/** Makes one file of what was fetched and begins its ingestion, in one step; nothing new: the sync ends. */
export async function finish(
  parts: FinishParts,
  run: JobRun,
  sync: EhrSyncsTable,
  spool: Spool,
): Promise<void> {
  const { records, blobs } = parts;
  const blob = spool.keys.length === 0 ? undefined : await blobs.join(spool.keys);
  const freed = await records.transact((tx) => end(parts, tx, run, sync, blob));
  await removeFreed(blobs, freed ?? (blob ? [blob.key] : []));
  if (!freed) throw new SyncOver();
}

/** Answers the keys of the blobs that nothing holds any more; `undefined`: the sync is over. */
async function end(
  { audit, ingestions }: FinishParts,
  tx: Transaction,
  run: JobRun,
  sync: EhrSyncsTable,
  blob: BlobInfo | undefined,
): Promise<string[] | undefined> {
  if (!(await run.holdsLease(tx))) return undefined;
  // In this order everywhere: configuration, project.
  const ehr = await lockEhr(tx, sync.ehr_id);
  if (!ehr || !(await lockProjectIfThere(tx, sync.project_id))) return undefined;
  const state = blob ? ('ingesting' as const) : ('succeeded' as const);
  const row = await tx
    .updateTable('ehr_syncs')
    .set({ state, position: null, ended_at: blob ? null : Date.now() })
    .where('id', '=', sync.id)
    .where('state', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const freed = await openPages(tx, sync.id).removeAll();
  if (blob) {
    const file = await addMadeFile(tx, {
      account: sync.account_id,
      project: sync.project_id,
      name: await freeName(tx, sync, ehr.name),
      contentType: 'application/fhir+ndjson',
      origin: 'ehr',
      ownerId: sync.user_id,
      blob,
    });
    const by = { userId: sync.user_id, via: 'job' };
    // One broken resource of a whole EHR system must not keep the others out: it is counted and listed.
    const ingestion = await ingestions.queue(tx, file, { type: 'fhir', onError: 'skip' }, by);
    await tx
      .updateTable('ehr_syncs')
      .set({ file_id: file.id, ingestion_id: ingestion.id })
      .where('id', '=', sync.id)
      .execute();
  }
  await tellRun(tx, audit, row, { pages: row.pages, bytes: row.bytes, warnings: row.warning_count });
  return freed;
}

const folderBytesMax = 200;

/** `ehr/<name>/<time>.ndjson.gz`, the time as far as file names take it. */
async function freeName(tx: Transaction, sync: EhrSyncsTable, ehrName: string): Promise<string> {
  const time = timestamp(sync.created_at).replaceAll(':', '-');
  const name = `ehr/${folderOf(ehrName)}/${time}`;
  const taken = await isNameTaken(tx, sync.project_id, `${name}.ndjson.gz`);
  return taken ? `${name}-${sync.id}.ndjson.gz` : `${name}.ndjson.gz`;
}

/** A name for people as a folder: one segment, and not too long. */
function folderOf(name: string): string {
  let folder = '';
  for (const character of name.toWellFormed().replaceAll('/', '-').trim()) {
    if (Buffer.byteLength(folder + character) > folderBytesMax) break;
    folder += character;
  }
  return /^\.{0,2}$/.test(folder) ? 'unnamed' : folder;
}
