import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { newId } from '../../../base/ids.ts';
import { addIntents, type Blobs } from '../../../platform/blobs/index.ts';
import type { Records } from '../../../platform/records/index.ts';
import type { QueriesTable, SegmentsTable } from '../../../platform/records/schema-lake.ts';
import { sweepSegments } from './sweep.ts';

const signal = new AbortController().signal;

function segment(number: number, more: Partial<SegmentsTable> = {}): SegmentsTable {
  return {
    id: newId(),
    project_id: 'p',
    table_name: 'patient',
    source_file_id: `f${number}`,
    ingestion_id: `i${number}`,
    blob_key: `b${number}`,
    row_count: 1,
    size: 1,
    sha256: '',
    genome_build: null,
    source: '',
    ordinal: number,
    file_rows: null,
    added_version: 1,
    removed_version: 5,
    removed_at: 1000 + Math.floor(number / 700),
    own_columns: null,
    bounds: null,
    ...more,
  };
}

function running(more: Partial<QueriesTable> = {}): QueriesTable {
  return {
    ...{ id: newId(), account_id: 'a', project_id: 'p', user_id: 'u', query_text: '', statement: '' },
    ...{
      tables: '[]',
      made_with: null,
      conditions: null,
      state: 'running',
      requested_name: '',
      output_file_name: '',
      masked: 0,
    },
    ...{ lake_version: 4, progress: 0, row_count: null, result_file_id: null, error: null, job_id: '' },
    ...{ started_at: 900, ended_at: null, ...more },
  };
}

async function keep(
  records: Records,
  segments: SegmentsTable[],
  queries: QueriesTable[] = [],
): Promise<void> {
  await records.transact(async (tx) => {
    await addIntents(tx, [...new Set(segments.map(({ blob_key }) => blob_key))]);
    for (let at = 0; at < segments.length; at += 500)
      await tx
        .insertInto('segments')
        .values(segments.slice(at, at + 500))
        .execute();
    if (queries.length > 0) await tx.insertInto('queries').values(queries).execute();
  });
}

/** Sweeps, and returns the removed blobs in order. */
async function swept(records: Records): Promise<string[]> {
  const removed: string[] = [];
  const blobs = { remove: async (keys: string[]) => void removed.push(...keys) } as unknown as Blobs;
  await sweepSegments(records, blobs, signal);
  return removed;
}

const left = async ({ read }: Records): Promise<string[]> => {
  const rows = await read.selectFrom('segments').select('source_file_id').orderBy('ordinal').execute();
  return rows.map((row) => row.source_file_id);
};

testOnRecords(
  'one sweep removes all due rows, and a shared blob with the last of its rows',
  async ({ open }) => {
    const records = await open();
    const due = Array.from({ length: 1700 }, (_, number) => segment(number, { blob_key: `b${number % 2}` }));
    const visible = segment(9000, { blob_key: 'b0', removed_version: null, removed_at: null });
    await keep(records, [...due, visible, segment(9001, { removed_at: Date.now() })]);
    assert.deepEqual(await swept(records), ['b1']);
    assert.deepEqual(await left(records), ['f9000', 'f9001']);
  },
);

testOnRecords('segments in use stay and do not block the removal of later ones', async ({ open }) => {
  const records = await open();
  const held = Array.from({ length: 1100 }, (_, number) => segment(number));
  const others = [
    segment(2000, { project_id: 'q' }),
    segment(2001, { added_version: 5, removed_version: 6 }),
    segment(2002, { removed_version: 4 }),
    segment(2003, { project_id: 'q', table_name: '_annotation' }),
    segment(2004, { project_id: 'q', table_name: '_annotation', removed_at: 800 }),
  ];
  const ended = (['succeeded', 'failed', 'cancelled'] as const).map((state) =>
    running({ state, project_id: 'q', started_at: 1 }),
  );
  await keep(records, [...held, ...others], [running(), ...ended]);
  assert.deepEqual((await swept(records)).sort(), ['b2000', 'b2001', 'b2002', 'b2004']);
  assert.equal((await left(records)).length, held.length + 1);
  await records.transact((tx) => tx.updateTable('queries').set({ state: 'cancelled' }).execute());
  assert.equal((await swept(records)).length, held.length + 1);
  assert.deepEqual(await left(records), []);
});

testOnRecords('an aborted sweep ends between two batches', async ({ open }) => {
  const records = await open();
  await keep(
    records,
    Array.from({ length: 1200 }, (_, number) => segment(number)),
  );
  const stop = new AbortController();
  const blobs = { remove: async () => stop.abort() } as unknown as Blobs;
  await assert.rejects(sweepSegments(records, blobs, stop.signal), { name: 'AbortError' });
  assert.ok((await left(records)).length > 0);
});
