import { timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Place, TableVersion } from '../../lake/index.ts';
import type { Grant, ReadingGrants } from './reading-grants.ts';

/** Bucket of all objects: the first part of their paths at this service. */
export const bucket = 'ploidy-lake';

/** Object that a name stands for. */
interface NamedObject {
  key: string;
  size: number;
  extension: string;
}

const form = /^([\da-f]{32})-(\d{1,15})-([\da-f]{32})\.(parquet|avro|json)$/;

/**
 * Metadata and data of tables as objects of S3, served by this service: `s3://ploidy-lake/project/table/object`. A
 * name holds the key and size of a blob and a signature. Metadata are blobs that no row names, so they last a day.
 */
export class Objects implements Place {
  readonly #blobs: Blobs;
  readonly #grants: ReadingGrants;

  constructor(blobs: Blobs, grants: ReadingGrants) {
    this.#blobs = blobs;
    this.#grants = grants;
  }

  async share(bytes: Uint8Array, extension: string, of: TableVersion): Promise<string> {
    const { key, size } = await this.#blobs.put(Readable.from([bytes]));
    return this.#address(of, { key, size, extension });
  }

  addressOf(key: string, size: number, of: TableVersion): string {
    return this.#address(of, { key, size, extension: 'parquet' });
  }

  /** Finds the object of a name; nothing for a name that was not made here for this table and audience. */
  find(of: Pick<Grant, 'project' | 'table' | 'audience'>, name: string): NamedObject | undefined {
    const [, key, size, signature, extension] = form.exec(name) ?? [];
    if (!key || !size || !signature || !extension) return undefined;
    const expected = this.#grants.sign(of, `${key}-${size}.${extension}`);
    const isOurs = timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
    return isOurs ? { key, size: Number(size), extension } : undefined;
  }

  #address(of: TableVersion, { key, size, extension }: NamedObject): string {
    const signature = this.#grants.sign(of, `${key}-${size}.${extension}`);
    return `s3://${bucket}/${of.project}/${of.table}/${key}-${size}-${signature}.${extension}`;
  }
}
