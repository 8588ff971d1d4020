import { Type } from 'typebox';
import { attributesOfNew } from '../../../access/resource.ts';
import { type AlsoNeeded, Answer, type Located, type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import type { BucketsTable } from '../../../platform/records/schema-buckets.ts';
import { locateProject, type Projects } from '../projects/index.ts';
import { attributesOfBucket, bucketParams, bucketShape, viewOfBucket } from './bucket.ts';
import type { Buckets } from './buckets.ts';

const tag = 'Projects' as const;

const newBucketShape = Type.Object({
  address: Type.String({
    minLength: 1,
    maxLength: 2000,
    description:
      'Bucket and prefix: `s3://bucket/prefix?region=eu-central-1`; `&endpoint=https://…` for a store other than AWS',
  }),
  folder: Type.Optional(
    Type.String({ maxLength: 512, description: 'Beginning of the names of its files; default none' }),
  ),
  ingest: Type.Optional(
    Type.Boolean({ description: 'Ingests new and changed files, as `ingest` of an upload; default false' }),
  ),
  accessKeyId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Key that may list and read the bucket; absent for a public bucket',
    }),
  ),
  secretAccessKey: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'Secret of the key; it is not shown again' }),
  ),
});

/** Routes of the buckets of a project, whose objects are its files where they are. */
export function bucketRoutes({ buckets, projects }: { buckets: Buckets; projects: Projects }): Route[] {
  const path = '/v1/projects/:id/buckets';
  const locate = async ({
    params: { id, bucketId },
  }: {
    params: { id: string; bucketId: string };
  }): Promise<Located<BucketsTable> | undefined> => {
    const record = await buckets.find(bucketId);
    return record?.project_id === id ? { attributes: attributesOfBucket(record), record } : undefined;
  };
  const one = { tag, accountHeader: true, params: bucketParams, locate };
  return [
    route({
      method: 'GET',
      path,
      operation: 'buckets.list',
      tag,
      summary: 'List the buckets that are connected to a project',
      accountHeader: true,
      params: idParam,
      answers: {
        200: {
          schema: Type.Object({ items: Type.Array(bucketShape, { description: 'Oldest first' }) }),
          description: 'All of them, without secrets',
        },
      },
      locate: ({ params }) => locateProject(projects, params.id),
      handle: async ({ params }) => ({ items: (await buckets.list(params.id)).map(viewOfBucket) }),
    }),
    route({
      method: 'POST',
      path,
      operation: 'buckets.connect',
      conflicts: ['TOO_MANY_BUCKETS'],
      tag,
      summary: 'Connect a bucket of S3 to a project',
      description:
        'Makes files of its objects, which stay where they are: each is read once for its SHA-256, then in ranges as it is used. Nothing is ever written or deleted in the bucket.',
      accountHeader: true,
      params: idParam,
      body: newBucketShape,
      answers: { 201: { schema: bucketShape, description: 'The bucket, which is being looked at' } },
      locate: async ({ params, body }, _account, caller) => {
        const located = await locateProject(projects, params.id);
        if (!located) return undefined;
        const project = { account: located.record.account, id: params.id };
        const also: AlsoNeeded[] = [
          { operation: 'files.create', attributes: attributesOfNew('file', project, caller) },
        ];
        if (body.ingest)
          also.push({
            operation: 'ingestions.create',
            attributes: attributesOfNew('ingestion', project, caller),
          });
        return { ...located, also };
      },
      handle: async ({ resource, params, body, caller, requestId }) => {
        const project = { account: resource.account, id: params.id };
        const row = await buckets.connect(project, body, { caller, requestId });
        return new Answer(201, viewOfBucket(row));
      },
    }),
    route({
      ...one,
      method: 'GET',
      path: `${path}/:bucketId`,
      operation: 'buckets.read',
      summary: 'Get a bucket, with the result of the last look',
      answers: { 200: { schema: bucketShape, description: 'The bucket, without its secret' } },
      handle: async ({ resource }) => viewOfBucket(resource),
    }),
    route({
      ...one,
      method: 'POST',
      path: `${path}/:bucketId/look`,
      operation: 'buckets.look',
      summary: 'Look for new and changed objects of a bucket',
      description: 'Compares all of them with the files. The service does so each hour by itself.',
      answers: { 200: { schema: bucketShape, description: 'The bucket, which is being looked at' } },
      handle: async ({ resource, caller, requestId }) =>
        viewOfBucket(await buckets.look(resource, { caller, requestId })),
    }),
    route({
      ...one,
      method: 'DELETE',
      path: `${path}/:bucketId`,
      operation: 'buckets.disconnect',
      summary: 'Disconnect a bucket',
      description: 'Removes its files from the project. Rows that were ingested stay, and so do the objects.',
      answers: { 202: { schema: bucketShape, description: 'The bucket, which goes after its files' } },
      handle: async ({ resource, caller, requestId }) => {
        const row = await buckets.disconnect(resource, { caller, requestId });
        return new Answer(202, viewOfBucket(row));
      },
    }),
  ];
}
