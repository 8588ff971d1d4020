import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { copyTests } from './copies.fixture.ts';
import { copyJob } from './table-copies.ts';

describeApp('copies of tables for Iceberg readers', copyTests);

describeApp(
  'copies of tables in a full account',
  (app) => {
    test('copies count to the account, and a full account gets none', async () => {
      const project = await TestProject.make(app.call, 'Full');
      const person = (day: number) =>
        JSON.stringify({
          resourceType: 'Patient',
          id: 'p',
          meta: { lastUpdated: `2024-01-0${day}T00:00:00Z` },
        });
      for (const day of [1, 2]) await project.take(`${day}.ndjson`, person(day));
      const table = `/iceberg/v1/namespaces/${project.id}/tables/patient`;
      assert.equal((await app.call('GET', table)).status, 200);
      const { size } = await app.app.core.records.read
        .selectFrom('lake_copies')
        .select('size')
        .executeTakeFirstOrThrow();
      const filesSize = Buffer.byteLength(person(1)) * 2;
      const left = 20_000 - filesSize - (size ?? 0);
      const ask = (bytes: number) =>
        app.call('POST', '/v1/files', { body: { name: 'filler', datasetId: project.id, size: bytes } });
      assert.equal((await ask(left + 1)).body.code, 'ACCOUNT_FULL');
      assert.equal((await ask(left)).status, 200);
      await project.upload('filler', 'x'.repeat(left - Buffer.byteLength(person(3))));
      await project.take('3.ndjson', person(3));
      const refused = await app.call('GET', table);
      assert.equal(refused.status, 413);
      assert.match(refused.body.error.message, /ACCOUNT_FULL/);
    });
  },
  { PLOIDY_ACCOUNT_BYTES: '20000' },
);

describeApp(
  'copies of tables that are too large',
  (app) => {
    test('a copy that is too large is refused without another try until the table changes', async () => {
      const project = await TestProject.make(app.call, 'Large');
      const people = (day: number, count: number) =>
        Array.from({ length: count }, (_, at) =>
          JSON.stringify({
            resourceType: 'Patient',
            id: `${at}-${randomBytes(40).toString('hex')}`.slice(0, 64),
            meta: { lastUpdated: `2024-01-0${day}T00:00:00Z` },
          }),
        ).join('\n');
      const large = people(1, 400);
      const file = await project.take('1.ndjson', large);
      await project.take('2.ndjson', large.replaceAll('2024-01-01', '2024-01-02'));
      const open = () => app.call('GET', `/iceberg/v1/namespaces/${project.id}/tables/patient`);
      const tries = async () =>
        (
          await app.app.core.records.read
            .selectFrom('jobs')
            .select('id')
            .where('kind', '=', copyJob)
            .execute()
        ).length;
      for (const _ of [1, 2, 3]) {
        const refused = await open();
        assert.equal(refused.status, 422, refused.text);
        assert.match(refused.body.error.message, /RESULT_SIZE/);
      }
      assert.equal(await tries(), 1);
      await project.take('3.ndjson', people(3, 1));
      assert.equal((await open()).status, 422);
      assert.equal(await tries(), 2);
      assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    });
  },
  { PLOIDY_QUERY_RESULT_MAX: '10000' },
);
