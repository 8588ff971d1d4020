/** A right counts when it is used: what waited is done with the rights of the moment in which it begins. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres } from '../support/app.ts';
import { until } from '../support/until.ts';
import { TestProject } from './project.ts';
import { fhirText } from './texts.ts';

const endless = 'select count(*) from range(100000000000000) t(i) where i % 7 = 3';

describeOnPostgres(
  'rights that are withdrawn while a query waits',
  (app) => {
    let project: TestProject;

    before(async () => {
      project = await TestProject.make(app.call, 'Withdrawn');
      await project.take('patients.ndjson', fhirText('withdrawn', 3));
    });

    const isRunning = async (): Promise<boolean> => {
      const { read } = app.people.records;
      const jobs = read.selectFrom('jobs').select('id').where('kind', '=', 'lake.run');
      return (await jobs.where('state', '=', 'running').execute()).length === 1;
    };

    /**
     * Outcome of a query whose owner has the first privilege at submission and the second at start; `undefined`: none.
     * `rule` limits the second.
     */
    async function endAfter(first: string, second: string | undefined, rule: object = {}) {
      const member = await app.people.member(app.account, []);
      const theirs = project.as((method, path, options) =>
        app.call(method, path, { key: member.key, ...options }),
      );
      const mine = { 'user.id': { comparison: 'equals', value: member.userId } };
      const policyOf = (privilege: string | undefined, more: object = {}) => ({
        rules: privilege === undefined ? {} : { [privilege]: [{ ...mine, ...more }] },
      });
      const policy = { name: `Of ${member.userId}`, policy: policyOf(first) };
      const made = await app.call('POST', '/v1/policies', { body: policy });
      assert.equal(made.status, 200, made.text);
      const busy = await project.startQuery(endless);
      await until(isRunning, 'the one place is taken');
      const waiting = await theirs.startQuery('select patient_id from patient');
      const changed = await app.call('PUT', `/v1/policies/${made.body.id}`, {
        body: { policy: policyOf(second, rule) },
      });
      assert.equal(changed.status, 200, changed.text);
      await project.cancelQuery(busy);
      const end = await project.endOfQuery(waiting);
      return { end, own: await theirs.query(waiting), read: () => theirs.read(waiting) };
    }

    test('a withdrawn or masked-only right ends access to earlier results', async () => {
      for (const second of [undefined, 'readMaskedData']) {
        const { end } = await endAfter('readData', second);
        assert.deepEqual([end.state, end.resultFileId], ['failed', undefined]);
        assert.match(end.error?.message ?? '', /withdrawn/);
        assert.equal((await app.call('GET', `/v1/files/${end.id}`)).status, 404);
      }
    });

    test('a query submitted for masked values stays masked after its owner gained full access', async () => {
      const { end } = await endAfter('readMaskedData', 'readData');
      assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
      assert.doesNotMatch(await project.read(String(end.resultFileId)), /withdrawn/);
    });

    test('a query whose rows were narrowed while it waited has the rows of its run, and its owner reads them', async () => {
      const rule = { 'resource.subject': { comparison: 'in', value: ['withdrawn-1'] } };
      const { own, read } = await endAfter('readData', 'readData', rule);
      assert.deepEqual([own.state, own.rowCount], ['succeeded', 1], JSON.stringify(own.error));
      assert.equal(await read(), 'patient_id\nwithdrawn-1\n');
    });
  },
  { PLOIDY_QUERIES_MAX: '1' },
);
