/** Fills a service for a frozen data folder: the sample project with readers of every kind, and an account that holds one of everything. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MortalService } from '../../crash/mortal-service.ts';
import { TestProject } from '../../inputs/project.ts';
import { fhirText, knownText } from '../../inputs/texts.ts';
import { type Household, openHousehold } from '../../isolation/world.ts';
import type { TestApp } from '../../support/app.ts';
import type { People } from '../../support/people.ts';
import { until } from '../../support/until.ts';

/** Credentials with which questions are asked. */
export interface Sender {
  key?: string;
  account?: string;
}

export interface Scenario {
  senders: Record<string, Sender>;
  household: Household;
  samples: TestProject;
  interrupted: TestProject;
  /** Paths that are asked besides those of all routes. */
  paths: string[];
}

/** Part of the sample data, in the order of ingestion. */
const files = [
  'fhir/Patient.ndjson',
  'fhir/Condition.ndjson',
  'fhir/Observation.ndjson.gz',
  'fhir/MedicationRequest.ndjson',
  'fhir/MedicationStatement.ndjson',
  'fhir/Specimen.ndjson',
  'fhir/syn-0007.bundle.json',
  'vcf/SYN0001.vcf',
  'omic/copynumber.csv',
  'omic/fusion.csv',
  'fasta/regions.fa',
  'bam/SYN0001.bam',
];
const data = join(import.meta.dirname, '../../../samples/data');

export async function populate(service: MortalService, people: People): Promise<Scenario> {
  const { call, server } = service;
  const account = server.account;
  const samples = await TestProject.make(call, 'Samples');
  for (const path of files) await samples.take(path, readFileSync(join(data, path)));
  await samples.take(
    'known.vcf',
    knownText('140753336 A T rs113488022 CLNSIG=Pathogenic;GENEINFO=BRAF:673'),
    {
      type: 'annotation',
    },
  );
  const table = { name: 'biobank', columns: [{ name: 'volume', mask: 'none' }] };
  const rows = 'patient_id,volume,note\nsyn-0001,1.5,first\nsyn-0002,2.5,second\nsyn-0007,3.5,third\n';
  await samples.take('biobank.csv', rows, { type: 'table', table });
  await removeRows(samples);
  const failed = await failIngestion(samples);
  const owner = { key: server.apiKey, account };
  const subjects = { 'resource.subject': { comparison: 'in', value: ['syn-0001', 'syn-0003'] } };
  const masked = await people.member(account, ['readMaskedData']);
  const limited = await people.member(account, ['readData'], subjects);
  const few = await people.member(account, ['readMaskedData'], subjects);
  const app: Partial<TestApp> = { address: server.baseUrl, call, people };
  const household = await openHousehold(app as TestApp, 'second');
  const made = await makeThings(samples, masked.key);
  const interrupted = await TestProject.make(call, 'Interrupted');
  return {
    senders: {
      owner,
      masked: { key: masked.key, account },
      limited: { key: limited.key, account },
      maskedAndLimited: { key: few.key, account },
      second: { key: household.owner.key, account: 'second' },
      foreign: { key: household.owner.key, account },
      anonymous: {},
    },
    household,
    samples,
    interrupted,
    paths: [`/v1/ingestions/${failed}`, ...made],
  };
}

/** Leaves tables with versions, tombstones and a removed project behind. */
async function removeRows(samples: TestProject): Promise<void> {
  const replaced = await samples.take('replaced.ndjson', fhirText('old', 5, 2));
  await samples.ingest(await samples.upload('replaced.ndjson', fhirText('new', 3, 1)));
  const removed = await samples.take('removed.ndjson', fhirText('removed', 4, 1));
  assert.equal((await samples.call('DELETE', `/v1/files/${removed}`)).status, 204);
  const project = await TestProject.make(samples.call, 'Removed');
  await project.take('p.ndjson', fhirText('p', 2));
  const reply = await samples.call('DELETE', `/v1/projects/${project.id}`);
  assert.ok(reply.status < 300, reply.text);
  assert.ok(replaced);
}

async function failIngestion(samples: TestProject): Promise<string> {
  const broken = `${fhirText('good', 1)}{"resourceType":"Patient","id":\n`;
  const id = await samples.startIngestion(await samples.upload('broken.ndjson', broken), { type: 'fhir' });
  assert.equal((await samples.endOfIngestion(id)).state, 'failed');
  return id;
}

/** Makes what users keep: cohorts, saved queries, results and an export. Answers their paths. */
async function makeThings(samples: TestProject, maskedKey: string): Promise<string[]> {
  const { call, id: project } = samples;
  const make = async (path: string, body: object) => {
    const reply = await call('POST', path, { body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const sql = "SELECT patient_id FROM condition WHERE code = '372244006'";
  const queries = [{ project, queryType: 'sql', query: { sql } }];
  const cohort = await make('/v1/cohorts', { name: 'Melanoma', ownerProject: project, queries });
  const saved = { name: 'Patients', statement: 'SELECT count(*) AS n FROM patient', shared: true };
  await make(`/v1/projects/${project}/saved-queries`, saved);
  const result = await samples.startQuery('SELECT patient_id FROM patient ORDER BY 1', 'ids.csv');
  assert.equal((await samples.endOfQuery(result)).state, 'succeeded');
  const asMasked = samples.as((method, path, options) => call(method, path, { key: maskedKey, ...options }));
  const masked = await asMasked.startQuery('SELECT count(*) AS n FROM patient', 'masked.csv');
  assert.equal((await asMasked.endOfQuery(masked)).state, 'succeeded');
  const { exportId } = await make(`/v1/projects/${project}/exports`, { format: 'vcf' });
  await until(
    async () => (await call('GET', `/v1/exports/${exportId}`)).status === 200,
    'the export was made',
  );
  const lists = ['files', 'ingestions', 'analytics/data-lake/query', 'analytics/data-lake/schema'];
  return [
    ...lists.map((name) => `/v1/${name}?datasetId=${project}`),
    `/v1/cohorts?projectId=${project}`,
    `/v1/cohorts/${cohort.id}`,
    `/v1/cohorts/${cohort.id}/counts`,
    `/v1/projects/${project}/saved-queries`,
    `/v1/projects/${project}/subjects/syn-0001/phenopacket`,
    `/v1/exports/${exportId}`,
    ...[result, masked].flatMap((one) => [`/v1/analytics/data-lake/query/${one}`, `/v1/files/${one}`]),
  ];
}
