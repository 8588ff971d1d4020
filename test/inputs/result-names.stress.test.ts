import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres } from '../support/app.ts';
import { TestProject } from './project.ts';

describeOnPostgres(
  'names of result files',
  (app) => {
    let project: TestProject;

    before(async () => {
      project = await TestProject.make(app.call, 'Names');
    });

    test('twenty queries at once with one name give twenty names, numbered without a gap', async () => {
      const started = Array.from({ length: 20 }, (_, index) =>
        project.startQuery(`select ${index} as n`, 'n.csv'),
      );
      const names: string[] = [];
      for (const [index, id] of (await Promise.all(started)).entries()) {
        const end = await project.endOfQuery(id);
        assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
        names.push(end.outputFileName ?? '');
        assert.equal((await app.call('GET', `/v1/files/${id}`)).text, `n\n${index}\n`);
      }
      const expected = ['n.csv', ...Array.from({ length: 19 }, (_, index) => `n.csv(${index + 2})`)].sort();
      assert.deepEqual(names.sort(), expected);
      assert.deepEqual((await project.fileNames('n.csv')).sort(), expected);
    });

    test('the longest name that is accepted has room for a number behind it', async () => {
      const longest = `${'n'.repeat(1012)}.csv`;
      const body = { query: 'select 1 as one', datasetId: project.id, outputFileName: `n${longest}` };
      const refused = await app.call('POST', '/v1/analytics/data-lake/query', { body });
      assert.deepEqual(
        [refused.status, refused.body.details],
        [400, [{ path: 'body/outputFileName', message: 'is longer than 1016 bytes' }]],
      );
      const names: (string | undefined)[] = [];
      for (const sql of ['select 1 as one', 'select 2 as two'])
        names.push((await project.endOfQuery(await project.startQuery(sql, longest))).outputFileName);
      assert.deepEqual(names, [longest, `${longest}(2)`]);
    });

    test('a result and an upload of one name at a time both keep their data', async () => {
      const uploaded = Array.from({ length: 6 }, (_, index) => `both.csv(${index + 2})`);
      const queries = uploaded.map(() => project.startQuery('select 1 as one', 'both.csv'));
      const uploads = uploaded.map((name) => project.upload(name, 'uploaded'));
      const [ids, files] = await Promise.all([Promise.all(queries), Promise.all(uploads)]);
      for (const id of ids) {
        const { state, outputFileName = '' } = await project.endOfQuery(id);
        assert.equal(state, 'succeeded');
        // An upload replaces what has its name already, as it was asked to.
        const { text } = await app.call('GET', `/v1/files/${id}`);
        assert.ok(text === 'one\n1\n' || uploaded.includes(outputFileName), `${outputFileName}: ${text}`);
      }
      for (const id of files) assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'uploaded');
      const there = await Promise.all(
        [...new Set([...ids, ...files])].map(async (id) => (await app.call('GET', `/v1/files/${id}`)).status),
      );
      const names = await project.fileNames('both.csv');
      assert.equal(names.length, there.filter((status) => status === 200).length);
      assert.equal(new Set(names).size, names.length);
    });
  },
  { PLOIDY_QUERIES_MAX: '6', PLOIDY_IDLE_WORKERS: '2' },
);
