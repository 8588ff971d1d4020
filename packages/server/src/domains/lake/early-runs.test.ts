/** A process that is made ready before its query is recorded. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';
import { diskBlobs } from '../../platform/blobs/index.ts';
import { useEngine, workersOf } from '../../platform/engine/engine.fixture.ts';
import type { QueryTable } from '../../platform/engine/engine.ts';
import { EarlyRuns } from './early-runs.ts';
import type { Lake, PinnedVersion } from './lake.ts';
import { wholeSight } from './sight.ts';
import type { StatementPlan } from './statement-run.ts';

const never = new AbortController().signal;
const pinned = { id: 'project', version: 3, sight: wholeSight('real') };
const plan: StatementPlan = {
  pinned,
  statement: { sql: 'SELECT count(*) AS n FROM variant', tables: ['variant'] },
};

describe('a process that is made ready early', () => {
  const opened = useEngine({ query: { idleWorkers: 2 } });
  let runs: EarlyRuns;
  /** Pinned versions that were looked up. */
  let asked: PinnedVersion[];
  let isStorageAway = false;

  before(() => {
    const lake = {
      withRelations: (
        version: PinnedVersion,
        _: string[],
        work: (tables: QueryTable[]) => Promise<unknown>,
      ) => {
        asked.push(version);
        if (isStorageAway) return Promise.reject(new Error('the storage cannot be reached'));
        return work(opened.lake.tables);
      },
    };
    const blobs = diskBlobs({ folder: join(opened.lake.folder, 'blobs') });
    runs = new EarlyRuns({ engine: opened.engine, blobs, lake: lake as unknown as Lake });
  });
  beforeEach(async () => {
    asked = [];
    await until(() => opened.engine.hasSpareWorker(), 'two processes wait');
  });

  test('reads no row and writes nothing before it is told to begin, and then all of it', async () => {
    runs.prepare('a', plan);
    await until(() => asked.length === 1 && !opened.engine.hasSpareWorker(), 'a process was taken');
    const run = runs.take('a', plan);
    // Another query from its beginning to its end.
    const outputPath = join(opened.lake.folder, 'other.csv');
    await opened.engine.query({ ...plan, tables: opened.lake.tables, outputPath }, never);
    assert.deepEqual(readdirSync(join(opened.lake.folder, 'blobs/scratch')), []);
    const result = await run?.begin(never);
    assert.equal(result?.outcome.rowCount, 1);
    assert.equal(readFileSync(result?.outputPath ?? '', 'utf8'), 'n\n1000\n');
  });

  test('is for its query only, with the same text, tables, version and sight', async () => {
    runs.prepare('b', plan);
    const { statement } = plan;
    for (const other of [
      { pinned, statement: { ...statement, sql: 'SELECT 1' } },
      { pinned, statement: { ...statement, tables: [] } },
      { pinned: { ...pinned, version: 4 }, statement },
      { pinned: { ...pinned, id: 'another' }, statement },
      { pinned: { ...pinned, sight: wholeSight('masked') }, statement },
    ])
      assert.equal(runs.take('b', other), undefined);
    assert.equal(runs.take('c', plan), undefined);
    const run = runs.take('b', plan);
    assert.ok(run);
    assert.equal(runs.take('b', plan), undefined, 'it is taken once');
    run.end();
  });

  test('is not made ready where rows have to be picked, for cohorts, and for two queries at once', () => {
    const sight = { real: false, masked: true, countsMin: 0 };
    runs.prepare('d', { ...plan, pinned: { ...pinned, sight } });
    runs.prepare('d', { pinned, statement: { sql: 'SELECT 1 FROM cohort', tables: ['cohort'] } });
    assert.deepEqual(asked, []);
    runs.prepare('d', plan);
    runs.prepare('e', plan);
    assert.equal(runs.take('e', plan), undefined);
    runs.drop('d');
  });

  test('ends with what made it ready, or when nobody comes for it', async () => {
    for (const end of [() => runs.drop('f'), () => undefined]) {
      runs.prepare('f', plan);
      const workers = workersOf(process.pid, 'query');
      await until(() => !opened.engine.hasSpareWorker(), 'a process was taken');
      end();
      await until(() => workers.some((pid) => !existsSync(`/proc/${pid}`)), 'it is gone');
      assert.equal(runs.take('f', plan), undefined);
      await until(() => opened.engine.hasSpareWorker(), 'another waits in its place');
    }
  });

  test('is not taken when it was lost meanwhile: its query gets another', async () => {
    isStorageAway = true;
    runs.prepare('h', plan);
    await until(() => asked.length === 1, 'its files were asked for');
    isStorageAway = false;
    await new Promise(setImmediate);
    assert.equal(runs.take('h', plan), undefined);
    runs.drop('h');
    runs.prepare('i', plan);
    const run = runs.take('i', plan);
    assert.equal((await run?.begin(never))?.outcome.rowCount, 1);
  });

  test('a run that is aborted rejects with the reason, whether it has begun or not', async () => {
    const reason = new Error('cancelled by the test');
    runs.prepare('g', plan);
    const run = runs.take('g', plan);
    await assert.rejects(run?.begin(AbortSignal.abort(reason)) ?? Promise.resolve(), reason);
  });
});

describeApp(
  'queries whose process is made ready early',
  (app) => {
    let project: TestProject;
    before(async () => {
      project = await TestProject.make(app.call, 'Early');
      await project.take('s.vcf', vcfText('s', 50));
    });

    test('one that is refused after all leaves nothing, and those after it are right', async () => {
      const scratch = join(app.folder, 'blobs/scratch');
      for (let round = 0; round < 3; round += 1) {
        const body = { query: 'select foo from variant', datasetId: project.id, outputFileName: 'q.csv' };
        const refused = await app.call('POST', '/v1/analytics/data-lake/query', { body });
        assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_QUERY']);
        const id = await project.startQuery('select count(*) as n from variant', `n${round}.csv`);
        assert.equal((await project.endOfQuery(id)).state, 'succeeded');
        assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'n\n50\n');
        await until(() => readdirSync(scratch).length === 0, 'nothing is left');
      }
    });

    test('a mistake that only values show, and a cancel, are told as ever', async () => {
      const failed = await project.endOfQuery(
        await project.startQuery('select cast(sample_id as int) from variant'),
      );
      assert.deepEqual([failed.state, failed.error?.code], ['failed', 'QUERY_SQL']);
      const endless = 'select count(*) from range(100000000) a(i), range(100000) b(j) where hash(i + j) = 1';
      const id = await project.startQuery(endless);
      assert.equal((await project.cancelQuery(id)).body.state, 'cancelled');
      assert.equal((await project.endOfQuery(id)).state, 'cancelled');
    });
  },
  { PLOIDY_IDLE_WORKERS: '2' },
);
