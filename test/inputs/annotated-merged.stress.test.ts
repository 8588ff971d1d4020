import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { until } from '../support/until.ts';
import { filledSegments } from './filled-segments.ts';
import { TestProject } from './project.ts';
import { vcfText } from './texts.ts';

const known =
  '##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t1010\trs5\tA\tG\t.\t.\t.\n';

describeOnSqlite(
  'annotations of merged files',
  (app) => {
    test('variants of several samples in one file are filled once, and those that go are gone at once', async () => {
      const project = await TestProject.make(app.call, 'Annotated and merged');
      const { read } = app.people.records;
      const files: string[] = [];
      for (const sample of ['s0', 's1', 's2']) {
        files.push(await project.take(`${sample}.vcf`, vcfText(sample, 3)));
      }
      const variants = async (): Promise<Set<string>> => {
        const found = await read
          .selectFrom('segments')
          .select('blob_key')
          .where('table_name', '=', 'variant')
          .where('removed_version', 'is', null)
          .execute();
        return new Set(found.map(({ blob_key }) => blob_key));
      };
      const merged = async (): Promise<boolean> => (await variants()).size === 1;
      await until(merged, 'the variants are in one file');
      await project.take('known.vcf', known, { type: 'annotation' });
      const rows = () =>
        project.ask('select sample_id, count(*), count(rs_id) from variant group by 1 order by 1');
      const all = ['s0,3,1', 's1,3,1', 's2,3,1'];
      assert.deepEqual(await rows(), all, 'joined');
      const filled = async (): Promise<boolean> => {
        const found = await filledSegments(app.people.records, project.id);
        return (
          (await variants()).symmetricDifference(new Set(found.map((one) => one.segment_key))).size === 0
        );
      };
      await until(filled, 'the file is filled');
      assert.deepEqual(await rows(), all, 'filled');
      assert.equal((await app.call('DELETE', `/v1/files/${files[1]}`)).status, 204);
      const left = [all[0], all[2]];
      assert.deepEqual(await rows(), left, 'without what was deleted');
      await project.take('s3.vcf', vcfText('s3', 3));
      assert.deepEqual(await rows(), [...left, 's3,3,1'], 'with what came');
      await project.take('s4.vcf', vcfText('s4', 3));
      await until(merged, 'what was left and what came are in one file');
      await until(filled, 'what merging made is filled, too');
      assert.deepEqual(await rows(), [...left, 's3,3,1', 's4,3,1']);
    });
  },
  { PLOIDY_COMPACTION_FILES: '3' },
);
