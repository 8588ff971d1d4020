import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { vcfHeader } from '../../../../../../test/inputs/texts.ts';
import { describeApp, describeOnSqlite, type Reply } from '../../../../../../test/support/app.ts';

const root = '/ga4gh/beacon/v2';
const records = (lines: string[]): string => lines.map((line) => `${line}\tGT\t0/1\n`).join('');
const vcf = (sample: string, ...lines: string[]): string => vcfHeader(sample) + records(lines);
const shared = '1\t100\t.\tA\tG\t50\tPASS\t.';
const rare = '1\t200\t.\tCTT\tC\t50\tPASS\t.';

describeApp(
  'the Beacon',
  (app) => {
    before(async () => {
      const one = await TestProject.make(app.call, 'Beacon one');
      await one.take('s1.vcf', vcf('s1', shared, rare), { patientId: 'p-1', genomeBuild: 'GRCh38' });
      await one.take('s2.vcf', vcf('s2', shared), { patientId: 'p-2', genomeBuild: 'GRCh38' });
      const two = await TestProject.make(app.call, 'Beacon two');
      await two.take('t.vcf', vcf('t', shared, '2\t9\t.\tA\tC\t.\t.\t.'));
    });

    const ask = (query: string, key: string | undefined = app.key): Promise<Reply> =>
      app.call('GET', `${root}/g_variants?requestedGranularity=count&${query}`, { key });
    const count = async (query: string, key?: string): Promise<number> => {
      const { status, body, text } = await ask(query, key);
      assert.equal(status, 200, text);
      assert.equal(body.responseSummary.exists, body.responseSummary.numTotalResults > 0);
      return body.responseSummary.numTotalResults;
    };
    const allele = 'referenceName=chr1&start=99&referenceBases=A&alternateBases=G';
    const deletion = 'referenceName=1&start=199&referenceBases=CTT&alternateBases=C';

    test('alleles, ranges and brackets are found by positions from 0, each allele once', async () => {
      assert.equal(await count(allele), 1);
      assert.equal(await count(allele.replace('99', '100')), 0);
      assert.equal(await count('referenceName=1&start=198&referenceBases=GCTT&alternateBases=GC'), 1);
      assert.equal(await count('referenceName=1&start=0&end=1000'), 2);
      assert.equal(await count('referenceName=1&start=201&end=202'), 1);
      assert.equal(await count('referenceName=1&start=202&end=300'), 0);
      assert.equal(await count('referenceName=1&start=190,199&end=200,210'), 1);
      assert.equal(await count(`${allele}&assemblyId=hg38`), 1);
      assert.equal(await count('referenceName=2&start=0&end=99&assemblyId=GRCh38'), 0);
      assert.equal(await count('geneId=BRAF'), 0);
    });

    test('a base may be any, and a build may have a patch; an unknown build is refused', async () => {
      const any = allele.replace('alternateBases=G', 'alternateBases=N');
      for (const [search, found] of [
        [any, 1],
        [any.replace('referenceBases=A', 'referenceBases=R'), 1],
        [any.replace('referenceBases=A', 'referenceBases=Y'), 0],
        [any.replace('&referenceBases=A', ''), 1],
        [`${allele}&assemblyId=GRCh38.p13`, 1],
        [`${allele}&assemblyId=GRCh37.p13`, 0],
      ] as const)
        assert.equal(await count(search), found, search);
      const unknown = await app.call('GET', `${root}/g_variants?${allele}&assemblyId=GRCm39`);
      assert.equal(unknown.status, 400);
    });

    test('filters restrict the patients of the samples, whose diagnoses are not ruled out', async () => {
      const project = await TestProject.make(app.call, 'Filtered');
      const seizure = { system: 'http://human-phenotype-ontology.org', code: 'HP:0001250' };
      const person = (id: string, gender: string, verification?: string) => {
        const verificationStatus = verification && { coding: [{ code: verification }] };
        const condition = {
          resourceType: 'Condition',
          id: `c-${id}`,
          subject: { reference: `Patient/${id}` },
        };
        return [
          { resourceType: 'Patient', id, gender },
          {
            ...condition,
            code: { coding: [{ code: 'local' }, seizure] },
            ...(verification && { verificationStatus }),
          },
        ];
      };
      const people = [
        person('f-1', 'female'),
        person('f-2', 'female', 'refuted'),
        person('f-3', 'male', 'confirmed'),
      ];
      await project.take(
        'people.ndjson',
        people
          .flat()
          .map((one) => JSON.stringify(one))
          .join('\n'),
      );
      for (const [at, position] of [700, 800, 900].entries())
        await project.take(`f${at}.vcf`, vcf(`f${at}`, `9\t${position}\t.\tA\tG\t.\t.\t.`), {
          patientId: `f-${at + 1}`,
        });
      const range = 'referenceName=9&start=0&end=1000';
      for (const [filters, found] of [
        ['', 3],
        ['&filters=HP:0001250', 2],
        ['&filters=NCIT:C16576', 2],
        ['&filters=HP:0001250,NCIT:C16576', 1],
        ['&filters=HP:0001251', 0],
      ] as const)
        assert.equal(await count(`${range}${filters}`), found, filters);
      const masked = await app.people.member(app.account, ['readMaskedData']);
      assert.equal(await count(`${range}&filters=NCIT:C16576`, masked.key), 0, 'each has one carrier');
      const terms = (await app.call('GET', `${root}/filtering_terms`)).body.response;
      assert.ok(
        terms.resources.some(({ namespacePrefix }: { namespacePrefix: string }) => namespacePrefix === 'HP'),
      );
    });

    test('the default granularity is boolean, and a body finds what a query finds', async () => {
      const plain = await app.call('GET', `${root}/g_variants?${allele}`);
      assert.deepEqual(plain.body.responseSummary, { exists: true });
      assert.equal(plain.body.meta.returnedGranularity, 'boolean');
      const requestParameters = { referenceName: '1', start: [0], end: [1000] };
      const { body } = await app.call('POST', `${root}/g_variants`, {
        body: { query: { requestParameters, requestedGranularity: 'record' } },
      });
      assert.deepEqual(body.responseSummary, { exists: true, numTotalResults: 2 });
      assert.equal(body.meta.returnedGranularity, 'count');
    });

    test('a caller counts in visible rows only, and small masked counts are withheld', async () => {
      const rule = { 'resource.subject': { comparison: 'equals', value: 'p-2' } };
      const some = await app.people.member(app.account, ['readData'], rule);
      assert.deepEqual([await count(allele, some.key), await count(deletion, some.key)], [1, 0]);
      const masked = await app.people.member(app.account, ['readMaskedData']);
      assert.deepEqual([await count(allele, masked.key), await count(deletion, masked.key)], [1, 0]);
      const nobody = await app.people.member(app.account, ['createData']);
      const stranger = await app.people.owner(`beacon-${app.account}`.slice(0, 32));
      for (const { key } of [nobody, stranger]) assert.equal(await count(allele, key), 0);
      const events = await app.call('GET', `/v1/audit-events?action=lake.rows&user=${some.userId}`);
      assert.ok(events.body.items.length > 0);
      const anonymous = await app.call('GET', `${root}/g_variants?${allele}`, { key: undefined });
      assert.equal(anonymous.status, 401);
    });

    test('searches that are none of the kinds offered are refused in the form of the standard', async () => {
      for (const query of [
        '',
        'referenceName=1',
        'start=5',
        'referenceName=1&start=5',
        'geneId=BRAF&filters=x',
        'geneId=BRAF&filters=NOPE:1',
        'variantType=DEL',
      ])
        assert.equal((await ask(query)).status, 400, query);
      const { body } = await ask('referenceName=1&start=9&end=5');
      assert.equal(body.error.errorCode, 400);
      const body1 = {
        query: {
          requestParameters: { geneId: 'BRAF' },
          filters: [{ id: 'NCIT:C16576', includeDescendantTerms: true }],
        },
      };
      assert.equal((await app.call('POST', `${root}/g_variants`, { body: body1 })).status, 400);
    });

    test('documents of the Beacon name the version, the entry type and its address', async () => {
      for (const name of ['info', 'map', 'configuration', 'entry_types', 'filtering_terms']) {
        const { status, body } = await app.call('GET', `${root}/${name}`);
        assert.equal(status, 200, name);
        assert.equal(body.meta.apiVersion, 'v2.0.0');
        assert.ok(body.response, name);
      }
      const [atRoot, info] = await Promise.all(
        ['', '/info'].map((path) => app.call('GET', `${root}${path}`)),
      );
      assert.deepEqual([atRoot?.status, atRoot?.body], [200, info?.body]);
      const { body } = await app.call('GET', `${root}/service-info`);
      assert.deepEqual(body.type, { group: 'org.ga4gh', artifact: 'beacon', version: 'v2.0.0' });
    });

    test('a boolean search asks no more projects once one has the allele', async () => {
      const line = '3\t7\t.\tA\tT\t.\t.\t.';
      for (let number = 0; number < 5; number += 1) {
        const project = await TestProject.make(app.call, `Equal ${number}`);
        await project.take('e.vcf', vcf(`e${number}`, line), { genomeBuild: 'NCBI36' });
      }
      const reader = await app.people.member(app.account, ['readData']);
      const { body } = await app.call(
        'GET',
        `${root}/g_variants?referenceName=3&start=6&referenceBases=A&alternateBases=T&assemblyId=NCBI36`,
        { key: reader.key },
      );
      assert.deepEqual(body.responseSummary, { exists: true });
      const events = await app.call('GET', `/v1/audit-events?action=lake.rows&user=${reader.userId}`);
      assert.ok(events.body.items.length <= 3, `${events.body.items.length} of 5 projects were asked`);
    });

    test('single resources of FHIR are withheld from readers of masked values', async () => {
      const { id } = await TestProject.make(app.call, 'No small counts');
      const { key } = await app.people.member(app.account, ['readMaskedData']);
      const reply = await app.call('GET', `/${app.account}/v1/fhir/${id}/Patient?_summary=count`, { key });
      assert.deepEqual([reply.status, reply.body.issue[0].diagnostics], [403, 'SMALL_COUNTS_ONLY']);
    });
  },
  { PLOIDY_BEACON: 'true', PLOIDY_SMALL_COUNTS_MIN: '2' },
);

describeOnSqlite(
  'a Beacon whose time is over',
  (app) => {
    test('answers that it is, and not what a part of the projects has', async () => {
      const project = await TestProject.make(app.call, 'Late');
      await project.take('s.vcf', vcf('s', shared));
      for (const granularity of ['boolean', 'count']) {
        const { status, body } = await app.call(
          'GET',
          `${root}/g_variants?requestedGranularity=${granularity}&referenceName=1&start=0&end=1000`,
        );
        assert.deepEqual([status, body.code, body.error.errorCode], [503, 'BEACON_TIME', 503]);
      }
    });
  },
  { PLOIDY_BEACON: 'true' },
  { beaconTimeMs: 0 },
);

describeOnSqlite('a service without the setting', (app) => {
  test('a service without the setting has no Beacon', async () => {
    for (const path of ['info', 'g_variants?geneId=BRAF'])
      assert.equal((await app.call('GET', `${root}/${path}`)).status, 404);
  });
});
