import type { Reader, Records } from '../../platform/records/records.ts';
import { openStates, type SyncRecord, stateOf } from './sync.ts';

/** So many records of a configuration are kept, the newest. A sync an hour: those of six weeks. */
const syncsKept = 1000;
const batchMax = 500;

type Pruned = Pick<
  SyncRecord,
  'id' | 'project_id' | 'api_base_url' | 'state' | 'since' | 'file_id' | 'ingestion_state'
>;

/**
 * Forgets what syncs long ago were like. Those that the next one goes by stay, however old: of each project, and each address that
 * it was filled from, the last full one that came to a good end, and what has brought something since (syncs.ts, `lastMark`).
 */
export async function pruneSyncs(records: Records, kept = syncsKept): Promise<void> {
  const many = await records.read
    .selectFrom('ehr_syncs')
    .select('ehr_id')
    .groupBy('ehr_id')
    .having(({ fn }) => fn.countAll(), '>', kept)
    .execute();
  for (const { ehr_id } of many) await pruneOne(records, ehr_id, kept);
}

async function pruneOne(records: Records, ehrId: string, kept: number): Promise<void> {
  const oldest = await rows(records.read, ehrId)
    .orderBy('ehr_syncs.id', 'desc')
    .offset(kept - 1)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  const needed = await readNeeded(records.read, ehrId);
  let after = '';
  for (;;) {
    const some = await rows(records.read, ehrId)
      .where('ehr_syncs.id', '>', after)
      .where('ehr_syncs.id', '<', oldest.id)
      .orderBy('ehr_syncs.id')
      .limit(batchMax)
      .execute();
    const last = some.at(-1);
    if (!last) return;
    after = last.id;
    const over = some.filter((row) => isOver(row) && !needed(row)).map(({ id }) => id);
    if (over.length === 0) continue;
    await records.transact(async (tx) => {
      await tx.deleteFrom('ehr_syncs').where('id', 'in', over).execute();
    });
  }
}

const isOver = (row: Pruned): boolean => !openStates.some((state) => state === stateOf(row));
const isGood = (row: Pruned): boolean => stateOf(row) === 'succeeded';

/** What the next sync into a project goes by. */
async function readNeeded(read: Reader, ehrId: string): Promise<(row: Pruned) => boolean> {
  const good = await read
    .selectFrom('ehr_syncs')
    .leftJoin('ingestions', 'ingestions.id', 'ehr_syncs.ingestion_id')
    .where('ehr_syncs.ehr_id', '=', ehrId)
    .where((where) =>
      where.or([where('ehr_syncs.state', '=', 'succeeded'), where('ingestions.state', '=', 'succeeded')]),
    )
    .groupBy(['ehr_syncs.project_id', 'ehr_syncs.api_base_url'])
    .select(({ fn, eb }) => [
      'ehr_syncs.project_id',
      'ehr_syncs.api_base_url',
      fn.max('ehr_syncs.id').as('newest'),
      fn.max(eb.case().when('ehr_syncs.since', 'is', null).then(eb.ref('ehr_syncs.id')).end()).as('full'),
    ])
    .execute();
  const keyOf = (row: Pick<Pruned, 'project_id' | 'api_base_url'>) => `${row.project_id} ${row.api_base_url}`;
  const byKey = new Map(good.map((one) => [keyOf(one), one]));
  return (row) => {
    const { newest, full } = byKey.get(keyOf(row)) ?? {};
    if (!isGood(row)) return false;
    return row.id === newest || row.id === full || (row.file_id !== null && row.id >= (full ?? ''));
  };
}

function rows(read: Reader, ehrId: string) {
  return read
    .selectFrom('ehr_syncs')
    .leftJoin('ingestions', 'ingestions.id', 'ehr_syncs.ingestion_id')
    .where('ehr_syncs.ehr_id', '=', ehrId)
    .select([
      'ehr_syncs.id',
      'ehr_syncs.project_id',
      'ehr_syncs.api_base_url',
      'ehr_syncs.state',
      'ehr_syncs.since',
      'ehr_syncs.file_id',
      'ingestions.state as ingestion_state',
    ]);
}
