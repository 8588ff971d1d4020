import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent, testOnRecords } from '../../../../../../test/support/records.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';
import { overloaded, Problem } from '../../../base/problem.ts';
import { addIntents } from '../../../platform/blobs/intents.ts';
import type { Logger } from '../../../platform/log/log.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { CohortPartsTable } from '../../../platform/records/schema-cohorts.ts';
import type { CohortRecord } from './cohort.ts';
import { type RecountDeps, recountCohort, recountDay, recountProject } from './recount.ts';

const { signal } = new AbortController();
const times = { created_at: 0, counted_at: 0 };
const row = {
  ...{ id: 'cohort', account_id: 'account', project_id: 'project', name: 'Cohort', name_key: 'cohort' },
  ...{ description: '', queries: '[]', subject_ids: '["somebody"]', creator_id: 'user', ...times },
};
const part: CohortPartsTable = {
  ...{ id: 'part', cohort_id: 'cohort', project_id: 'project', account_id: 'account', data_version: 0 },
  ...{ annotations: '', holds_until: null, member_count: 0, counted_at: 0, error: null },
};

async function setUp(records: Records, holdsUntil: number | null = null): Promise<void> {
  await records.transact(async (tx) => {
    const project = { id: 'project', account_id: 'account', name: 'Project', name_key: 'project' };
    const times = { created_at: 0, deletion_at: null };
    await tx
      .insertInto('projects')
      .values({ ...project, ...times, description: '' })
      .execute();
    const lake = { project_id: 'project', version: 1, data_version: 1 };
    await tx.insertInto('lakes').values(lake).execute();
    await tx.insertInto('cohorts').values(row).execute();
    await tx
      .insertInto('cohort_parts')
      .values({ ...part, holds_until: holdsUntil })
      .execute();
  });
}

/** Fakes a search that finds a number of members in a data version once `found` resolves. */
function depsThatFind(
  records: Records,
  dataVersion: number,
  count: number,
  found: (signal: AbortSignal) => Promise<void>,
) {
  const removed: string[] = [];
  const key = newId();
  const deps = {
    records,
    log: silent,
    running: new Map(),
    lake: { serviceAnnotations: async () => '' },
    analytics: {
      pin: async () => ({ dataVersion, annotations: '' }),
      writeMembers: async (
        _test: unknown,
        _wanted: unknown,
        { signal: counting }: { signal: AbortSignal },
      ) => {
        await found(counting);
        return { rowCount: count, asksClock: false };
      },
    },
    blobs: {
      scratchPath: async () => '/nowhere',
      discardScratch: async () => undefined,
      adopt: async () => {
        await records.transact((tx) => addIntents(tx, [key]));
        return { key, size: 1, sha256: '' };
      },
      remove: async (keys: string[]) => void removed.push(...keys),
    },
  };
  return { deps: deps as unknown as RecountDeps & { log: Logger }, key, removed };
}

const waitingFor = ({ running }: RecountDeps): number =>
  running.values().reduce((sum, { waiting }) => sum + waiting, 0);

const partNow = (records: Records): Promise<CohortPartsTable> =>
  records.read.selectFrom('cohort_parts').selectAll().executeTakeFirstOrThrow() as Promise<CohortPartsTable>;

testOnRecords('a count over older data never replaces one over newer data', async ({ open }) => {
  const records = await open();
  await setUp(records);
  const [begun, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const older = depsThatFind(records, 1, 1, () => {
    begun.resolve();
    return letGo.promise;
  });
  const counting = recountCohort(older.deps, 'cohort', signal);
  await begun.promise;
  await records.transact((tx) => tx.updateTable('lakes').set({ version: 2, data_version: 2 }).execute());
  const newer = depsThatFind(records, 2, 2, async () => undefined);
  await recountCohort(newer.deps, 'cohort', signal);
  letGo.resolve();
  await counting;
  const { member_count, data_version } = await partNow(records);
  assert.deepEqual([member_count, data_version], [2, 2]);
  const segments = await records.read
    .selectFrom('segments')
    .select(['blob_key', 'row_count'])
    .where('removed_version', 'is', null)
    .execute();
  assert.deepEqual(segments, [{ blob_key: newer.key, row_count: 2 }]);
  assert.deepEqual([older.removed, newer.removed], [[older.key], []]);
});

testOnRecords('a count over newer data replaces a concurrent one over older data', async ({ open }) => {
  const records = await open();
  await setUp(records);
  const [begun, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const newer = depsThatFind(records, 2, 2, () => {
    begun.resolve();
    return letGo.promise;
  });
  const counting = recountCohort(newer.deps, 'cohort', signal);
  await begun.promise;
  const older = depsThatFind(records, 1, 1, async () => undefined);
  await recountCohort(older.deps, 'cohort', signal);
  letGo.resolve();
  await counting;
  const { data_version, member_count } = await partNow(records);
  assert.deepEqual([data_version, member_count], [2, 2]);
  assert.deepEqual(newer.removed, []);
});

testOnRecords('a count without waiting requests is aborted', async ({ open }) => {
  const records = await open();
  await setUp(records);
  const begun = Promise.withResolvers<AbortSignal>();
  const { deps } = depsThatFind(records, 1, 3, (counting) => {
    begun.resolve(counting);
    const ended = Promise.withResolvers<void>();
    counting.addEventListener('abort', () => ended.reject(counting.reason));
    return ended.promise;
  });
  const leaving = [new AbortController(), new AbortController()];
  const waiting = leaving.map((one) => recountCohort(deps, 'cohort', one.signal));
  const outcomes = Promise.allSettled(waiting);
  const counting = await begun.promise;
  await until(() => waitingFor(deps) === 2, 'both wait');
  leaving[0]?.abort();
  await assert.rejects(waiting[0] as Promise<void>, { name: 'AbortError' });
  assert.equal(counting.aborted, false);
  leaving[1]?.abort();
  await outcomes;
  assert.equal(counting.aborted, true);
  assert.equal(deps.running.size, 0);
});

testOnRecords(
  'concurrent requests share one count, also when the first of them is aborted',
  async ({ open }) => {
    const records = await open();
    await setUp(records);
    const [begun, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let countings = 0;
    const { deps } = depsThatFind(records, 1, 3, () => {
      countings += 1;
      begun.resolve();
      return letGo.promise;
    });
    const leaving = new AbortController();
    const { project_id } = await partNow(records);
    const first = recountCohort(deps, 'cohort', leaving.signal);
    await begun.promise;
    const others = [recountCohort(deps, 'cohort', signal), recountProject(deps, project_id, signal)];
    await until(() => waitingFor(deps) === 3, 'all wait');
    leaving.abort();
    await assert.rejects(first, { name: 'AbortError' });
    letGo.resolve();
    await Promise.all(others);
    assert.equal((await partNow(records)).member_count, 3);
    assert.equal(countings, 1);
    assert.equal(deps.running.size, 0);
  },
);

testOnRecords('a list is served while nothing can be counted', async ({ open }) => {
  const records = await open();
  await setUp(records, 1);
  const down = depsThatFind(records, 1, 1, () => Promise.reject(new Error('the engine is away')));
  const cohorts: CohortRecord[] = [{ ...row, parts: [await partNow(records)] }];
  assert.equal(await recountDay(down.deps, cohorts, signal), true);
  assert.equal((await partNow(records)).counted_at, 0);
  const gone = AbortSignal.abort();
  const { deps } = depsThatFind(records, 1, 3, async () => undefined);
  await assert.rejects(recountDay(deps, cohorts, gone), { name: 'AbortError' });
  assert.equal((await partNow(records)).member_count, 0, 'no member is counted who has left');
});

testOnRecords('a count dated in the future by a fast clock is repeated', async ({ open }) => {
  const records = await open();
  const inAYear = Date.now() + 366 * 86_400_000;
  await setUp(records, inAYear);
  await records.transact((tx) => tx.updateTable('cohort_parts').set({ data_version: 1 }).execute());
  const { deps } = depsThatFind(records, 1, 3, async () => undefined);
  const cohorts: CohortRecord[] = [{ ...row, parts: [await partNow(records)] }];
  assert.equal(await recountDay(deps, cohorts, signal), true);
  const { member_count, holds_until } = await partNow(records);
  assert.deepEqual([member_count, holds_until], [3, null]);
  await records.transact((tx) => tx.updateTable('cohort_parts').set({ holds_until: inAYear }).execute());
  const { deps: later } = depsThatFind(records, 1, 4, async () => undefined);
  await recountCohort(later, 'cohort', signal);
  assert.equal((await partNow(records)).member_count, 4);
});

test('a list of current cohorts reads nothing more', async () => {
  const cohorts = [null, Date.now() + 60_000].map((holds_until) => ({
    ...row,
    parts: [{ ...part, holds_until }],
  }));
  assert.equal(await recountDay({} as never, cohorts, signal), false);
});

testOnRecords(
  'a list waits for counts for a limited time, and an aborted one stops them',
  async ({ open }) => {
    const records = await open();
    await setUp(records, 1);
    const cohorts = [{ ...row, parts: [{ ...part, holds_until: 1 }] }] as unknown as CohortRecord[];
    const begun = Promise.withResolvers<AbortSignal>();
    const left = depsThatFind(records, 1, 3, (counting) => {
      begun.resolve(counting);
      const ended = Promise.withResolvers<void>();
      counting.addEventListener('abort', () => ended.reject(counting.reason));
      return ended.promise;
    });
    const reader = new AbortController();
    const reading = recountDay(left.deps, cohorts, reader.signal);
    const outcome = assert.rejects(reading, { name: 'AbortError' });
    const counting = await begun.promise;
    reader.abort();
    await outcome;
    await until(() => counting.aborted, 'the count has ended');
    const letGo = Promise.withResolvers<void>();
    const { deps } = depsThatFind(records, 1, 3, () => letGo.promise);
    assert.equal(await recountDay(deps, cohorts, signal, 0), true);
    assert.equal((await partNow(records)).member_count, 0);
    letGo.resolve();
    await until(async () => (await partNow(records)).member_count === 3, 'the cohort is counted');
  },
);

testOnRecords('a cohort that needs too much does not stop the count of the next ones', async ({ open }) => {
  const records = await open();
  await setUp(records, 1);
  const second = { ...part, id: 'second', cohort_id: 'next', holds_until: 1 };
  await records.transact(async (tx) => {
    await tx
      .insertInto('cohorts')
      .values({ ...row, id: 'next', name: 'Next', name_key: 'next' })
      .execute();
    await tx.insertInto('cohort_parts').values(second).execute();
  });
  const cohorts = [
    { ...row, parts: [{ ...part, holds_until: 1 }] },
    { ...row, id: 'next', parts: [second] },
  ] as unknown as CohortRecord[];
  const disk = new Problem(422, 'COHORT_DISK', 'It needs more space. Ask for less.');
  for (const [error, counted] of [
    [overloaded(), [0, 0]],
    [disk, [0, 3]],
  ] as const) {
    const failing = [error];
    const { deps } = depsThatFind(records, 1, 3, async () => {
      const first = failing.pop();
      if (first) throw first;
    });
    assert.equal(await recountDay(deps, cohorts, signal), true);
    const found = await records.read.selectFrom('cohort_parts').selectAll().orderBy('id').execute();
    assert.deepEqual(
      found.map(({ member_count }) => member_count),
      counted,
    );
  }
});

testOnRecords('the error about a cohort that cannot be counted names it', async ({ open }) => {
  const records = await open();
  await setUp(records);
  const { deps } = depsThatFind(records, 1, 3, () => Promise.reject(overloaded()));
  const { project_id, cohort_id } = await partNow(records);
  const { message } = overloaded();
  await assert.rejects(recountProject(deps, project_id, signal), {
    status: 503,
    code: 'OVERLOADED',
    message: `The cohort ${cohort_id} cannot be counted over the present data: ${message}`,
  });
  await assert.rejects(recountCohort(deps, cohort_id, signal), { message });
});
