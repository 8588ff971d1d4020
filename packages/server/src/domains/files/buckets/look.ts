import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { newId } from '../../../base/ids.ts';
import { nameKey } from '../../../base/names.ts';
import { Problem } from '../../../base/problem.ts';
import { addIntents } from '../../../platform/blobs/intents.ts';
import { placedKey, placedOf, placedPrefix } from '../../../platform/blobs/keys.ts';
import type { S3Client, S3Object } from '../../../platform/blobs/s3/client.ts';
import { S3Error } from '../../../platform/blobs/s3/errors.ts';
import type { readObject } from '../../../platform/blobs/s3/read.ts';
import type { JobRun } from '../../../platform/jobs/jobs.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import type { BucketsTable } from '../../../platform/records/schema-buckets.ts';
import type { Audit } from '../../audit/index.ts';
import { attributesOf, nameFault } from '../file.ts';
import type { FileListeners } from '../file-deps.ts';
import { lockProjectIfThere } from '../projects/index.ts';
import { fileByName } from '../store.ts';
import { objectsMax } from './bucket.ts';

export interface LookDeps {
  records: Records;
  audit: Audit;
  listeners: Pick<FileListeners, 'deleted' | 'overwritten' | 'ingest'>;
  /** Reads an object. */
  read: typeof readObject;
  /** Largest file, bytes. */
  sizeMax: number;
}

/** Files of a bucket after a look. */
export type Found = Pick<BucketsTable, 'files' | 'bytes' | 'skipped' | 'missing'>;

/** A look that cannot go on, with a sentence for people. */
export class LookFailed extends Error {
  override name = 'LookFailed';
}

/** Passes on a refusal of the store; the client has repeated everything else, which is the connection. */
function unreached(error: unknown): never {
  if (error instanceof S3Error) throw error;
  const why = 'its address could not be reached, or is in a private network';
  throw new LookFailed(`The bucket cannot be read: ${why}.`, { cause: error });
}

/** The bucket was disconnected meanwhile, or another process has the job. */
export class LookOver extends Error {}

/** Compares the objects of a bucket with its files, and adds and replaces files. Objects are only read. */
export class Look {
  readonly #deps: LookDeps;
  readonly #run: JobRun;
  readonly #bucket: BucketsTable;
  readonly #client: S3Client;
  readonly #found: Found = { files: 0, bytes: 0, skipped: 0, missing: 0 };
  readonly #seen = new Set<string>();

  constructor(deps: LookDeps, run: JobRun, bucket: BucketsTable, client: S3Client) {
    this.#deps = deps;
    this.#run = run;
    this.#bucket = bucket;
    this.#client = client;
  }

  async all(): Promise<Found> {
    let after: string | undefined;
    do {
      const page = await this.#client.list('', after).catch(unreached);
      const objects = page.objects.filter(({ key }) => key !== '' && !key.endsWith('/'));
      for (const { key } of objects) this.#seen.add(key);
      if (this.#seen.size > objectsMax)
        throw new LookFailed(
          `The bucket has more than ${objectsMax} objects there. Connect narrower prefixes.`,
        );
      await this.#compare(objects);
      after = page.next;
    } while (after !== undefined);
    for await (const row of knownFiles(this.#deps.records, this.#bucket.id))
      if (!this.#seen.has(placedOf(row.blob_key).object)) this.#found.missing += 1;
    return this.#found;
  }

  async #compare(objects: S3Object[]): Promise<void> {
    const keyOf = ({ key: object, etag }: S3Object): string =>
      placedKey({ bucketId: this.#bucket.id, object, etag });
    if (objects.length === 0) return;
    const rows = await this.#deps.records.read
      .selectFrom('files')
      .select('blob_key')
      .where('blob_key', 'in', objects.map(keyOf))
      .execute();
    const known = new Set(rows.map(({ blob_key }) => blob_key));
    for (const object of objects) {
      this.#run.signal.throwIfAborted();
      const key = keyOf(object);
      const isFile = known.has(key) || (await this.#add(object, key));
      if (isFile) this.#found.files += 1;
      else this.#found.skipped += 1;
      if (isFile) this.#found.bytes += object.size;
    }
  }

  /** Makes the object a file, or the new bytes of its file. False if it cannot be one. */
  async #add(object: S3Object, blobKey: string): Promise<boolean> {
    const name = `${this.#bucket.folder}${object.key}`;
    if (nameFault(name) !== undefined || object.size > this.#deps.sizeMax) return false;
    const sha256 = await this.#deps
      .read(this.#client, object.key, undefined, object.etag)
      .then(digestOf)
      .catch((error: unknown) => {
        // The next look finds what it has become.
        if (error instanceof Problem && error.code === 'OBJECT_CHANGED') return undefined;
        return unreached(error instanceof Problem ? error.cause : error);
      });
    if (sha256 === undefined) return false;
    const bytes = { blob_key: blobKey, size: object.size, sha256 };
    const place = this.#deps.records.transact((tx) => this.#place(tx, object, name, bytes));
    return place.catch((error: unknown) => {
      if (isUniqueViolation(error, 'files')) return false;
      throw error;
    });
  }

  async #place(
    tx: Transaction,
    object: S3Object,
    name: string,
    bytes: Pick<FilesTable, 'blob_key' | 'size' | 'sha256'>,
  ): Promise<boolean> {
    const { account_id, project_id, creator_id, id: bucketId } = this.#bucket;
    await requireTurn(tx, this.#run, this.#bucket);
    const prefix = placedPrefix(bucketId, object.key);
    const present = await tx
      .selectFrom('files')
      .selectAll()
      .where('blob_key', '>=', prefix)
      .where('blob_key', '<', `${prefix}~`)
      .executeTakeFirst();
    if (!present && (await fileByName(tx, project_id, name))) return false;
    const now = Date.now();
    const file: FilesTable = {
      ...(present ?? {
        ...{ id: newId(), account_id, project_id, name, name_key: nameKey(name) },
        ...{ content_type: 'application/octet-stream', owner_id: creator_id, created_at: now },
      }),
      ...{ ...bytes, origin: 'bucket', modified_at: now },
    };
    await addIntents(tx, [file.blob_key]);
    if (present) {
      await tx.updateTable('files').set(file).where('id', '=', file.id).execute();
      for (const listener of this.#deps.listeners.overwritten) await listener(tx, file.id);
    } else await tx.insertInto('files').values(file).execute();
    if (this.#bucket.ingest)
      for (const listener of this.#deps.listeners.ingest)
        await listener(tx, file, { userId: creator_id, mayReplace: true });
    await this.#deps.audit.append(tx, {
      ...{ account: account_id, userId: creator_id, via: 'job', outcome: 'done' },
      action: present ? 'files.overwrite' : 'files.upload',
      resource: attributesOf(file),
      details: { size: file.size, sha256: file.sha256, bucket: bucketId },
    });
    return true;
  }
}

/** Requires that the run may still write: it has its lease, and its bucket and project are there. */
export async function requireTurn(
  tx: Transaction,
  run: JobRun,
  { id, project_id }: BucketsTable,
): Promise<void> {
  const holds = (await run.holdsLease(tx)) && (await lockProjectIfThere(tx, project_id));
  const row = await tx.selectFrom('buckets').select('state').where('id', '=', id).executeTakeFirst();
  if (!holds || row === undefined) throw new LookOver();
}

const pageRows = 500;

/** Yields the files whose bytes are in a bucket, in pages by their keys. */
export async function* knownFiles({ read }: Records, bucketId: string): AsyncGenerator<FilesTable> {
  const prefix = placedPrefix(bucketId);
  let last = prefix;
  for (;;) {
    const rows = await read
      .selectFrom('files')
      .selectAll()
      .where('blob_key', '>', last)
      .where('blob_key', '<', `${prefix}~`)
      .orderBy('blob_key')
      .limit(pageRows)
      .execute();
    yield* rows;
    if (rows.length < pageRows) return;
    last = rows.at(-1)?.blob_key ?? last;
  }
}

async function digestOf(source: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of source) hash.update(chunk);
  return hash.digest('hex');
}
