/** Exported VCFs as bcftools reads them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeOnSqlite } from '../../../../../../test/support/app.ts';
import { samtoolsSkip } from '../../../../../../test/support/samtools.ts';
import { until } from '../../../../../../test/support/until.ts';

const text = `##fileformat=VCFv4.2
##reference=GRCh37
##FILTER=<ID=q10,Description="Low">
##contig=<ID=10>
##contig=<ID=2>
##contig=<ID=GL000192.1>
##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth">
##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">
##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">
##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Depths">
##FORMAT=<ID=GQ,Number=1,Type=Integer,Description="Quality">
##FORMAT=<ID=PS,Number=1,Type=Integer,Description="Phase set">
#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tone two\tother
10\t50\trs7\tA\tC,G\t30.5\tPASS\t.\tGT:DP:AD:GQ\t1/2:20:1,9,10:80\t0/0:5:5,0,0:20
2\t40\t.\tAT\tA\t.\tq10\t.\tGT:DP:AD:GQ:PS\t1|0:7:3,4:50:40\t./.:.:.:.:.
GL000192.1\t9\t.\tT\tG\t5\t.\t.\tGT:DP\t1:3\t0:4
2\t60\t.\tN\t<DEL>\t.\t.\tEND=90;SVTYPE=DEL\tGT\t0/1\t0/0
`;
const expected = `chr2\t40\t.\tAT\tA\t.\tq10\t1|0\t7\t3,4\t50\t40
chr10\t50\trs7\tA\tC\t30.5\tPASS\t1/0\t20\t1,9\t80\t.
chr10\t50\trs7\tA\tG\t30.5\tPASS\t0/1\t20\t1,10\t80\t.
GL000192.1\t9\t.\tT\tG\t5\t.\t1\t3\t.,.\t.\t.
`;

describeOnSqlite('exported variants', (app) => {
  test('an export of more than 500 files is 422 EXPORT_SIZE', async () => {
    const large = await TestProject.make(app.call, 'Many samples');
    const samples = Array.from({ length: 501 }, (_, at) => `s${at}`);
    const columns = ['#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT', ...samples];
    const record = ['chr1\t1000\t.\tA\tG\t.\tPASS\t.\tGT', ...samples.map(() => '0/1')];
    await large.take('many.vcf', `##fileformat=VCFv4.2\n${columns.join('\t')}\n${record.join('\t')}\n`);
    const body = { format: 'vcf' };
    const { status, body: answer } = await app.call('POST', `/v1/projects/${large.id}/exports`, { body });
    assert.deepEqual([status, answer.code], [422, 'EXPORT_SIZE']);
  });

  test('bcftools reads and indexes an exported VCF without a warning', { skip: samtoolsSkip }, async () => {
    const project = await TestProject.make(app.call, 'VCF');
    await project.take('calls.vcf', text);
    const body = { format: 'vcf', sampleIds: ['one two'] };
    const reply = await app.call('POST', `/v1/projects/${project.id}/exports`, { body });
    const state = () => app.call('GET', `/v1/exports/${reply.body.exportId}`);
    await until(async () => (await state()).status !== 202, 'the export ended');
    const { output } = (await state()).body;
    const path = join(app.folder, 'exported.vcf');
    writeFileSync(path, await (await fetch(output[0].url)).text());
    const run = (...parts: string[]): string => {
      const { status, stdout, stderr } = spawnSync('bcftools', parts, { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, ''], parts.join(' '));
      return stdout;
    };
    const format = '%CHROM\\t%POS\\t%ID\\t%REF\\t%ALT\\t%QUAL\\t%FILTER[\\t%GT\\t%DP\\t%AD\\t%GQ\\t%PS]\\n';
    assert.equal(run('query', '-f', format, path), expected);
    assert.equal(run('query', '-l', path), 'one two\n');
    run('view', '-O', 'z', '-o', `${path}.gz`, path);
    run('index', '-t', `${path}.gz`);
    assert.equal(run('query', '-f', '%POS\\n', '-r', 'chr10', `${path}.gz`), '50\n50\n');
  });
});
