import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bgzf } from '../../../../../../test/support/bam.ts';
import { fetchTicket } from '../../../../../../test/support/genomics.ts';

const vcf = [
  '##fileformat=VCFv4.5',
  '##contig=<ID=chr1,length=2000000>',
  '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB',
  'chr1\t1000\tdeleted\tA\t<DEL>\t.\tPASS\tSVLEN=50000\tGT\t0/1\t0/0',
  'chr1\t300000\tinserted\tA\t<INS>\t.\tPASS\tSVLEN=50000\tGT\t0/1\t0/0',
  'chr1\t500000\tblock\tA\t<*>\t.\tPASS\t.\tGT:LEN\t0/0:100\t0/0:50000',
  '',
].join('\n');

describeApp('ends of variants', (app) => {
  let wanted = '';

  before(async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Ends' } })).body.id;
    const file = await app.put(project, 'ends.vcf.gz', bgzf(Buffer.from(vcf), { blockBytes: 100 }));
    wanted = `/${app.account}/v1/htsget/variants/${file}`;
  });

  test('a region includes variants that reach into it by SVLEN or LEN (VCF 4.5)', async () => {
    const idsAt = async (start: number) => {
      const query = `?referenceName=chr1&start=${start}&end=${start + 1}`;
      const { body } = await app.call('GET', `${wanted}${query}`);
      const lines = gunzipSync(await fetchTicket(body))
        .toString()
        .split('\n');
      return lines.filter((line) => line.startsWith('chr1')).map((line) => line.split('\t')[2]);
    };
    assert.deepEqual(await idsAt(50_900), ['deleted']);
    assert.deepEqual(await idsAt(120_000), []);
    assert.deepEqual(await idsAt(349_000), []);
    assert.deepEqual(await idsAt(549_900), ['block']);
    assert.deepEqual(await idsAt(600_000), []);
  });
});
