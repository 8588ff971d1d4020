import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { describeOnSqlite } from '../support/app.ts';
import { sharedData, sharedDataSkip } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { filledSegments } from './filled-segments.ts';
import { TestProject } from './project.ts';
import { knownText, vcfHeader, vcfText } from './texts.ts';

const clinVar = (significance: string) =>
  `ALLELEID=7;CLNSIG=${significance};CLNREVSTAT=practice_guideline;CLNDN=A_disease`;
const annotation = { type: 'annotation' };

describeOnSqlite('annotation files', (app) => {
  let project: TestProject;
  let rounds = 0;

  /** A project of its own, with three variants (1:1000, 1010, 1020 A>G) and one that has values of its own. */
  const begin = async (): Promise<void> => {
    rounds += 1;
    project = await TestProject.make(app.call, `Annotations ${rounds}`);
    await project.take('s.vcf', vcfText('s', 3));
  };
  const rows = (columns: string) =>
    project.ask(`select position, ${columns} from variant order by position, sample_id`);
  const remove = async (fileId: string) =>
    assert.equal((await app.call('DELETE', `/v1/files/${fileId}`)).status, 204);
  const filledCount = async (): Promise<number> =>
    (await filledSegments(app.people.records, project.id)).length;
  const untilFilled = (count: number) =>
    until(async () => (await filledCount()) === count, `${count} segments are filled`);

  test('an annotation counts for existing and for later variants, at once and when they are filled', async () => {
    await begin();
    const file = await project.upload(
      'clinvar.vcf',
      knownText(`999 TA TG 42 ${clinVar('Pathogenic')}`, '1010 A C rs5'),
    );
    const end = await project.ingest(file, annotation);
    assert.deepEqual([end.state, end.progress.rows], ['succeeded', 2]);
    const columns =
      'clinical_significance, clinical_review, clinical_disease, clinvar_allele_id, clinical_submission, rs_id';
    const known = '1000,Pathogenic,practice_guideline,A disease,7,42,';
    assert.deepEqual(await rows(columns), [known, '1010,,,,,,', '1020,,,,,,']);
    await untilFilled(1);
    assert.deepEqual(await rows(columns), [known, '1010,,,,,,', '1020,,,,,,']);
    await project.take('t.vcf', vcfText('t', 1));
    assert.deepEqual(await rows(columns), [known, known, '1010,,,,,,', '1020,,,,,,']);
    await untilFilled(2);
    const reported = await project.ask('select sample_id, clinical_significance from variant order by all');
    assert.deepEqual(reported, ['s,Pathogenic', 's,', 's,', 't,Pathogenic']);
    const schema = await app.call('GET', `/v1/analytics/data-lake/schema?datasetId=${project.id}`);
    assert.deepEqual(
      schema.body.schemas.map((one: { table: string }) => one.table),
      ['annotation_source', 'sequence', 'variant', 'variant_call'],
    );
  });

  test('values of the file itself win, then those of the newest annotation', async () => {
    await begin();
    const record = '1\t1000\trs1\tA\tG\t50\tPASS\tgnomADg_AF=0.25\tGT\t0/1\n';
    await project.take('s.vcf', vcfHeader('s') + record);
    await project.take('first.vcf', knownText('1000 A G rs2 AF=0.5;CLNSIG=Benign;ALLELEID=1'), annotation);
    await project.take('last.vcf', knownText('1000 A G rs3 CLNSIG=Pathogenic'), annotation);
    const columns =
      'rs_id, population_allele_frequency, maximum_allele_frequency, clinical_significance, clinvar_allele_id';
    const all = ['1000,rs1,0.25,0.25,Pathogenic,1'];
    assert.deepEqual(await rows(columns), all);
    await untilFilled(1);
    assert.deepEqual(await rows(columns), all);
  });

  test('values of an annotation are removed and changed with its file, in one step', async () => {
    await begin();
    const file = await project.take(
      'a.vcf',
      knownText(`1000 A G rs1 ${clinVar('Benign')}`, '1010 A G rs2'),
      annotation,
    );
    await project.take('b.vcf', knownText('1010 A G rs3', '1020 A G rs4'), annotation);
    assert.deepEqual(await rows('rs_id'), ['1000,rs1', '1010,rs3', '1020,rs4']);
    await untilFilled(1);
    await project.take('a.vcf', knownText('1020 A G rs9'), annotation);
    assert.deepEqual(await rows('rs_id, clinical_significance'), ['1000,,', '1010,rs3,', '1020,rs9,']);
    await remove(file);
    assert.deepEqual(await rows('rs_id'), ['1000,', '1010,rs3', '1020,rs4']);
    await untilFilled(1);
    assert.deepEqual(await rows('rs_id'), ['1000,', '1010,rs3', '1020,rs4']);
    await remove(await project.take('b.vcf', knownText('1 A G rs1'), annotation));
    assert.deepEqual(await rows('rs_id'), ['1000,', '1010,', '1020,']);
    await untilFilled(0);
  });

  test('an annotation that failed or was cancelled fills nothing', async () => {
    await begin();
    const broken = await project.upload('broken.vcf', `${knownText('1000 A G rs1')}chr1\tfive\n`);
    const failed = await project.ingest(broken, annotation);
    assert.deepEqual([failed.state, failed.error?.line], ['failed', 4]);
    const known = Array.from({ length: 50_000 }, (_, index) => `chr1\t${1000 + index}\trs1\tA\tG\t.\t.\t.\n`);
    const large = await project.upload('large.vcf', knownText('1 A G rs1') + known.join(''));
    const id = await project.startIngestion(large, annotation);
    const cancelled = await app.call('DELETE', `/v1/ingestions/${id}`);
    assert.equal(cancelled.status, 204, cancelled.text);
    assert.deepEqual(await rows('rs_id'), ['1000,', '1010,', '1020,']);
    assert.equal(await filledCount(), 0);
  });

  test('masked callers see the attributes of an allele, but not its carriers', async () => {
    await begin();
    await project.take('a.vcf', knownText(`1000 A G rs1 ${clinVar('Benign')}`), annotation);
    const reader = await app.people.member(app.account, ['readMaskedData']);
    const masked = project.as((method, path, options) =>
      app.call(method, path, { key: reader.key, ...options }),
    );
    const look = "select sample_id, rs_id, clinical_significance from variant where rs_id = 'rs1'";
    const [row] = await masked.ask(look);
    assert.match(row ?? '', /^[0-9a-f]{32},rs1,Benign$/);
    await untilFilled(1);
    assert.deepEqual(await masked.ask(look), [row]);
  });

  test('samples and patients of an annotation are refused, each by name', async () => {
    const fileId = await project.upload('a.vcf', knownText('1000 A G rs1'));
    const body = { datasetId: project.id, fileId, type: 'annotation', patientId: 'p', testType: 't' };
    const reply = await app.call('POST', '/v1/ingestions', { body });
    assert.equal(reply.status, 400);
    assert.deepEqual(
      reply.body.details.map(({ path }: { path: string }) => path),
      ['body/patientId', 'body/testType'],
    );
  });

  test('an annotation of another project fills nothing here, and a moved one fills its new project', async () => {
    await begin();
    const here = project;
    const file = await project.take('a.vcf', knownText('1000 A G rs1'), annotation);
    await begin();
    const there = project;
    const ids = (one: TestProject) =>
      one.ask("select coalesce(rs_id, 'none') from variant order by position limit 1");
    assert.deepEqual([await ids(here), await ids(there)], [['rs1'], ['none']]);
    const moved = await app.call('PATCH', `/v1/files/${file}`, { body: { datasetId: there.id } });
    assert.equal(moved.status, 200, moved.text);
    assert.deepEqual([await ids(here), await ids(there)], [['none'], ['rs1']]);
  });

  test('ClinVar annotates the variants of its own alleles as it would say itself', {
    skip: sharedDataSkip,
  }, async () => {
    const bytes = readFileSync(sharedData('vcf/vep_clinvar_testset.vcf.gz'));
    const records = gunzipSync(bytes)
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('\t'));
    await begin();
    // Equal alleles, written with a shared base before and after.
    const lines = records.map(([chromosome, position, , reference, alternate]) =>
      [
        chromosome,
        Number(position) - 1,
        '.',
        `N${reference}N`,
        `N${alternate}N`,
        '.',
        '.',
        '.',
        'GT',
        '1/1',
      ].join('\t'),
    );
    await project.take('s.vcf', `${vcfHeader('s')}${lines.join('\n')}\n`);
    await project.take('clinvar.vcf.gz', bytes, annotation);
    const known = records.map((record) => {
      const info = new Map((record[7] ?? '').split(';').map((one) => one.split('=') as [string, string]));
      return [
        info.get('ALLELEID'),
        record[2],
        info.has('RS') ? `rs${info.get('RS')}` : '',
        info.get('CLNSIG') ?? '',
      ].join('|');
    });
    const columns =
      "clinvar_allele_id || '|' || clinical_submission || '|' || coalesce(rs_id, '') || '|' || coalesce(clinical_significance, '')";
    const look = `select ${columns} from variant order by clinvar_allele_id::bigint`;
    const found = await project.ask(look);
    const sorted = known.toSorted((left, right) => Number.parseInt(left, 10) - Number.parseInt(right, 10));
    assert.deepEqual(
      found.map((line) => line.replaceAll('"', '')),
      sorted,
    );
    await untilFilled(1);
    assert.deepEqual(
      (await project.ask(look)).map((line) => line.replaceAll('"', '')),
      sorted,
    );
  });
});
