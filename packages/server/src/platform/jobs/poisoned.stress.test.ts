/** Rows of the queue that no runner wrote: each column holds what it never should, and every other job has its turn. */
import assert from 'node:assert/strict';
import { placesOfWork, quickJobs, work } from '../../../../../test/support/jobs.ts';
import { openRaw, type RawRecords } from '../../../../../test/support/raw-records.ts';
import { type RecordsFixture, testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Records } from '../records/index.ts';
import type { JobHandler, Jobs } from './jobs.ts';

const kinds = ['fragile', 'sound'];
const dayMs = 86_400_000;

/** Values that a column should never hold, by its type. */
const poisons = (type: string): string[] =>
  /text/i.test(type)
    ? [`''`, `'{'`, `'[1]'`, `'null'`, `'{"id":7}'`, `'${'x'.repeat(100_000)}'`]
    : /int4|integer/i.test(type)
      ? ['2147483647', '-2147483648', '0']
      : ['8640001795853720576', '-8640001795853720576', '9007199254740991', '253402300800000', '0'];

/** Plants a waiting and a running job for each poison of each column. */
async function plant(records: Records, raw: RawRecords): Promise<string[]> {
  const table = (await records.read.introspection.getTables()).find(({ name }) => name === 'jobs');
  const ids: string[] = [];
  for (const { name, dataType, isAutoIncrementing } of table?.columns ?? []) {
    if (isAutoIncrementing || name === 'state' || name === 'id') continue;
    for (const poison of poisons(dataType))
      for (const state of ['queued', 'running']) {
        const id = `${name}-${state}-${ids.length}`;
        const row: Record<string, string> = {
          ...{ id: `'${id}'`, kind: `'fragile'`, state: `'${state}'`, payload: `'{}'`, attempts: '0' },
          ...{ attempts_max: '1', exclusive_key: `'q${ids.length}'`, not_before: '0', created_at: '0' },
          ...{ class: `'query'` },
          ...(state === 'running' && { attempts: '1', owner: `'gone'`, lease: `'${id}'`, lease_until: '5' }),
          [name]: poison,
        };
        if (name === 'lease') row['lease'] = `substr(${poison}, 1, 50) || '${id}'`;
        await raw.run(`insert into jobs (${Object.keys(row)}) values (${Object.values(row)})`);
        ids.push(id);
      }
  }
  return ids;
}

const throwing = (kind: string): JobHandler<string> => ({
  kind,
  run: () => Promise.reject(new Error('the handler throws')),
  onExhausted: () => Promise.reject(new Error('the end of the handler throws')),
});

async function withSound(
  { open, settings }: RecordsFixture,
  body: (made: Made) => Promise<void>,
): Promise<void> {
  const errors: string[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (_: object, message: string) => void errors.push(message),
  };
  const records = await open();
  const raw = await openRaw(settings);
  const jobs = quickJobs(records, { log, soleProcess: true, places: placesOfWork(5) });
  const done: string[] = [];
  const run: JobHandler<string>['run'] = async ({ job }) => void done.push(job.payload['name'] ?? '');
  jobs.handle({ kind: 'sound', run, onExhausted: async () => undefined });
  try {
    await body({ records, raw, jobs, done, errors });
  } finally {
    await jobs.stop();
    await raw.close();
  }
}

interface Made {
  records: Records;
  raw: RawRecords;
  jobs: Jobs<string>;
  /** Names of the sound jobs that ran. */
  done: string[];
  /** Messages of the log. */
  errors: string[];
}

const add = (records: Records, jobs: Jobs<string>, kind: string, name: string): Promise<string> =>
  records.transact((tx) => jobs.add(tx, { ...work, kind, payload: { name } }));

testOnRecords(
  'jobs whose row or handler is broken end as failed, and all others run, also of their kind',
  async (fixture) => {
    await withSound(fixture, async ({ records, raw, jobs, done, errors }) => {
      const planted = await plant(records, raw);
      const seen = new Set<string>();
      jobs.handle({
        ...throwing('fragile'),
        run: async ({ job }) => {
          seen.add(job.payload['name'] ?? job.id);
          if (job.payload['name'] === undefined) throw new Error('the handler throws');
        },
      });
      for (const kind of kinds) await add(records, jobs, kind, `${kind} before`);
      await jobs.start();
      for (const kind of kinds) await add(records, jobs, kind, `${kind} after`);
      await until(() => done.length === 2, 'the other kind has run');
      await until(
        () => seen.has('fragile before') && seen.has('fragile after'),
        'the rest of the kind has run',
      );
      // A time that is far away holds back its own job only.
      const left = () =>
        raw.run(`
          select id from jobs
          where state in ('queued', 'running') and kind = 'fragile' and not_before = 0`);
      await until(async () => (await left()).length === 0, 'every broken job has ended');
      assert.ok(planted.length > 100 && errors.length > 0);
    });
  },
);

testOnRecords('a job of an unknown kind fails after a day; one of another role stays', async (fixture) => {
  await withSound(fixture, async ({ records, raw, jobs, done, errors }) => {
    jobs.leave('elsewhere');
    const old = Date.now() - 2 * dayMs;
    for (const [id, kind, created] of [
      ['old', 'gone', old],
      ['new', 'gone', Date.now()],
      ['far', 'gone', Date.now() * 1000],
      ['other', 'elsewhere', old],
    ])
      await raw.run(
        `insert into jobs (id, kind, state, payload, attempts, attempts_max, class, not_before, created_at)
         values ('${id}', '${kind}', 'queued', '{}', 0, 1, 'query', 0, ${created})`,
      );
    await add(records, jobs, 'sound', 'beside');
    await jobs.start();
    const ended = () =>
      records.read.selectFrom('jobs').select('id').where('state', '=', 'failed').orderBy('id').execute();
    await until(async () => (await ended()).length === 2, 'the old ones have ended');
    assert.deepEqual(await ended(), [{ id: 'far' }, { id: 'old' }]);
    assert.equal(errors.length, 2);
    await until(() => done.length === 1, 'the sound one has run');
  });
});
