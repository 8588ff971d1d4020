import { eachAlone } from '../../../platform/concurrency/each-alone.ts';
import type { Reader, Records } from '../../../platform/records/records.ts';
import type { EhrSyncsTable } from '../../../platform/records/schema-ehrs.ts';

/** Newest records kept per configuration: six weeks at one sync an hour. */
const syncsKept = 1000;
const batchMax = 500;

/** Syncs of one configuration from one address into one project, with those that the next one depends on. */
interface Line extends Pick<EhrSyncsTable, 'project_id' | 'api_base_url'> {
  /** Last successful sync; null if none. */
  newest: string | null;
  /** Last successful full sync. */
  full: string | null;
}

/**
 * Removes old records of syncs, except those that the next sync depends on (syncs.ts, `lastMark`): for each
 * project and address the last successful one, the last full one, and those with files since. Such a record
 * proves that its file is gone, so each file keeps one until the next full sync.
 */
export async function pruneSyncs(records: Records, signal?: AbortSignal, kept = syncsKept): Promise<void> {
  const many = await records.read
    .selectFrom('ehr_syncs')
    .select('ehr_id')
    .groupBy('ehr_id')
    .having(({ fn }) => fn.countAll(), '>', kept)
    .execute();
  const prune = async ({ ehr_id }: { ehr_id: string }): Promise<void> => {
    const oldest = await records.read
      .selectFrom('ehr_syncs')
      .select('id')
      .where('ehr_id', '=', ehr_id)
      .orderBy('id', 'desc')
      .offset(kept - 1)
      .limit(1)
      .executeTakeFirst();
    if (!oldest) return;
    for (const line of await linesOf(records.read, ehr_id))
      await pruneLine(records, signal, ehr_id, line, oldest.id);
  };
  await eachAlone(many, prune, {
    failed: 'records of old syncs could not be removed; it is tried again',
    about: ({ ehr_id: ehrId }) => ({ ehrId }),
    signal,
  });
}

async function pruneLine(
  records: Records,
  signal: AbortSignal | undefined,
  ehrId: string,
  line: Line,
  oldest: string,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const over = await unneeded(records.read, ehrId, line)
      .where('ehr_syncs.id', '<', oldest)
      .limit(batchMax)
      .execute();
    if (over.length === 0) return;
    const ids = over.map(({ id }) => id);
    await records.transact(async (tx) => {
      await tx.deleteFrom('ehr_syncs').where('id', 'in', ids).execute();
    });
  }
}

async function linesOf(read: Reader, ehrId: string): Promise<Line[]> {
  return withIngestions(read, ehrId)
    .groupBy(['ehr_syncs.project_id', 'ehr_syncs.api_base_url'])
    .select(({ fn, eb }) => {
      const good = eb.or([eb('ehr_syncs.state', '=', 'succeeded'), eb('ingestions.state', '=', 'succeeded')]);
      const whole = eb.and([good, eb('ehr_syncs.since', 'is', null)]);
      return [
        'ehr_syncs.project_id',
        'ehr_syncs.api_base_url',
        fn.max(eb.case().when(good).then(eb.ref('ehr_syncs.id')).end()).as('newest'),
        fn.max(eb.case().when(whole).then(eb.ref('ehr_syncs.id')).end()).as('full'),
      ];
    })
    .execute();
}

/** Selects ended syncs that failed or that the next sync does not depend on. */
function unneeded(read: Reader, ehrId: string, { project_id, api_base_url, newest, full }: Line) {
  return withIngestions(read, ehrId)
    .select('ehr_syncs.id')
    .where('ehr_syncs.project_id', '=', project_id)
    .where('ehr_syncs.api_base_url', '=', api_base_url)
    .where((where) => {
      const bad = where.or([
        where('ehr_syncs.state', 'in', ['failed', 'cancelled']),
        where('ingestions.state', 'in', ['failed', 'cancelled']),
      ]);
      const good = where.or([
        where('ehr_syncs.state', '=', 'succeeded'),
        where('ingestions.state', '=', 'succeeded'),
      ]);
      const isPassed = where.and([
        where('ehr_syncs.id', 'not in', [newest ?? '', full ?? '']),
        where.or([where('ehr_syncs.file_id', 'is', null), where('ehr_syncs.id', '<', full ?? '')]),
      ]);
      return where.or([bad, where.and([good, isPassed])]);
    });
}

function withIngestions(read: Reader, ehrId: string) {
  return read
    .selectFrom('ehr_syncs')
    .leftJoin('ingestions', 'ingestions.id', 'ehr_syncs.ingestion_id')
    .where('ehr_syncs.ehr_id', '=', ehrId);
}
