import { Type } from 'typebox';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { countOf, idOf, optionalText, textOf, timestampShape } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import type { BucketsTable } from '../../../platform/records/schema-buckets.ts';
import { sealedColumn } from '../../../platform/secrets/sealed-column.ts';

/** Kind of its job: a look at the objects, or the removal of its files. */
export const bucketJob = 'buckets.run';

/** Objects of a bucket: more take too long to compare at each look. */
export const objectsMax = 100_000;

/** Path parameters of a route of one bucket. */
export const bucketParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  bucketId: idOf('Id of the bucket'),
});

export const bucketShape = Type.Object(
  {
    id: textOf('Id of the bucket'),
    datasetId: textOf('Project of its files'),
    address: textOf('Address of the bucket, with its prefix'),
    folder: textOf('Beginning of the names of its files; may be empty'),
    ingest: Type.Boolean({ description: 'True if new and changed files are ingested' }),
    accessKeyId: optionalText('Id of the key; absent for a public bucket'),
    state: Type.String({
      enum: ['looking', 'ready', 'failed', 'removing'],
      description: '`failed`: the last look ended before all objects were found',
    }),
    failure: optionalText('Reason of the last failure in one sentence'),
    files: countOf('Number of its files at the last look'),
    bytes: countOf('Bytes of these files'),
    skipped: countOf('Objects that became no file: their name is taken or invalid, or they are too large'),
    missing: countOf('Files whose object was gone; they stay until they are deleted'),
    looked: Type.Optional(timestampShape),
    creator: textOf('Id of the user who connected it'),
    created: timestampShape,
  },
  { title: 'Bucket' },
);

/** Shows a bucket; never its secret. */
export function viewOfBucket(row: BucketsTable) {
  return {
    id: row.id,
    datasetId: row.project_id,
    address: row.address,
    folder: row.folder,
    ingest: row.ingest === 1,
    ...(row.key_id !== null && { accessKeyId: row.key_id }),
    state: row.state,
    ...(row.failure !== null && { failure: row.failure }),
    ...{ files: row.files, bytes: row.bytes, skipped: row.skipped, missing: row.missing },
    ...(row.looked_at !== null && { looked: timestamp(row.looked_at) }),
    creator: row.creator_id,
    created: timestamp(row.created_at),
  };
}

/** Attributes for policies: to connect storage is up to those who administer the project. */
export function attributesOfBucket({
  account_id: account,
  project_id: id,
}: Pick<BucketsTable, 'account_id' | 'project_id'>): ResourceAttributes {
  return { account, dataset: id, type: 'project', id };
}

/** Returns the context of a sealed secret: it opens for this bucket only. */
export const secretContext = (id: string): string => `bucket:${id}`;

export const sealedBuckets = sealedColumn('buckets', 'secret_sealed', secretContext);
