import assert from 'node:assert/strict';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { CallOptions, Reply } from '../support/app.ts';
import { until } from '../support/until.ts';

/** A credential that asks for addresses, with its user. */
export interface Holder {
  userId: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

/** Data that doors open. */
export interface Things {
  account: string;
  project: string;
  file: string;
  readGroupSet: string;
  variants: string;
}

/** Uses an address or a grant; returns the status. */
export type Use = () => Promise<number>;

/** Route whose answer holds an address or a grant, and what that opens without credentials. */
interface Door {
  opens: string;
  /** Asks for an address, or returns nothing for a credential that gets none; `at` moves it to the process that is to be asked. */
  ask(holder: Holder, things: Things, at: (url: string) => string): Promise<Use | undefined>;
}

export const image = { body: 'GIF89a of nothing', headers: { 'content-type': 'image/gif' } };

const files = 'GET /v1/transfers/files/:id';
const pictures = 'GET /v1/transfers/pictures/:id';

const ticket = (kind: 'reads' | 'variants', method: 'GET' | 'POST'): Door => ({
  opens: `GET /:account/v1/htsget/${kind}/:id/blocks`,
  ask: async ({ call }, things, at) => {
    const id = kind === 'reads' ? things.readGroupSet : things.variants;
    const path = `/${things.account}/v1/htsget/${kind}/${id}`;
    const { htsget } = await answered(call(method, path, method === 'POST' ? { body: {} } : {}));
    const block = htsget.urls.find(({ url }: { url: string }) => url.startsWith('http'));
    return get(at(block.url));
  },
});

/** Door of the files of an export. `paths`: where it is started, and where its state is. */
const exported = (paths: (things: Things) => [start: string, states: string]): Door => ({
  opens: files,
  ask: async ({ call }, things, at) => {
    const [start, states] = paths(things);
    const { exportId } = await answered(call('GET', start, { headers: { prefer: 'respond-async' } }));
    const state = () => call('GET', `${states}/${exportId}`);
    await until(async () => (await state()).status !== 202, 'the export ends');
    return get(at((await answered(state())).output[0].url));
  },
});

/** Doors by issuing route; such a route without a door here fails a test. */
export const doors: Readonly<Record<string, Door>> = {
  'GET /v1/files/:id': {
    opens: files,
    ask: async ({ call }, { file }, at) =>
      get(at((await answered(call('GET', `/v1/files/${file}?include=downloadUrl`))).downloadUrl)),
  },
  'GET /ga4gh/drs/v1/objects/:id/access/:accessId': {
    opens: files,
    ask: async ({ call }, { file }, at) =>
      get(at((await answered(call('GET', `/ga4gh/drs/v1/objects/${file}/access/https`))).url)),
  },
  'POST /ga4gh/drs/v1/objects/access': {
    opens: files,
    ask: async ({ call }, { file }, at) => {
      const body = { bulk_object_access_ids: [{ bulk_object_id: file, bulk_access_ids: ['https'] }] };
      const { resolved_drs_object_access_urls: urls } = await answered(
        call('POST', '/ga4gh/drs/v1/objects/access', { body }),
      );
      return get(at(urls[0].url));
    },
  },
  'GET /v1/exports/:id': exported(({ project }) => [`/v1/projects/${project}/fhir/$export`, '/v1/exports']),
  'GET /:account/v1/fhir/:project/$export/:id': exported(({ account, project }) => {
    const path = `/${account}/v1/fhir/${project}/$export`;
    return [path, path];
  }),
  'POST /v1/files': {
    opens: 'PUT /v1/transfers/uploads/:id',
    ask: async ({ call, userId }, { project }, at) => {
      const body = { name: `${userId}/${performance.now()}`, datasetId: project };
      return put(at((await answered(call('POST', '/v1/files', { body }))).uploadUrl));
    },
  },
  'GET /v1/uploads/:id/parts/:number': {
    opens: 'PUT /v1/transfers/uploads/:id/parts/:number',
    ask: async ({ call, userId }, { project }, at) => {
      const body = { name: `${userId}/${performance.now()}`, datasetId: project };
      const { uploadId } = await answered(call('POST', '/v1/uploads', { body }));
      return put(at((await answered(call('GET', `/v1/uploads/${uploadId}/parts/1`))).uploadUrl));
    },
  },
  'PUT /v1/users/:username/picture': {
    opens: pictures,
    ask: async ({ call, userId }, _things, at) => {
      const reply = await call('PUT', `/v1/users/${userId}/picture`, image);
      // Applications of an account change no profile.
      if (reply.body.code === 'ONLY_ONE_ACCOUNT') return undefined;
      return get(at((await answered(Promise.resolve(reply))).downloadUrl));
    },
  },
  'GET /v1/users/:username/picture': {
    opens: pictures,
    ask: async ({ call, userId }, _things, at) =>
      get(at((await answered(call('GET', `/v1/users/${userId}/picture`))).downloadUrl)),
  },
  'GET /:account/v1/htsget/reads/:id': ticket('reads', 'GET'),
  'POST /:account/v1/htsget/reads/:id': ticket('reads', 'POST'),
  'GET /:account/v1/htsget/variants/:id': ticket('variants', 'GET'),
  'POST /:account/v1/htsget/variants/:id': ticket('variants', 'POST'),
  'GET /v1/statement/executing/:id/:token': {
    opens: 'GET /v1/statement/segments/:id/:number',
    ask: async ({ call }, { project }, at) => {
      const page = await segmented(call, project, at);
      return page && get(at(page.data.segments[0].uri));
    },
  },
  'GET /iceberg/v1/namespaces/:namespace/tables/:table': {
    opens: 'GET /ploidy-lake/:project/:table/:object',
    ask: async ({ call }, { project }, at) => {
      const loaded = await answered(call('GET', `/iceberg/v1/namespaces/${project}/tables/patient`));
      return object(loaded, at(loaded.config['s3.endpoint']));
    },
  },
};

/** Routes without credentials whose addresses no credential asked for, and what they end with. */
export const doorless: Readonly<Record<string, string>> = {
  'GET /v1/set-up/password': 'a link of the host, for one use',
  'POST /v1/set-up/password': 'a link of the host, for one use',
  'GET /v1/set-up/invitation': 'a mail to the invited person; ends when the invitation is revoked',
  'POST /v1/set-up/invitation': 'a mail to the invited person; ends when the invitation is revoked',
  'GET /iceberg/engine/v1/namespaces': 'a token of a running query; ends with the query',
  'GET /iceberg/engine/v1/namespaces/:namespace': 'a token of a running query',
  'GET /iceberg/engine/v1/namespaces/:namespace/tables': 'a token of a running query',
  'GET /iceberg/engine/v1/namespaces/:namespace/views': 'a token of a running query',
  'GET /iceberg/engine/v1/namespaces/:namespace/tables/:table': 'a token of a running query',
};

/** Runs a statement whose rows are in segments; returns their page, or nothing for a credential that sends no statements. */
export async function segmented(
  call: Holder['call'],
  project: string,
  at = (url: string) => url,
): Promise<Reply['body']> {
  const headers = { 'x-trino-schema': project, 'x-trino-query-data-encoding': 'json+zstd' };
  const body = "SELECT rpad('x', 1000, 'y') AS t FROM (SELECT unnest(range(100)) AS n)";
  const sent = await call('POST', '/v1/statement', { body, headers });
  if (sent.status === 401) return undefined;
  let page = sent.body;
  await until(async () => {
    const { pathname } = new URL(at(page.nextUri));
    // The service may have a path on its host, which `call` adds.
    page = await answered(call('GET', pathname.slice(pathname.indexOf('/v1/'))));
    return page.nextUri === undefined;
  }, 'the statement ends');
  return page;
}

async function answered(asked: Promise<Reply>): Promise<Reply['body']> {
  const reply = await asked;
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return reply.body;
}

const get =
  (url: string): Use =>
  () =>
    statusOf(fetch(url));

const put =
  (url: string): Use =>
  () =>
    statusOf(fetch(url, { method: 'PUT', body: 'bytes' }));

async function statusOf(sent: Promise<Response>): Promise<number> {
  const response = await sent;
  await response.arrayBuffer();
  return response.status;
}

/** Reads the metadata of a loaded table with its grant. */
function object(
  { config, 'metadata-location': place }: { config: Record<string, string>; 'metadata-location': string },
  endpoint: string,
): Use {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: {
      accessKeyId: config['s3.access-key-id'] ?? '',
      secretAccessKey: config['s3.secret-access-key'] ?? '',
      sessionToken: config['s3.session-token'] ?? '',
    },
  });
  const { host, pathname } = new URL(place);
  return () =>
    client.send(new GetObjectCommand({ Bucket: host, Key: pathname.slice(1) })).then(
      async ({ Body }) => {
        await Body?.transformToByteArray();
        return 200;
      },
      (error) => error.$metadata.httpStatusCode,
    );
}
