import assert from 'node:assert/strict';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { TestProject } from '../inputs/project.ts';
import { until, workLooksMs } from '../support/until.ts';
import { answered, fetched, type Given, type Kept, type Making, sql } from './kept.ts';
import { formOf, type Kind, mayIngest, sees, seesRows } from './readers.ts';
import type { Door } from './routes.ts';
import { statementDoors } from './statement-doors.ts';

const lake = '/v1/analytics/data-lake';

/** Makes nothing: the caller gets it by GET, again while the present rows cover those of the result. */
const covered =
  (pathOf: (making: Making) => string) =>
  async (making: Making): Promise<Kept> => ({
    ask: async () => answered(await making.project.call('GET', pathOf(making))),
    isFor: (later) => sees(later, making.before),
  });

/** Makes nothing: the caller finds an item with these fields in a list while the present rows cover those of the result. */
const listed =
  (itemOf: (making: Making) => [path: string, item: Record<string, string>]) =>
  async (making: Making): Promise<Kept> => ({
    ask: async () => {
      const [path, item] = itemOf(making);
      const { status, body, text } = await making.project.call(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}pageSize=1000`,
      );
      const items: Record<string, unknown>[] = status === 200 ? body.items : [];
      const given = items.some((one) => Object.entries(item).every(([field, value]) => one[field] === value));
      return { given, text };
    },
    isFor: (later) => sees(later, making.before),
  });

const read = async ({ call }: TestProject, file: string): Promise<Given> =>
  answered(await call('GET', `/v1/files/${file}`));

const ofQuery = (items: { rowCount?: number }[], text: string): Given => ({
  given: items[0]?.rowCount !== undefined,
  text,
});

/** Makers of what is kept, by door; undefined: the kind of reader gets nothing there. */
export const doors: Record<Door, (making: Making) => Promise<Kept | undefined>> = {
  file: covered(({ result }) => `/v1/files/${result}`),
  metadata: covered(({ result }) => `/v1/files/${result}?include=metadata`),
  'new address': covered(({ result }) => `/v1/files/${result}?include=downloadUrl`),
  'old address': async ({ address, before }) => ({
    ask: () => fetched(address),
    isFor: (later) => sees(later, before),
  }),
  'DRS object': covered(({ result }) => `/ga4gh/drs/v1/objects/${result}`),
  'DRS address': covered(({ result }) => `/ga4gh/drs/v1/objects/${result}/access/https`),
  'rows of a result': async ({ project, before }) => {
    const body = { query: sql, datasetId: project.id, outputFileName: 'rows.parquet', format: 'parquet' };
    const id = (await project.call('POST', `${lake}/query`, { body })).body.queryId;
    await project.endOfQuery(id);
    const about = (part: string) => project.call('POST', `/v1/files/${id}/${part}`, { body: {} });
    const ask = async () => {
      const [rows, summary] = [answered(await about('rows')), answered(await about('summary'))];
      return { given: rows.given || summary.given, text: rows.text + summary.text };
    };
    return { ask, isFor: (later) => sees(later, before) };
  },
  'moved file': async ({ project, result, target, before }) => ({
    ask: async () => {
      const move = (datasetId: string) =>
        project.call('PATCH', `/v1/files/${result}`, { body: { datasetId } });
      const moved = answered(await move(target));
      const { given } = await read(project, result);
      assert.equal(given, moved.given, 'a moved file is read with the rights to the rows of its query');
      if (moved.given) assert.equal((await move(project.id)).status, 200);
      return moved;
    },
    isFor: (later) => sees(later, before),
  }),
  'renamed file': async ({ project, result, before }) => ({
    // Keeps its name: the other doors ask for it meanwhile.
    ask: async () => answered(await project.call('PATCH', `/v1/files/${result}`, { body: {} })),
    isFor: (later) => sees(later, before),
  }),
  'ingested file': async ({ project, result, before }) => ({
    ask: async () => {
      // Begins and fails: rows would change the lake, from which the other doors read.
      const body = { datasetId: project.id, fileId: result, type: 'vcf' };
      const begun = await project.call('POST', '/v1/ingestions', { body });
      if (begun.status !== 202) return { given: false, text: begun.text };
      const { state, error } = await project.endOfIngestion(begun.body.id);
      assert.equal(state, 'failed');
      return { given: error?.code === 'INPUT', text: JSON.stringify(error) };
    },
    isFor: (later) => mayIngest(later) && sees(later, before),
  }),
  'query record': async ({ project, result, before }) => ({
    ask: async () => {
      const { body, text } = await project.call('GET', `${lake}/query/${result}`);
      return ofQuery([body], text);
    },
    isFor: (later) => sees(later, before),
  }),
  'query history': async ({ project, person, before }) => ({
    ask: async () => {
      const path = `${lake}/query?datasetId=${project.id}&userId=${person.userId}&outputFileName=result`;
      const { body, text } = await project.call('GET', path);
      return ofQuery(body.items ?? [], text);
    },
    isFor: (later) => sees(later, before),
  }),
  'file in a list': listed(({ project: { id }, result }) => [`/v1/files?datasetId=${id}`, { id: result }]),
  'file in a folder': listed(({ project: { id }, result }) => [`/v1/projects/${id}/files`, { id: result }]),
  'ingestion in a list': async (making) => {
    const { project, result, before } = making;
    if (!mayIngest(before)) return undefined;
    await project.ingest(result, { type: 'vcf' });
    const path = `/v1/ingestions?datasetId=${project.id}`;
    return listed(() => [path, { fileId: result, fileName: making.name }])(making);
  },
  export: async (making) => (await exported(making))?.manifest,
  'old address of an export': async (making) => (await exported(making))?.file,
  ...statementDoors,
  'next page of rows': async ({ project, before }) => {
    const page = { query: sql, datasetId: project.id, pageSize: 1 };
    const { status, body, text } = await project.call('POST', `${lake}/rows`, { body: page });
    assert.equal(status, 200, text);
    const next = { ...page, nextPageToken: body.nextPageToken };
    return {
      ask: async () => answered(await project.call('POST', `${lake}/rows`, { body: next })),
      isFor: (later) => later === before,
    };
  },
  'next page of analytics': async ({ project, before }) => {
    const ask = (pageToken?: string) => {
      const query = { target: 'patient', domain: 'filter', options: { limit: 1, pageToken } };
      return project.call('POST', '/v1/analytics/dsl', { body: { datasetId: project.id, query } });
    };
    const { status, body, text } = await ask();
    assert.equal(status, seesRows(before) ? 200 : 403, text);
    const token: string | undefined = status === 200 ? body.data.nextPageToken : undefined;
    // One patient is one page: nothing is kept.
    if (token === undefined) return undefined;
    return {
      ask: async () => answered(await ask(token)),
      isFor: (later) => later === before,
    };
  },
  'repeated dry run': async ({ project, person }) => {
    const body = { query: 'SELECT 1 FROM patient', datasetId: project.id, outputFileName: 'dry.csv' };
    const headers = { 'idempotency-key': person.userId };
    const ask = async () => {
      const { body: answer, text } = await project.call('POST', `${lake}/query?dryRun=true`, {
        body,
        headers,
      });
      return { given: answer.estimatedRows !== undefined, text };
    };
    await ask();
    // An estimate is of all rows: readers of some do not get it.
    return { ask, isFor: (later) => formOf(later) !== undefined };
  },
  'object of Iceberg': async ({ project, before }) => {
    const path = `/iceberg/v1/namespaces/${project.id}/tables/patient`;
    const { status, body, text } = await project.call('GET', path);
    assert.equal(status, seesRows(before) ? 200 : 403, text);
    if (status !== 200) return undefined;
    const { client, object } = clientOf(body);
    return {
      ask: () =>
        client.send(new GetObjectCommand(object)).then(
          () => ({ given: true, text: '' }),
          (error: Error) => ({ given: false, text: error.message }),
        ),
      // A table is opened again with other rights.
      isFor: (later) => later === before,
    };
  },
};

/** Exports the resources of a reader of rows; answers the manifest and a file. */
async function exported({ project, before }: Making): Promise<{ manifest: Kept; file: Kept } | undefined> {
  const headers = { prefer: 'respond-async' };
  const started = await project.call('GET', `/v1/projects/${project.id}/fhir/$export`, { headers });
  assert.equal(started.status, seesRows(before) ? 202 : 403, started.text);
  if (started.status !== 202) return undefined;
  const path = `/v1/exports/${started.body.exportId}`;
  const hasEnded = async () => (await project.call('GET', path)).status !== 202;
  await until(hasEnded, 'the export ended', workLooksMs);
  const { status, body, text } = await project.call('GET', path);
  assert.equal(status, 200, text);
  const [file] = body.output;
  const isFor = (later: Kind) => sees(later, before);
  return {
    manifest: { ask: async () => answered(await project.call('GET', path)), isFor },
    file: { ask: () => fetched(file.url), isFor },
  };
}

function clientOf(loaded: { config: Record<string, string>; 'metadata-location': string }) {
  const { config } = loaded;
  const client = new S3Client({
    endpoint: config['s3.endpoint'] ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: {
      accessKeyId: config['s3.access-key-id'] ?? '',
      secretAccessKey: config['s3.secret-access-key'] ?? '',
      sessionToken: config['s3.session-token'] ?? '',
    },
  });
  const { host, pathname } = new URL(loaded['metadata-location']);
  return { client, object: { Bucket: host, Key: pathname.slice(1) } };
}

/** Makes everything that is kept for a reader of one kind. */
export async function makeAll(
  making: Omit<Making, 'result' | 'name' | 'address'>,
): Promise<{ door: Door; kept: Kept }[]> {
  const { project } = making;
  const end = await project.endOfQuery(await project.startQuery(sql, 'result.csv'));
  assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
  const { body } = await project.call('GET', `/v1/files/${end.id}?include=downloadUrl`);
  const all = { ...making, result: end.id, name: String(body.name), address: String(body.downloadUrl) };
  const made: { door: Door; kept: Kept }[] = [];
  for (const door of Object.keys(doors) as Door[]) {
    const kept = await doors[door](all);
    if (kept) made.push({ door, kept });
  }
  return made;
}
