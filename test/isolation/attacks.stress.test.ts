/** Attacks on the lake through the API, as an analyst of one account would try them on others. */
import assert from 'node:assert/strict';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type Reply, type TestApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { bombs, oversized, refused, run } from './attacks.ts';
import { type Household, householdSettings, openHousehold } from './world.ts';

const fileMark = 'mark-of-a-file-of-the-host';
const path = '/v1/analytics/data-lake/query';

describe('attacks on the lake', () => {
  let app: TestApp;
  let analyst: Household;
  let victim: Household;
  let places: Record<'FILE' | 'SEGMENT' | 'BLOBS' | 'OTHER', string>;

  before(async () => {
    app = await openTestApp(
      {
        ...householdSettings,
        PLOIDY_THREADS: '1',
        PLOIDY_QUERIES_MAX: '4',
        PLOIDY_QUERY_TIME: '4s',
        PLOIDY_QUERY_MEMORY: '128MiB',
        PLOIDY_QUERY_RESULT_MAX: '1MiB',
      },
      { queryTemporaryBytes: 16 * 2 ** 20 },
    );
    [analyst, victim] = await Promise.all([openHousehold(app, 'analyst'), openHousehold(app, 'victim')]);
    const file = join(app.folder, 'secrets', 'words.csv');
    writeFileSync(file, `word\n${fileMark}\n`);
    places = {
      FILE: file,
      SEGMENT: await segmentOf(victim),
      BLOBS: join(app.folder, 'blobs'),
      OTHER: victim.ids.project,
    };
  });
  after(() => app.stop());

  /** Path of the victim's Parquet file of patients, as an attacker with a view of the disk would know it. */
  async function segmentOf({ ids }: Household): Promise<string> {
    const { blob_key } = await app.people.records.read
      .selectFrom('segments')
      .select('blob_key')
      .where('project_id', '=', ids.project)
      .where('table_name', '=', 'patient')
      .executeTakeFirstOrThrow();
    const [found] = globSync(`blobs/**/${blob_key}*`, { cwd: app.folder });
    assert.ok(found, 'the segment is on disk');
    return join(app.folder, found);
  }

  const aimed = (statement: string): string =>
    statement.replaceAll(/FILE|SEGMENT|BLOBS|OTHER/g, (word) => places[word as keyof typeof places]);

  const post = (query: string): Promise<Reply> =>
    analyst.call('POST', path, {
      body: { datasetId: analyst.ids.project, query, outputFileName: 'out.csv' },
    });

  /** Text that no answer may hold: host paths, other accounts' values, our own SQL. */
  function assertClean(text: string, statement: string): void {
    const sent = aimed(statement);
    for (const secret of [
      app.folder,
      process.cwd(),
      'read_parquet(',
      'CREATE VIEW',
      'COPY (',
      '/usr/',
      '.ts:',
    ]) {
      assert.ok(!text.includes(secret) || sent.includes(secret), `${statement} → ${text}`);
    }
    for (const mark of [fileMark, victim.mark]) assert.ok(!text.includes(mark), `${statement} → ${text}`);
  }

  async function assertWell(): Promise<void> {
    const ready = await app.call('GET', '/readyz', { key: undefined, account: undefined });
    assert.equal(ready.status, 200, ready.text);
    const { state, result } = await finished(await post('SELECT patient_id FROM patient'));
    assert.equal(state, 'succeeded');
    assert.ok(result.includes(analyst.mark));
  }

  async function finished(started: Reply): Promise<{ state: string; error: string; result: string }> {
    assert.equal(started.status, 200, started.text);
    const { queryId } = started.body;
    const read = () => analyst.call('GET', `${path}/${queryId}`);
    await until(async () => (await read()).body.state !== 'running', `the end of ${queryId}`);
    const { body } = await read();
    const file = await analyst.call('GET', `/v1/files/${queryId}`);
    return {
      state: body.state,
      error: body.error ? `${body.error.code}: ${body.error.message}` : '',
      result: file.status === 200 ? file.text : '',
    };
  }

  // asvs: 1.2.4
  test(`${refused.length} statements that want more than the tables of the project are refused in clean words`, async () => {
    const accepted: string[] = [];
    for (const statement of refused) {
      const reply = await post(aimed(statement));
      if (reply.status !== 400 || reply.body.code !== 'INVALID_QUERY')
        accepted.push(`${statement} → ${reply.text}`);
      assertClean(reply.text, statement);
    }
    assert.deepEqual(accepted, []);
    await assertWell();
  });

  // asvs: 4.3.1
  test('statements that are too large or too deep are refused, and the next one is served', async () => {
    const accepted: string[] = [];
    for (const statement of oversized) {
      const reply = await post(statement);
      if (reply.status !== 400) accepted.push(`${statement.slice(0, 60)} → ${reply.text.slice(0, 300)}`);
      assert.ok(reply.text.length < 2000, `a refusal repeats ${statement.slice(0, 60)}`);
      assertClean(reply.text, statement);
    }
    assert.deepEqual(accepted, []);
    await assertWell();
  });

  // asvs: 16.5.1
  test('strange statements that run show nothing of another project, of the host or of our own SQL', async () => {
    for (const statement of run) {
      const reply = await post(aimed(statement));
      assertClean(reply.text, statement);
      if (reply.status === 400) continue;
      const { error, result } = await finished(reply);
      assertClean(error, statement);
      assertClean(result, statement);
    }
    await assertWell();
  });

  test('bombs of time, memory, disk and result end within their limits, and the service goes on', async () => {
    const started = await Promise.all(bombs.map(post));
    for (const [index, reply] of started.entries()) {
      const statement = bombs[index] ?? '';
      const { state, error } = await finished(reply);
      assert.equal(state, 'failed', statement);
      assert.match(error, /^QUERY_[A-Z]+: .{10,}/, statement);
      assertClean(error, statement);
    }
    await assertWell();
  });

  test('the masked see no real value, whatever they write', async () => {
    const { key } = await app.people.member('analyst', ['readMaskedData']);
    const sender = { key, account: 'analyst' };
    const datasetId = analyst.ids.project;
    for (const query of [
      'SELECT * FROM patient',
      'SELECT patient FROM patient',
      'SELECT error(data || patient_id) FROM patient',
      'SELECT CAST(data AS INTEGER), CAST(patient_id AS INTEGER) FROM patient',
      `SELECT 'fo' || 'und' AS word FROM patient WHERE patient_id = '${analyst.mark.slice(0, 4)}' || '${analyst.mark.slice(4)}'`,
      'SELECT * FROM main.patient AS p(a, b, c)',
      'WITH p AS (SELECT * FROM patient) SELECT to_json(p) FROM p',
      'SELECT histogram(patient_id), string_agg(data) FROM patient',
    ]) {
      const body = { datasetId, query, outputFileName: 'masked.csv' };
      const reply = await app.call('POST', path, { body, ...sender });
      assert.equal(reply.status, 200, `${query} → ${reply.text}`);
      const { queryId } = reply.body;
      const read = () => app.call('GET', `${path}/${queryId}`, sender);
      await until(async () => (await read()).body.state !== 'running', query);
      const file = await app.call('GET', `/v1/files/${queryId}`, sender);
      const said = `${JSON.stringify((await read()).body.error)} ${file.status === 200 ? file.text : ''}`;
      assert.ok(!said.includes(analyst.mark) && !said.includes('found'), `${query} → ${said}`);
    }
  });

  test('nothing was written outside the data folder', () => {
    assert.ok(!existsSync('/tmp/ploidy-was-here') && !existsSync('/tmp/ploidy-export'));
    assert.deepEqual(globSync('blobs/scratch/*', { cwd: app.folder }), []);
  });
});
