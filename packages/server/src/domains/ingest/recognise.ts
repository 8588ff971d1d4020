import {
  foreignFormat,
  InputError,
  isBam,
  isFasta,
  isVcf,
  recogniseColumns,
  recognise as recogniseFhir,
} from '@ploidy/formats';
import { EngineError } from '../../platform/engine/engine.ts';
import type { SourceType } from './ingestion.ts';
import { readSource } from './source.ts';

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
  const columns = typeOfColumns(text, name, isWhole);
  if (columns) return columns;
  const layout = recogniseFhir(head, isWhole);
  if (typeof layout === 'object') return 'fhir';
  if (layout === 'utf16') throw new EngineError('INPUT', 'The file is UTF-16: save it as UTF-8.');
  // Not its name: whoever may not read the file may see how its ingestion ends.
  const message =
    'The file is neither VCF, BAM, FASTA nor FHIR (NDJSON, Bundle) nor a known table (MAF, copy number, fusions, expression), plain or gz. Name its type if you know better.';
  throw new EngineError('INPUT', message);
}

function typeOfColumns(text: string, fileName: string, isWhole: boolean): SourceType | undefined {
  try {
    return recogniseColumns(text, { fileName, isWhole })?.format.type;
  } catch (error) {
    if (error instanceof InputError) throw new EngineError('INPUT', error.message, { line: error.line });
    throw error;
  }
}

const emptyText = 'The file is empty: there is nothing to ingest.';
const brokenText = 'The compressed file ends too early or is damaged: what it is cannot be told.';

/** What could be read of a beginning. */
interface Head {
  bytes: Buffer;
  /** The compression broke off within it; the converter says in which way. */
  isBroken: boolean;
}

async function headOf(path: string): Promise<Head> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isBroken = false;
  try {
    for await (const chunk of readSource(path, { chunkBytes: headBytes })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= headBytes) break;
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    isBroken = true;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, headBytes), isBroken };
}
