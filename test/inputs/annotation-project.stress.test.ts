import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { newId } from '../../packages/server/src/base/ids.ts';
import { sweepSegments } from '../../packages/server/src/domains/lake/catalogue/sweep.ts';
import { diskBlobs } from '../../packages/server/src/platform/blobs/index.ts';
import { describeOnPostgres } from '../support/app.ts';
import { until } from '../support/until.ts';
import { filledSegments } from './filled-segments.ts';
import { type Call, TestProject } from './project.ts';
import { fhirText, knownText, vcfText } from './texts.ts';

/** The project that annotates the whole service, as its host names it. */
const serviceId = newId();
const annotation = { type: 'annotation' };
const endless = 'select count(rs_id) from variant, range(100000000000000) t(i) where i % 7 = 3';

describeOnPostgres(
  'annotations of the whole service',
  (app) => {
    let known: TestProject;
    let project: TestProject;
    let elsewhere: TestProject;
    let elsewhereCall: Call;

    /** Two projects of two accounts, with the variants 1:1000, 1010 and 1020 A>G each. */
    before(async () => {
      const made = await TestProject.make(app.call, 'Known');
      // The id is the server's to choose; the setting is there before the service.
      await app.people.records.transact((tx) =>
        tx.updateTable('projects').set({ id: serviceId }).where('id', '=', made.id).execute(),
      );
      known = TestProject.at(app.call, serviceId);
      const { key, account } = await app.people.owner('elsewhere');
      elsewhereCall = (method, path, options) => app.call(method, path, { key, account, ...options });
      project = await TestProject.make(app.call, 'Own');
      elsewhere = await TestProject.make(elsewhereCall, 'Elsewhere');
      await project.take('s.vcf', vcfText('s', 3), { patientId: 'p1' });
      await elsewhere.take('t.vcf', vcfText('t', 3));
    });

    const know = (...records: string[]) => known.take('known.vcf', knownText(...records), annotation);
    const rows = (one: TestProject) =>
      one.ask('select position, rs_id, clinical_significance from variant order by position');
    const filled = async (one: TestProject): Promise<string[]> =>
      (await filledSegments(app.people.records, one.id)).map(({ annotations }) => annotations);
    /** The variants are filled, from other annotations than before. */
    const refilled = (one: TestProject, before: string[] = []) =>
      until(async () => {
        const now = await filled(one);
        return now.length === 1 && now[0] !== before[0];
      }, 'the variants are filled');

    test('annotations fill variants of all projects and accounts, present and later ones', async () => {
      await know('1000 A G rs1 CLNSIG=Benign');
      const all = ['1000,rs1,Benign', '1010,,', '1020,,'];
      for (const one of [project, elsewhere]) {
        assert.deepEqual(await rows(one), all);
        await refilled(one);
        assert.deepEqual(await rows(one), all);
      }
      const before = await filled(project);
      await know('1010 A G rs2');
      assert.deepEqual(await rows(project), ['1000,,', '1010,rs2,', '1020,,']);
      await refilled(project, before);
      assert.deepEqual(await rows(project), ['1000,,', '1010,rs2,', '1020,,']);
      const file = await project.take('late.vcf', vcfText('late', 2));
      const late = () =>
        project.ask("select position, rs_id from variant where sample_id = 'late' order by 1");
      assert.deepEqual(await late(), ['1000,', '1010,rs2']);
      await until(async () => (await filled(project)).length === 2, 'these are filled, too');
      assert.deepEqual(await late(), ['1000,', '1010,rs2']);
      assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    });

    test('a release that changed values is an event of each project with variants, once', async () => {
      const release = (date: string, significance: string) => {
        const facts = [
          `##fileDate=${date}`,
          '##source=ClinVar',
          '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="Clinical significance">',
        ];
        const text = knownText(`1000 A G . CLNSIG=${significance}`);
        return known.take(`${date}.vcf`, text.replace('\n', `\n${facts.join('\n')}\n`), annotation);
      };
      const announced = async (one: TestProject): Promise<number> =>
        (
          await app.people.records.read
            .selectFrom('audit_events')
            .select('sequence')
            .where('project_id', '=', one.id)
            .where('action', '=', 'annotations.release')
            .execute()
        ).length;
      const files = [await release('2026-10-01', 'Benign'), await release('2026-11-01', 'Pathogenic')];
      await until(
        async () => (await announced(project)) > 0 && (await announced(elsewhere)) > 0,
        'both projects have the event',
      );
      files.push(await release('2026-12-01', 'Pathogenic'));
      for (const one of [known, project, elsewhere]) assert.equal(await announced(one), 1);
      for (const file of files) assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    });

    test('annotations of a project win over those of the service, in any order', async () => {
      const before = await filled(project);
      const own = await project.take(
        'own.vcf',
        knownText('1000 A G rs7', '1010 A G . CLNSIG=Pathogenic'),
        annotation,
      );
      await know('1000 A G rs1 CLNSIG=Benign', '1010 A G rs2 CLNSIG=Benign');
      const all = ['1000,rs7,Benign', '1010,rs2,Pathogenic', '1020,,'];
      assert.deepEqual(await rows(project), all);
      await refilled(project, before);
      assert.deepEqual(await rows(project), all);
      assert.deepEqual(await rows(elsewhere), ['1000,rs1,Benign', '1010,rs2,Benign', '1020,,']);
      assert.equal((await app.call('DELETE', `/v1/files/${own}`)).status, 204);
      assert.deepEqual(await rows(project), await rows(elsewhere));
    });

    test('the annotation project reveals nothing else, and is annotated by its own files', async () => {
      await know('1000 A G rs1');
      await known.take('secret.vcf', vcfText('secret', 5));
      await known.take('secret.ndjson', fhirText('secret', 2));
      assert.deepEqual(await project.ask('select distinct sample_id from variant'), ['s']);
      assert.equal(await project.count('patient'), 0);
      for (const name of ['_annotation', '_annotated', 'patient']) {
        const body = { query: `select * from ${name}`, datasetId: project.id, outputFileName: 'a.csv' };
        const reply = await app.call('POST', '/v1/analytics/data-lake/query', { body });
        assert.equal(reply.status, 400, name);
      }
      for (const path of [`projects/${serviceId}`, `analytics/data-lake/schema?datasetId=${serviceId}`])
        assert.equal((await elsewhereCall('GET', `/v1/${path}`)).status, 404, path);
      assert.deepEqual(await known.ask('select position, rs_id from variant order by 1 limit 2'), [
        '1000,rs1',
        '1010,',
      ]);
    });

    test('masked callers see the attributes of an allele, but not its carriers', async () => {
      await know('1000 A G rs1');
      const reader = await app.people.member(app.account, ['readMaskedData'], {
        'resource.dataset': { comparison: 'equals', value: project.id },
      });
      const masked = project.as((method, path, options) =>
        app.call(method, path, { key: reader.key, ...options }),
      );
      const look = "select sample_id, rs_id from variant where rs_id = 'rs1'";
      assert.match((await masked.ask(look)).join(), /^[0-9a-f]{32},rs1$/);
    });

    test('cohorts are counted again when they change', async () => {
      await know('1000 A G rs1 CLNSIG=Benign');
      const sql = `select s.patient_id from variant v join sequence s on s.id = v.sample_id
        where v.clinical_significance = 'Pathogenic'`;
      const queries = [{ project: project.id, queryType: 'sql', query: { sql } }];
      const body = { name: 'Pathogenic', ownerProject: project.id, queries };
      const made = await app.call('POST', '/v1/cohorts', { body });
      assert.equal(made.body.resultCount, 0, made.text);
      const count = async () => (await app.call('GET', `/v1/cohorts/${made.body.id}`)).body.resultCount;
      await know('1000 A G rs1 CLNSIG=Pathogenic');
      assert.equal(await count(), 1);
      await know('1000 A G rs1');
      assert.equal(await count(), 0);
    });

    test('a query that runs in another project keeps the files that it reads', async () => {
      await know('1000 A G rs1');
      const { records } = app.people;
      const query = await project.startQuery(endless);
      const held = await records.read
        .selectFrom('segments')
        .select('blob_key')
        .where('project_id', '=', serviceId)
        .where('table_name', '=', '_annotation')
        .where('removed_version', 'is', null)
        .executeTakeFirstOrThrow();
      await know('1000 A G rs2');
      const long = Date.now() - 3_600_000;
      await records.transact(async (tx) => {
        await tx
          .updateTable('queries')
          .set({ started_at: long - 1 })
          .where('id', '=', query)
          .execute();
        await tx
          .updateTable('segments')
          .set({ removed_at: long })
          .where('removed_at', 'is not', null)
          .execute();
      });
      const blobs = await diskBlobs({ folder: join(app.folder, 'blobs'), records: app.people.records });
      const path = join(app.folder, 'blobs', held.blob_key.slice(0, 2), held.blob_key);
      await sweepSegments(records, blobs, new AbortController().signal);
      assert.ok(existsSync(path), 'held by the query');
      assert.equal((await project.cancelQuery(query)).status, 200);
      await sweepSegments(records, blobs, new AbortController().signal);
      assert.ok(!existsSync(path), 'no row names it');
    });

    test('annotations end with their project, and those of other projects stay', async () => {
      await know('1000 A G rs1', '1010 A G rs2');
      await project.take('own.vcf', knownText('1010 A G rs9'), annotation);
      assert.equal((await app.call('DELETE', `/v1/projects/${serviceId}?force=true`)).status, 204);
      assert.deepEqual(await rows(project), ['1000,,', '1010,rs9,', '1020,,']);
      assert.deepEqual(await rows(elsewhere), ['1000,,', '1010,,', '1020,,']);
      const left = () =>
        app.people.records.read
          .selectFrom('segments')
          .select('id')
          .where('project_id', '=', serviceId)
          .execute();
      await until(async () => (await left()).length === 0, 'its rows are removed');
      assert.deepEqual(await rows(project), ['1000,,', '1010,rs9,', '1020,,']);
    });
  },
  { PLOIDY_ANNOTATION_PROJECT: serviceId },
);
