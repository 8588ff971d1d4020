/** A right counts when it is used: what waited is done with the rights of the moment in which it begins. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { TestProject } from './project.ts';
import { fhirText } from './texts.ts';

const endless = 'select count(*) from range(100000000000000) t(i) where i % 7 = 3';

describeApp(
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

    /** Outcome of a query whose owner has the first privilege at submission and the second at start; `undefined`: none. */
    async function endAfter(first: string, second: string | undefined) {
      const member = await app.people.member(app.account, []);
      const theirs = project.as((method, path, options) =>
        app.call(method, path, { key: member.key, ...options }),
      );
      const mine = [{ 'user.id': { comparison: 'equals', value: member.userId } }];
      const policyOf = (privilege: string | undefined) => ({
        rules: privilege === undefined ? {} : { [privilege]: mine },
      });
      const policy = { name: `Of ${member.userId}`, policy: policyOf(first) };
      const made = await app.call('POST', '/v1/policies', { body: policy });
      assert.equal(made.status, 200, made.text);
      const busy = await project.startQuery(endless);
      await until(isRunning, 'the one place is taken');
      const waiting = await theirs.startQuery('select patient_id from patient');
      const changed = await app.call('PUT', `/v1/policies/${made.body.id}`, {
        body: { policy: policyOf(second) },
      });
      assert.equal(changed.status, 200, changed.text);
      await project.cancelQuery(busy);
      return project.endOfQuery(waiting);
    }

    test('a withdrawn or masked-only right ends access to earlier results', async () => {
      for (const second of [undefined, 'readMaskedData']) {
        const end = await endAfter('readData', second);
        assert.deepEqual([end.state, end.resultFileId], ['failed', undefined]);
        assert.match(end.error?.message ?? '', /withdrawn/);
        assert.equal((await app.call('GET', `/v1/files/${end.id}`)).status, 404);
      }
    });

    test('a query submitted for masked values stays masked after its owner gained full access', async () => {
      const end = await endAfter('readMaskedData', 'readData');
      assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
      assert.doesNotMatch(await project.read(String(end.resultFileId)), /withdrawn/);
    });
  },
  { PLOIDY_QUERIES_MAX: '1' },
);
