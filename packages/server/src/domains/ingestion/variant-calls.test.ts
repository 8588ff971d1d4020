import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Call, TestProject } from '../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../test/support/app.ts';

const joined = `select s.patient_id is not null, c.filter, c.depth, c.allele_fraction, v.sample_id = c.sample_id
  from variant v join variant_call c on c.variant_id = v.variant_id and c.sample_id = v.sample_id
  join sequence s on s.id = c.sample_id order by c.position`;

/** Returns a VCF of one sample with these depths. */
function callsText(sample: string, ...depths: number[]): string {
  const lines = depths.map(
    (depth, index) => `1\t${10 + index}\t.\tA\tC\t9\tPASS\t.\tGT:AD:DP\t0/1:3,1:${depth}`,
  );
  const columns = `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}`;
  return `${['##fileformat=VCFv4.3', columns, ...lines].join('\n')}\n`;
}

describeApp('calls of variants in the lake', (app) => {
  let project: TestProject;
  const as =
    (key: string): Call =>
    (method, path, options) =>
      app.call(method, path, { key, ...options });

  before(async () => {
    project = await TestProject.make(app.call, 'Calls');
    await project.take('a.vcf', callsText('a', 20, 30), { patientId: 'p-1' });
  });

  test('a call joins its variant and sample, masked as well as real, and a masked reader sees no sample', async () => {
    const reader = await app.people.member(app.account, ['readMaskedData']);
    const masked = project.as(as(reader.key));
    for (const one of [project, masked])
      assert.deepEqual(await one.ask(joined), ['true,PASS,20,0.25,true', 'true,PASS,30,0.25,true']);
    const hidden = `select count(*) from variant_call where sample_id = 'a' or variant_id like '%:%'`;
    assert.deepEqual([await project.ask(hidden), await masked.ask(hidden)], [['2'], ['0']]);
  });

  test('a caller with some patients sees the calls of their samples alone', async () => {
    const other = await TestProject.make(app.call, 'Calls of two');
    await other.take('a.vcf', callsText('a', 20), { patientId: 'p-1' });
    await other.take('b.vcf', callsText('b', 40, 50), { patientId: 'p-2' });
    const rule = {
      'resource.subject': { comparison: 'equals', value: 'p-2' },
      'resource.dataset': { comparison: 'equals', value: other.id },
    };
    const person = await app.people.member(app.account, ['readData'], rule);
    assert.deepEqual(await other.as(as(person.key)).ask('select depth from variant_call order by all'), [
      '40',
      '50',
    ]);
  });

  test('calls are replaced, moved and deleted with their file', async () => {
    const [from, to] = [await TestProject.make(app.call, 'From'), await TestProject.make(app.call, 'To')];
    await from.take('a.vcf', callsText('a', 20, 30));
    const id = await from.take('a.vcf', callsText('a', 40));
    assert.deepEqual(await from.ask('select depth from variant_call'), ['40']);
    assert.equal((await app.call('PATCH', `/v1/files/${id}`, { body: { datasetId: to.id } })).status, 200);
    assert.deepEqual([await from.count('variant_call'), await to.count('variant_call')], [0, 1]);
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
    assert.equal(await to.count('variant_call'), 0);
  });

  test('an ingestion may leave calls out, and analytics queries know the table', async () => {
    const other = await TestProject.make(app.call, 'Without calls');
    await other.take('a.vcf', callsText('a', 20), { variantCalls: false });
    assert.deepEqual(await other.counts('variant', 'variant_call'), [1, 0]);
    const query = {
      target: 'variant_call',
      where: { variant_call: { depth: [{ operator: 'gt', value: 25 }] } },
    };
    const reply = await app.call('POST', '/v1/analytics/dsl', {
      body: { datasetId: project.id, query: { ...query, options: { fields: ['depth'] } } },
    });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      reply.body.data.variantCalls.map(({ depth }: { depth: number }) => depth),
      [30],
    );
  });
});
