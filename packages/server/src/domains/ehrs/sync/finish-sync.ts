import { timestamp } from '../../../base/ids.ts';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { JobRun } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { EhrSyncsTable } from '../../../platform/records/schema-ehrs.ts';
import type { Audit } from '../../audit/index.ts';
import { addGeneratedFile, isNameTaken } from '../../files/index.ts';
import { lockProjectIfThere } from '../../files/projects/index.ts';
import type { Ingestions } from '../../ingestion/index.ts';
import { lockEhr } from '../ehrs.ts';
import { openPages } from './pages/pages.ts';
import { type Spool, SyncOver } from './spool.ts';
import { auditRun } from './sync.ts';

interface FinishDeps {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  ingestions: Ingestions;
}

/**
 * Joins the fetched pages to one file and queues its ingestion, in one transaction. Without data the sync
 * ends.
 */
export async function finish(
  deps: FinishDeps,
  run: JobRun,
  sync: EhrSyncsTable,
  spool: Spool,
): Promise<void> {
  const { records, blobs } = deps;
  const blob = spool.keys.length === 0 ? undefined : await blobs.join(spool.keys);
  const freed = await records.transact((tx) => end(deps, tx, run, sync, blob));
  await removeFreed(blobs, freed ?? (blob ? [blob.key] : []));
  if (!freed) throw new SyncOver();
}

/** Returns the keys of blobs no longer needed; `undefined` if the sync is over. */
async function end(
  { audit, ingestions }: FinishDeps,
  tx: Transaction,
  run: JobRun,
  sync: EhrSyncsTable,
  blob: BlobInfo | undefined,
): Promise<string[] | undefined> {
  if (!(await run.holdsLease(tx))) return undefined;
  // Lock order: configuration, then project.
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
    const file = await addGeneratedFile(tx, {
      account: sync.account_id,
      project: sync.project_id,
      name: await freeName(tx, sync, ehr.name),
      contentType: 'application/fhir+ndjson',
      origin: 'ehr',
      ownerId: sync.user_id,
      blob,
    });
    const by = { userId: sync.user_id, via: 'job' };
    // One broken resource must not exclude the others: it is counted and listed.
    const { api_base_url: baseUrl, id_prefix: idPrefix } = ehr;
    const source = new URL(baseUrl).href.replace(/(?<!\/)\/+$/, '');
    const options = { type: 'fhir', onError: 'skip', source, ...(idPrefix !== '' && { idPrefix }) } as const;
    const ingestion = await ingestions.queue(tx, file, options, by);
    await tx
      .updateTable('ehr_syncs')
      .set({ file_id: file.id, ingestion_id: ingestion.id })
      .where('id', '=', sync.id)
      .execute();
  }
  await auditRun(tx, audit, row, { pages: row.pages, bytes: row.bytes, warnings: row.warning_count });
  return freed;
}

const folderBytesMax = 200;

/** Returns a free name `ehr/<name>/<time>.ndjson.gz`, with the time in characters that file names permit. */
async function freeName(tx: Transaction, sync: EhrSyncsTable, ehrName: string): Promise<string> {
  const time = timestamp(sync.created_at).replaceAll(':', '-');
  const name = `ehr/${folderOf(ehrName)}/${time}`;
  const taken = await isNameTaken(tx, sync.project_id, `${name}.ndjson.gz`);
  return taken ? `${name}-${sync.id}.ndjson.gz` : `${name}.ndjson.gz`;
}

/** Converts a display name to a folder: one segment of limited length. */
function folderOf(name: string): string {
  let folder = '';
  for (const character of name.toWellFormed().replaceAll('/', '-').trim()) {
    if (Buffer.byteLength(folder + character) > folderBytesMax) break;
    folder += character;
  }
  return /^\.{0,2}$/.test(folder) ? 'unnamed' : folder;
}
