import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../../test/support/app.ts';

describeApp('a project with a cohort and no data', (app) => {
  test('lists no table, and a cohort beside data is a table', async () => {
    const project = await TestProject.make(app.call, 'Empty');
    const cohort = { name: 'Nobody', ownerProject: project.id, subjectIds: ['p'] };
    assert.equal((await app.call('POST', '/v1/cohorts', { body: cohort })).status, 200);
    const tables = async () => {
      const { body } = await app.call('GET', `/v1/analytics/data-lake/schema?datasetId=${project.id}`);
      return body.schemas.map(({ table }: { table: string }) => table);
    };
    assert.deepEqual(await tables(), []);
    await project.take('a.vcf', vcfText('s', 1));
    assert.ok((await tables()).includes('cohort'));
  });
});
