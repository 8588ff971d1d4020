import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isVcf, recognise as recogniseFhir } from '@ploidy/formats';
import { EngineError } from '../../platform/engine/engine.ts';
import type { SourceType } from './ingestion.ts';

/** How much of the uncompressed text is looked at. */
const headBytes = 64 * 1024;

/** Tells what a file is from its content. Rejects with `EngineError` INPUT when it is nothing that can be ingested. */
export async function recognise(path: string, name: string): Promise<SourceType> {
  const head = await headOf(path);
  if (head.length === 0) throw new EngineError('INPUT', 'The file is empty: there is nothing to ingest.');
  if (isVcf(head.toString('latin1'))) return 'vcf';
  if (typeof recogniseFhir(head, head.length < headBytes) === 'object') return 'fhir';
  const message = `${name} is neither VCF nor FHIR (NDJSON, Bundle; plain or gz). Name its type if you know better.`;
  throw new EngineError('INPUT', message);
}

async function headOf(path: string): Promise<Buffer> {
  const magic = await collect(createReadStream(path, { end: 1 }), 2);
  const gzip = magic[0] === 0x1f && magic[1] === 0x8b;
  const source = createReadStream(path, { end: headBytes * 4 });
  return collect(gzip ? source.pipe(createGunzip()) : source, headBytes);
}

/** Up to `bytes` of a stream. A broken or cut gzip gives what could be read: the converter says what is wrong with it. */
function collect(source: Readable, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = () => {
      source.destroy();
      resolve(Buffer.concat(chunks).subarray(0, bytes));
    };
    source.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= bytes) done();
    });
    source.on('end', done);
    source.on('error', (error) =>
      'code' in error && String(error.code).startsWith('Z_') ? done() : reject(error),
    );
  });
}
