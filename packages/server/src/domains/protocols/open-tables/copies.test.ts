import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { copyTests } from './copies.fixture.ts';

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
