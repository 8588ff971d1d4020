import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';

/** Answer to the opening of a table. */
export interface Loaded {
  config: Record<string, string>;
  'metadata-location': string;
  metadata: { snapshots: { 'manifest-list': string; summary: Record<string, string> }[] };
}

/** Name of an object for a client of S3. */
export interface ObjectName {
  Bucket: string;
  Key: string;
}

/** Splits the address of an object. */
export function objectOf(address: string): ObjectName {
  const { host, pathname } = new URL(address);
  return { Bucket: host, Key: pathname.slice(1) };
}

/** Returns a client of S3 with the credentials of a loaded table. */
export function clientOf({ config }: Pick<Loaded, 'config'>): S3Client {
  return new S3Client({
    endpoint: config['s3.endpoint'] ?? '',
    region: config['s3.region'] ?? '',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: {
      accessKeyId: config['s3.access-key-id'] ?? '',
      secretAccessKey: config['s3.secret-access-key'] ?? '',
      sessionToken: config['s3.session-token'] ?? '',
    },
  });
}

/** Returns the status of a request of a client of S3. */
export const statusOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 200,
    (error) => error.$metadata.httpStatusCode,
  );

/** Reads the status of an object. */
export const look = (client: S3Client, object: ObjectName): Promise<number> =>
  statusOf(client.send(new GetObjectCommand(object)).then((reply) => reply.Body?.transformToByteArray()));

/** Finds the data files of a loaded table by its metadata, as a reader does. */
export async function dataFilesOf(loaded: Loaded): Promise<ObjectName[]> {
  const client = clientOf(loaded);
  const [snapshot] = loaded.metadata.snapshots;
  const list = await bytesOf(client, snapshot?.['manifest-list'] ?? '');
  const files: ObjectName[] = [];
  for (const manifest of addressesIn(list, 'avro')) {
    const named = addressesIn(await bytesOf(client, manifest), 'parquet');
    files.push(...named.map(objectOf));
  }
  return files;
}

async function bytesOf(client: S3Client, address: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand(objectOf(address)));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

/** Avro writes strings as they are. */
const addressesIn = (bytes: Buffer, ending: string): string[] =>
  bytes.toString('latin1').match(new RegExp(`s3://[\\w/.-]+?\\.${ending}`, 'g')) ?? [];
