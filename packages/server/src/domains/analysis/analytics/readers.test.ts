import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';

const mine = ['p-1', 'p-3'];
const rule = { 'resource.subject': { comparison: 'in', value: mine } };

describeApp('readers of analytics', (app) => {
  let project: TestProject;
  before(async () => {
    project = await TestProject.make(app.call, 'Readers');
    await project.take('p.ndjson', fhirText('p', 6, 1));
    await project.take('s1.vcf', vcfText('s1', 3), { patientId: 'p-1' });
    await project.take('s2.vcf', vcfText('s2', 5), { patientId: 'p-2' });
  });

  const ask = (query: object, key?: string): Promise<Reply> =>
    app.call('POST', '/v1/analytics/dsl', {
      body: { datasetId: project.id, query },
      ...(key !== undefined && { key }),
    });
  const rowsOf = ({ body }: Reply): { patient_id?: string; id?: string }[] =>
    Object.values(body.data).find(Array.isArray) ?? [];

  test('a reader of some patients finds in each table the rows of these alone, also by conditions that name others', async () => {
    const { key } = await app.people.member(app.account, ['readData'], rule);
    const { body } = await app.call('GET', '/v1/analytics/fields');
    let rows = 0;
    for (const { target, fields } of body.collections) {
      const hasPatient = fields.some(({ name }: { name: string }) => name === 'patient_id');
      const [all, seen] = [await ask({ target }), await ask({ target }, key)];
      assert.equal(seen.status, 200, `${target}: ${seen.text}`);
      assert.doesNotMatch(JSON.stringify(seen.body), /p-[02456]|"s2"/, target);
      const expected = rowsOf(all).filter((row) => /"p-[13]"|"s1"/.test(JSON.stringify(row)));
      if (hasPatient) assert.deepEqual(rowsOf(seen), expected, target);
      rows += rowsOf(seen).length;
      const counted = await ask({ target, domain: 'count' }, key);
      assert.equal(counted.body.data.count, rowsOf(seen).length, target);
    }
    assert.ok(rows > 5, `${rows} rows`);
    const where = { patient: { id: [{ operator: 'in', value: ['p-2', 'p-3'] }] } };
    assert.equal((await ask({ target: 'patient', domain: 'count', where }, key)).body.data.count, 1);
    const not = { not: { variant: { position: [{ operator: 'gte', value: 0 }] } } };
    assert.equal((await ask({ target: 'patient', domain: 'count', where: not }, key)).body.data.count, 1);
  });

  test('a page of a reader of some patients cannot be continued with other rights', async () => {
    const { key, userId } = await app.people.member(app.account, ['readData'], rule);
    const query = { target: 'patient', options: { limit: 1 } };
    const { body } = await ask(query, key);
    const token = body.data.nextPageToken;
    assert.equal((await ask({ ...query, options: { limit: 1, pageToken: token } }, key)).status, 200);
    await app.people.withdraw({ account: app.account, userId, key });
    assert.equal((await ask({ ...query, options: { limit: 1, pageToken: token } }, key)).status, 403);
    assert.equal((await ask({ ...query, options: { limit: 1, pageToken: token } })).status, 400);
  });
});
