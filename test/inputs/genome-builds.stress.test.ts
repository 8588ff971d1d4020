import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { newId } from '../../packages/server/src/base/ids.ts';
import { describeOnSqlite } from '../support/app.ts';
import { until } from '../support/until.ts';
import { filledSegments } from './filled-segments.ts';
import { TestProject } from './project.ts';
import { knownText, omicTexts, vcfText } from './texts.ts';

const serviceId = newId();
const annotation = { type: 'annotation' };
/** Adds a header that names the genome build. */
const on = (build: string, text: string): string =>
  text.replace('##fileformat=VCFv4.3\n', `##fileformat=VCFv4.3\n##reference=${build}\n`);
const known = (build: string, ...records: string[]): string => on(build, knownText(...records));
const variants = (build: string, sample: string): string => on(build, vcfText(sample, 2));

describeOnSqlite(
  'builds of the genome',
  (app) => {
    let project: TestProject;
    let rounds = 0;

    before(async () => {
      const made = await TestProject.make(app.call, 'Known');
      // The id is the server's to choose; the setting is there before the service.
      await app.people.records.transact((tx) =>
        tx.updateTable('projects').set({ id: serviceId }).where('id', '=', made.id).execute(),
      );
    });
    const begin = async (): Promise<void> => {
      rounds += 1;
      project = await TestProject.make(app.call, `Builds ${rounds}`);
    };
    const ingest = async (name: string, text: string, options: object = {}) => {
      const end = await project.ingest(await project.upload(name, text), options);
      assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
      return { ...end, messages: end.warnings.map(({ message }) => message) };
    };
    const rows = () =>
      project.ask('select sample_id, position, rs_id from variant order by sample_id, position');
    const variantFiles = async (): Promise<number> => {
      const found = await app.people.records.read
        .selectFrom('segments')
        .select('blob_key')
        .distinct()
        .where('project_id', '=', project.id)
        .where('table_name', '=', 'variant')
        .where('removed_version', 'is', null)
        .execute();
      return found.length;
    };
    const filledFiles = async (): Promise<number> =>
      (await filledSegments(app.people.records, project.id)).length;
    const untilFilled = (count: number) =>
      until(async () => (await filledFiles()) === count, `${count} files are filled`);

    test('an annotation of one build never fills variants of another, neither joined nor filled', async () => {
      await begin();
      await ingest('old.vcf', variants('hg19', 'old'));
      await ingest('new.vcf', variants('GRCh38', 'new'));
      await ingest('some.vcf', vcfText('some', 2));
      const end = await ingest('known.vcf', known('GRCh38', '1000 A G rs38'), annotation);
      assert.deepEqual(end.messages, [
        'The annotation is on GRCh38: it does not annotate the variants of the project on GRCh37.',
      ]);
      const first = ['new,1000,rs38', 'new,1010,', 'old,1000,', 'old,1010,', 'some,1000,rs38', 'some,1010,'];
      assert.deepEqual(await rows(), first);
      await untilFilled(2);
      assert.deepEqual(await rows(), first);
      await ingest('older.vcf', known('hg19', '1000 A G rs37', '1010 A G rs5'), annotation);
      const both = [
        'new,1000,rs38',
        'new,1010,',
        'old,1000,rs37',
        'old,1010,rs5',
        // A file without a build may have either; the newest counts.
        'some,1000,rs37',
        'some,1010,rs5',
      ];
      assert.deepEqual(await rows(), both);
      await untilFilled(3);
      assert.deepEqual(await rows(), both);
    });

    test('merging keeps the builds apart', async () => {
      await begin();
      await ingest('known.vcf', known('GRCh38', '1000 A G rs38'), annotation);
      for (const sample of ['a', 'b', 'c']) {
        await ingest(`${sample}37.vcf`, variants('GRCh37', `${sample}37`));
        await ingest(`${sample}38.vcf`, variants('GRCh38', `${sample}38`));
      }
      await until(async () => (await variantFiles()) === 2, 'the variants are in a file for each build');
      const named = () => project.ask('select sample_id from variant where rs_id is not null order by 1');
      assert.deepEqual(await named(), ['a38', 'b38', 'c38']);
      await untilFilled(1);
      assert.deepEqual(await named(), ['a38', 'b38', 'c38']);
    });

    test('an ingestion reports its build, and warns where the project holds another', async () => {
      await begin();
      const first = await ingest('a.vcf', variants('hg19', 'a'));
      assert.deepEqual([(first as { genomeBuild?: string }).genomeBuild, first.messages], ['GRCh37', []]);
      const second = await ingest('b.vcf', variants('GRCh38', 'b'));
      assert.equal((second as { genomeBuild?: string }).genomeBuild, 'GRCh38');
      assert.equal(second.messages.length, 1);
      assert.match(second.messages[0] ?? '', /on GRCh38, others of the project on GRCh37/);
      // Ingesting the file again replaces its own rows.
      const again = await ingest('a.vcf', variants('GRCh38', 'a'));
      assert.deepEqual(again.messages, []);
      const third = await ingest('c.tsv', omicTexts.copynumber('c'), { genomeBuild: 'GRCh37' });
      assert.equal(third.messages.length, 1);
    });

    test('a build of the request counts for a file without one, and fails an ingestion that contradicts it', async () => {
      await begin();
      const reported = await ingest('a.vcf', vcfText('a', 2), { genomeBuild: 'GRCh37' });
      assert.equal((reported as { genomeBuild?: string }).genomeBuild, 'GRCh37');
      await ingest('known.vcf', known('GRCh38', '1000 A G rs38'), annotation);
      assert.deepEqual(await rows(), ['a,1000,', 'a,1010,']);
      const file = await project.upload('b.vcf', variants('hg38', 'b'));
      const end = await project.ingest(file, { genomeBuild: 'GRCh37' });
      assert.deepEqual(
        [end.state, end.error?.message],
        [
          'failed',
          'The positions of the file are on GRCh38, but the request names GRCh37. Omit genomeBuild, or correct the file.',
        ],
      );
      const refused = await app.call('POST', '/v1/ingestions', {
        body: { datasetId: project.id, fileId: file, genomeBuild: 'mm10' },
      });
      assert.deepEqual([refused.status, refused.body.details[0].path], [400, 'body/genomeBuild']);
    });

    test('rows keep their build when their file moves into another project', async () => {
      await begin();
      const fileId = await project.take('a.vcf', variants('hg19', 'a'));
      await begin();
      const moved = await app.call('PATCH', `/v1/files/${fileId}`, { body: { datasetId: project.id } });
      assert.equal(moved.status, 200, moved.text);
      await ingest('known.vcf', known('GRCh38', '1000 A G rs38'), annotation);
      assert.deepEqual(await rows(), ['a,1000,', 'a,1010,']);
      await ingest('older.vcf', known('GRCh37', '1000 A G rs37'), annotation);
      assert.deepEqual(await rows(), ['a,1000,rs37', 'a,1010,']);
    });

    test('annotations of the service fill only variants on their build, and an ingestion of another reports it', async () => {
      const service = TestProject.at(app.call, serviceId);
      await service.take('known.vcf', known('GRCh38', '1000 A G rs38'), annotation);
      await begin();
      const old = await ingest('a.vcf', variants('hg19', 'a'));
      assert.deepEqual(old.messages, [
        'Annotations on GRCh38 do not annotate the variants of this file, which are on GRCh37.',
      ]);
      await begin();
      assert.deepEqual((await ingest('b.vcf', variants('hg38', 'b'))).messages, []);
      assert.deepEqual(await rows(), ['b,1000,rs38', 'b,1010,']);
    });
  },
  { PLOIDY_COMPACTION_FILES: '3', PLOIDY_ANNOTATION_PROJECT: serviceId },
);
