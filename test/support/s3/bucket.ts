import { createHash, randomUUID } from 'node:crypto';
import { S3Refusal } from './refusal.ts';

export interface StoredObject {
  bytes: Buffer;
  etag: string;
  modifiedAt: number;
}

interface PartsUpload {
  key: string;
  startedAt: number;
  parts: Map<number, { bytes: Buffer; etag: string }>;
}

const partBytesMin = 5 * 1024 * 1024;

export const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** Objects of a bucket in memory, with the rules of S3 about parts. */
export class Bucket {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, PartsUpload>();

  put(key: string, bytes: Buffer, etag = etagOf(bytes)): StoredObject {
    const object = { bytes, etag, modifiedAt: Date.now() };
    this.objects.set(key, object);
    return object;
  }

  get(key: string): StoredObject {
    const object = this.objects.get(key);
    if (!object) throw new S3Refusal(404, 'NoSuchKey');
    return object;
  }

  begin(key: string): string {
    const id = randomUUID();
    this.uploads.set(id, { key, startedAt: Date.now(), parts: new Map() });
    return id;
  }

  upload(id: string, key: string): PartsUpload {
    const upload = this.uploads.get(id);
    if (upload?.key !== key) throw new S3Refusal(404, 'NoSuchUpload');
    return upload;
  }

  putPart(id: string, key: string, number: number, bytes: Buffer): string {
    if (!(Number.isInteger(number) && number >= 1 && number <= 10_000)) {
      throw new S3Refusal(400, 'InvalidArgument');
    }
    const etag = etagOf(bytes);
    this.upload(id, key).parts.set(number, { bytes, etag });
    return etag;
  }

  complete(id: string, key: string, wanted: { number: number; etag: string }[]): StoredObject {
    const { parts } = this.upload(id, key);
    if (wanted.length === 0) throw new S3Refusal(400, 'MalformedXML');
    const found = wanted.map(({ number, etag }, index) => {
      if (index > 0 && number <= (wanted[index - 1]?.number ?? 0))
        throw new S3Refusal(400, 'InvalidPartOrder');
      const part = parts.get(number);
      if (part?.etag !== etag) throw new S3Refusal(400, 'InvalidPart');
      return part;
    });
    if (found.slice(0, -1).some(({ bytes }) => bytes.length < partBytesMin)) {
      throw new S3Refusal(400, 'EntityTooSmall');
    }
    this.uploads.delete(id);
    const hashes = found.map(({ etag }) => Buffer.from(etag.slice(1, -1), 'hex'));
    const etag = `${etagOf(Buffer.concat(hashes)).slice(0, -1)}-${found.length}"`;
    return this.put(key, Buffer.concat(found.map(({ bytes }) => bytes)), etag);
  }
}
