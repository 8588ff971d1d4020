import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  foreignFormat,
  isBam,
  isFasta,
  isVcf,
  recogniseColumns,
  recognise as recogniseFhir,
} from '@ploidy/formats';
import { EngineError } from '../../platform/engine/engine.ts';
import type { SourceType } from './ingestion.ts';

/** How much of the uncompressed text is looked at. */
const headBytes = 64 * 1024;

/** Tells what a file is from its content, and where that leaves a doubt from its name. Rejects with `EngineError` INPUT when it is nothing that can be ingested. */
export async function recognise(path: string, name: string): Promise<SourceType> {
  const { bytes: head, isBroken } = await headOf(path);
  if (head.length === 0) throw new EngineError('INPUT', isBroken ? brokenText : emptyText);
  const advice = foreignFormat(head);
  if (advice !== undefined) throw new EngineError('INPUT', advice);
  if (isBam(head)) return 'bam';
  if (isFasta(head)) return 'fasta';
  const text = head.toString('utf8');
  if (isVcf(text)) return 'vcf';
  const isWhole = head.length < headBytes;
  const columns = recogniseColumns(text, { fileName: name, isWhole });
  if (columns) return columns.format.type;
  const layout = recogniseFhir(head, isWhole);
  if (typeof layout === 'object') return 'fhir';
  if (layout === 'utf16') throw new EngineError('INPUT', `${name} is UTF-16: save it as UTF-8.`);
  const message = `${name} is neither VCF, BAM, FASTA nor FHIR (NDJSON, Bundle) nor a known table (MAF, copy number, fusions, expression), plain or gz. Name its type if you know better.`;
  throw new EngineError('INPUT', message);
}

const emptyText = 'The file is empty: there is nothing to ingest.';
const brokenText = 'The compressed file ends too early or is damaged: nothing of it can be read.';

/** What could be read of a beginning. */
interface Head {
  bytes: Buffer;
  /** The compression broke off within it; the converter says in which way. */
  isBroken: boolean;
}

async function headOf(path: string): Promise<Head> {
  const { bytes: magic } = await collect(createReadStream(path, { end: 1 }), 2);
  const gzip = magic[0] === 0x1f && magic[1] === 0x8b;
  const source = createReadStream(path, { end: headBytes * 4 });
  return collect(gzip ? source.pipe(createGunzip()) : source, headBytes);
}

/** Up to `bytesMax` of a stream. */
function collect(source: Readable, bytesMax: number): Promise<Head> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (isBroken: boolean) => {
      source.destroy();
      resolve({ bytes: Buffer.concat(chunks).subarray(0, bytesMax), isBroken });
    };
    source.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= bytesMax) done(false);
    });
    source.on('end', () => done(false));
    source.on('error', (error) =>
      'code' in error && String(error.code).startsWith('Z_') ? done(true) : reject(error),
    );
  });
}
