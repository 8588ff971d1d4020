/** Bounds are recorded with each file, follow merges and moves, and keep statements from opening other files. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfHeader, vcfRecord } from '../../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { quickJobs } from '../../../../../../test/support/jobs.ts';
import { until } from '../../../../../../test/support/until.ts';
import { queueCompactions } from './compaction.ts';
import { presentFiles } from './lake-files.ts';

const textOf = (sample: string, ...positions: number[]): string =>
  vcfHeader(sample) + positions.map(vcfRecord).join('');

const digestOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 16);

describeApp(
  'bounds of files',
  (app) => {
    let project: TestProject;
    const records = () => app.people.records;
    let files: string[];

    before(async () => {
      project = await TestProject.make(app.call, 'Bounds');
      files = [
        await project.take('a.vcf', textOf('a', 10, 20)),
        await project.take('b.vcf', textOf('b', 70)),
      ];
      await project.take('c.ndjson', fhirText('c', 2, 1));
    });

    const boundsOf = async (table: string, of = project.id) => {
      const rows = await records()
        .read.selectFrom('lake_files')
        .select('bounds')
        .where('project_id', '=', of)
        .where('table_name', '=', table)
        .where('removed_version', 'is', null)
        .orderBy('ordinal')
        .execute();
      return rows.map(({ bounds }) => JSON.parse(bounds ?? 'null'));
    };
    const inRange = (from: number, to: number, ...samples: string[]) => ({
      sample_id: { among: samples.map(digestOf).sort() },
      chromosome: { among: ['chr1'] },
      position: { from, to },
      gene: { among: [] },
    });

    test('an ingestion records what its files hold, and no id of a patient or sample', async () => {
      assert.deepEqual(await boundsOf('variant'), [inRange(10, 20, 'a'), inRange(70, 70, 'b')]);
      const [patients] = await boundsOf('patient');
      assert.equal(patients.patient_id.among.length, 2);
      assert.ok(patients.patient_id.among.every((digest: string) => /^[0-9a-f]{16}$/.test(digest)));
    });

    test('a statement does not open a file outside its conditions', async () => {
      const [first] = await presentFiles(records().read, project.id, 'variant');
      const key = first?.blob.key ?? '';
      const other = await TestProject.make(app.call, 'Without');
      for (const at of [10, 70]) await other.take(`${at}.vcf`, textOf(`s${at}`, at));
      const [gone] = await presentFiles(records().read, other.id, 'variant');
      assert.ok(gone && gone.blob.key !== key);
      await rm(join(app.folder, 'blobs', gone.blob.key.slice(0, 2), gone.blob.key));
      const within = "select sample_id from variant where chromosome = 'chr1' and position > 60";
      assert.deepEqual(await other.ask(within), ['s70']);
      const rows = await app.call('POST', '/v1/analytics/data-lake/rows', {
        body: { datasetId: other.id, query: within },
      });
      assert.deepEqual(rows.body.rows, [['s70']], rows.text);
    });

    test('a patient is found by the digest of the id, and no patient by another digest', async () => {
      const [id] = await project.ask('select min(patient_id) from demographic');
      const count = (patient: string) =>
        project.ask(`select count(*) from demographic where patient_id = '${patient}'`);
      assert.deepEqual([await count(id ?? ''), await count('nobody')], [['1'], ['0']]);
    });

    test('a sample is found by the digest of its name', async () => {
      const count = (sample: string) =>
        project.ask(`select count(*) from variant where sample_id = '${sample}'`);
      assert.deepEqual([await count('a'), await count('b'), await count('nobody')], [['2'], ['1'], ['0']]);
    });

    test('a moved file keeps its bounds, and a merged one has those of all its rows', async () => {
      const other = await TestProject.make(app.call, 'Moved');
      const body = { datasetId: other.id };
      assert.equal((await app.call('PATCH', `/v1/files/${files[1]}`, { body })).status, 200);
      assert.deepEqual(await boundsOf('variant'), [inRange(10, 20, 'a')]);
      assert.deepEqual(await boundsOf('variant', other.id), [inRange(70, 70, 'b')]);
      await project.take('d.vcf', textOf('d', 5));
      await project.take('e.vcf', textOf('e', 90));
      const jobs = quickJobs(records());
      await until(async () => {
        await queueCompactions(records(), jobs, { filesMin: 3, rowsMax: 1_000_000 });
        return (await boundsOf('variant')).length === 1;
      }, 'the files are merged');
      assert.deepEqual(await boundsOf('variant'), [inRange(5, 90, 'a', 'd', 'e')]);
      const count = 'select count(*) from variant where position between 15 and 25';
      assert.deepEqual(await project.ask(count), ['1']);
    });
  },
  { PLOIDY_COMPACTION_FILES: '3' },
);
