import type { Reader, Records } from '../../platform/records/records.ts';
import type { EhrSyncsTable } from '../../platform/records/schema-ehrs.ts';

/** So many records of a configuration are kept, the newest. A sync an hour: those of six weeks. */
const syncsKept = 1000;
const batchMax = 500;

/** The syncs of one configuration from one address into one project, and which of them the next one goes by first. */
interface Line extends Pick<EhrSyncsTable, 'project_id' | 'api_base_url'> {
  /** The last that came to a good end; null: none did. */
  newest: string | null;
  /** The last of these that fetched everything. */
  full: string | null;
}

/**
 * Forgets what syncs long ago were like. Those that the next one goes by stay, however old (syncs.ts, `lastMark`): of each project,
 * and each address that it was filled from, the last one that came to a good end, the last full one, and what has brought a file
 * since. As long as such a record is there, it is known when its file is not: so there is one for each file, until everything is
 * fetched again.
 */
export async function pruneSyncs(records: Records, signal?: AbortSignal, kept = syncsKept): Promise<void> {
  const many = await records.read
    .selectFrom('ehr_syncs')
    .select('ehr_id')
    .groupBy('ehr_id')
    .having(({ fn }) => fn.countAll(), '>', kept)
    .execute();
  for (const { ehr_id } of many) {
    const oldest = await records.read
      .selectFrom('ehr_syncs')
      .select('id')
      .where('ehr_id', '=', ehr_id)
      .orderBy('id', 'desc')
      .offset(kept - 1)
      .limit(1)
      .executeTakeFirst();
    if (!oldest) continue;
    for (const line of await linesOf(records.read, ehr_id))
      await pruneLine(records, signal, ehr_id, line, oldest.id);
  }
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

/** What has ended, and came to no good end, or to one that the next sync does not go by. */
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
