/** Files that each reader of the lake opens: those that may hold its rows, and of each other table one. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Blobs } from '../../packages/server/src/platform/blobs/index.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { describeApp, openTestApp, type Reply, type TestApp } from '../support/app.ts';
import { type S3Server, startS3 } from '../support/s3/server.ts';
import { until } from '../support/until.ts';

const genes = ['TP53', 'KRAS', 'EGFR', 'BRAF'];

/** VCF of a sample with one annotated record in a gene. */
const annotated = (sample: string, gene: string): string =>
  [
    '##fileformat=VCFv4.3',
    '##contig=<ID=1>',
    '##INFO=<ID=ANN,Number=.,Type=String,Description="Annotations">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}`,
    `1\t1000\t.\tA\tG\t50\tPASS\tANN=G|missense_variant|MODERATE|${gene}|${gene}|transcript|NM_1|protein_coding|1/1|c.1A>G|p.Lys2Glu|||||\tGT\t0/1\n`,
  ].join('\n');

function readerTests(app: TestApp): void {
  let project: TestProject;
  let cohort: string;
  const opened = new Set<string>();
  let restore: () => void;

  before(async () => {
    project = await TestProject.make(app.call, 'Readers');
    for (const [at, gene] of genes.entries()) {
      await project.take(`p${at}.ndjson`, fhirText(`p${at}`, 2, 1));
      await project.take(`s${at}.vcf`, annotated(`s${at}`, gene), { patientId: `p${at}-0` });
    }
    const body = { name: 'One', ownerProject: project.id, subjectIds: ['p0-0'] };
    cohort = (await app.call('POST', '/v1/cohorts', { body })).body.id;
    const blobs = app.app.core.blobs as { -readonly [Name in keyof Blobs]: Blobs[Name] };
    const { withLocal } = blobs;
    blobs.withLocal = (some, work, options) => {
      for (const { key } of some) opened.add(key);
      return withLocal.call(blobs, some, work, options) as ReturnType<typeof work>;
    };
    restore = () => {
      blobs.withLocal = withLocal;
    };
  });
  after(() => restore?.());

  /** Runs work; returns the number of files that it opened, by table. */
  async function openedBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
    opened.clear();
    await work();
    const files = await app.app.core.records.read
      .selectFrom('lake_files')
      .select(['key', 'table_name as table'])
      .where('project_id', '=', project.id)
      .where('key', 'in', [...opened])
      .execute();
    const byTable = Map.groupBy(files, ({ table }) => table);
    const counts = [...byTable].map(([table, of]) => [table, new Set(of.map(({ key }) => key)).size]);
    return Object.fromEntries(counts);
  }

  async function sent(method: string, path: string, body?: object, headers = {}): Promise<Reply> {
    const reply = await app.call(method, path, { headers, ...(body && { body }) });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply;
  }

  /** Waits for the files of an export. */
  async function exported(reply: Reply): Promise<void> {
    const place = new URL(reply.headers.get('content-location') ?? '').pathname;
    await until(async () => (await app.call('GET', place)).status === 200, place);
  }

  const study = (aggregate: object, filter?: object) =>
    sent('POST', '/v1/analytics/study/query', {
      ...{ datasetId: project.id, unit: 'sample', aggregates: [{ id: 'a', ...aggregate }] },
      ...(filter && { filter }),
    });
  const ofEgfr = { alteration: { genes: ['EGFR'] } };

  /** Work of each reader, with the files that it may open of these tables. */
  const readers: Record<string, [work: () => Promise<unknown>, expected: Record<string, number>]> = {
    'a query of SQL': [() => project.ask("SELECT count(*) FROM variant WHERE gene = 'KRAS'"), { variant: 1 }],
    'a query about a cohort': [
      () =>
        project.ask(
          `SELECT id FROM observation WHERE patient_id IN (SELECT patient_id FROM cohort WHERE cohort_id = '${cohort}')`,
        ),
      { observation: 1, cohort: 1 },
    ],
    'rows of SQL': [
      () =>
        sent('POST', '/v1/analytics/data-lake/rows', {
          ...{ datasetId: project.id, query: "SELECT id FROM observation WHERE patient_id = 'p2-1'" },
        }),
      { observation: 1 },
    ],
    analytics: [
      () =>
        sent('POST', '/v1/analytics/dsl', {
          ...{
            datasetId: project.id,
            query: {
              target: 'variant',
              where: { patient: { variants: { gene: { operator: 'eq', value: 'TP53' } } } },
            },
          },
        }),
      { variant: 1 },
    ],
    'a cohort by SQL': [
      () =>
        sent('POST', '/v1/cohorts', {
          ...{ name: 'By SQL', ownerProject: project.id },
          queries: [
            {
              project: project.id,
              queryType: 'sql',
              query: {
                sql: "SELECT patient_id FROM observation WHERE patient_id = 'p1-0'",
              },
            },
          ],
        }),
      { observation: 1 },
    ],
    'an aggregate of genes in a study': [
      () => study({ kind: 'oncoprint', genes: ['TP53'] }),
      { alteration: 1 },
    ],
    'a filter of a study': [() => study({ kind: 'count' }, ofEgfr), { alteration: 1 }],
    'an export of VCF by sample': [
      async () =>
        exported(
          await sent('POST', `/v1/projects/${project.id}/exports`, { format: 'vcf', sampleIds: ['s1'] }),
        ),
      { variant: 1, variant_call: 1 },
    ],
    'an export of VCF by cohort': [
      async () =>
        exported(await sent('POST', `/v1/projects/${project.id}/exports`, { format: 'vcf', cohort })),
      { variant: 1, variant_call: 1 },
    ],
    'an export of FHIR by cohort': [
      async () => {
        const path = `/v1/projects/${project.id}/fhir/$export?cohort=${cohort}`;
        await exported(await sent('GET', path, undefined, { prefer: 'respond-async' }));
      },
      { resource: 1, cohort: 1 },
    ],
    'a phenopacket': [
      () => sent('GET', `/v1/projects/${project.id}/subjects/p3-0/phenopacket`),
      { demographic: 1, observation: 1 },
    ],
    'a record of FHIR': [
      () => sent('GET', `/${app.account}/v1/fhir/${project.id}/Observation?patient=p3-0`),
      { resource: 1 },
    ],
    'a search of Beacon': [
      () => sent('GET', '/ga4gh/beacon/v2/g_variants?geneId=EGFR&requestedGranularity=count'),
      { variant: 1 },
    ],
  };

  for (const [name, [work, expected]] of Object.entries(readers))
    test(`${name} opens the files that may hold its rows`, async () => {
      const found = await openedBy(work);
      const counts = Object.keys(expected).map((table) => [table, found[table]]);
      assert.deepEqual(Object.fromEntries(counts), expected, JSON.stringify(found));
    });
}

const settings = { PLOIDY_BEACON: 'true' };
describeApp('files that readers open', readerTests, settings);

describe('files that readers open (S3)', () => {
  const app = {} as TestApp;
  let s3: S3Server;
  before(async () => {
    s3 = await startS3();
    Object.assign(app, await openTestApp({ ...s3.settings, ...settings }));
  });
  after(async () => {
    await app.stop?.();
    await s3?.close();
  });
  readerTests(app);
});
