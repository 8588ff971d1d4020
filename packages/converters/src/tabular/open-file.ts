import type { ConversionTask } from '@ploidy/engine';
import {
  foreignFormat,
  Header,
  InputError,
  missingMafColumns,
  type RecognisedFile,
  recogniseColumns,
  type TabularType,
} from '@ploidy/formats';
import { loneReturn, readSource } from '../decompressed-source.ts';

/** Bytes of text that are read: names of many thousand samples may fill one line. */
const headBytesMax = 4 << 20;

const known: Readonly<Record<TabularType, string>> = {
  maf: 'a MAF',
  copynumber:
    'a copy number file (CNVkit, SEG, ASCAT, Sequenza, FACETS, PURPLE, GDC, or a table with gene and copy_number)',
  fusion: 'a fusion file (STAR-Fusion, Arriba, deFuse, FusionCatcher, or a table with gene1 and gene2)',
  expression:
    'an expression file (RSEM, Salmon, kallisto, StringTie, featureCounts, HTSeq, STAR, or a table with gene_id and expression)',
};

/** Recognises a file by its beginning. Rejects with `InputError` for one that is not of the type. */
export async function openFile(task: ConversionTask, type: TabularType): Promise<RecognisedFile> {
  const { bytes, text, isWhole } = await headOf(task.sourcePath);
  if (text.trim() === '') throw new InputError('The file is empty.');
  const { sourceName: fileName, setId, options } = task;
  const { passOnly = false } = options;
  const found = recogniseColumns(text, { type, fileName, setId, passOnly, isWhole });
  if (found) {
    refuseLoneReturns(text);
    return found;
  }
  const advice = foreignFormat(bytes);
  if (advice !== undefined) throw new InputError(advice);
  const line = text.split('\n').find((one) => !one.startsWith('#')) ?? '';
  const missing = type === 'maf' ? missingMafColumns(new Header(line.trimEnd().split('\t'))) : [];
  const reason = missing.length > 0 ? `it has no column ${missing.join(', ')}` : reasonOf(line);
  throw new InputError(`This is not ${known[type]}: ${reason}.`, { line: 1 });
}

/** Explains by its first line why a table is not recognised. */
export function reasonOf(line: string): string {
  if (/^[\w" .()%-]+(?:;[\w" .()%-]*)+$/.test(line.trimEnd()))
    return 'its columns are separated by semicolons: save it with tabs or commas, and with decimal points';
  if (!/[\t,]/.test(line) && /\S \S/.test(line))
    return 'its columns are separated by blanks: write it with tabs (in R: sep = "\\t")';
  return 'its first line does not name the expected columns';
}

/** Lines that end with CR alone (old spreadsheets) would all be one line, the header. */
export function refuseLoneReturns(text: string): void {
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? undefined : end);
    number += 1;
    if (/\r[^\r]/.test(line)) throw loneReturn(number);
    if (end < 0 || !(line.startsWith('#') || line.trim() === '')) return;
    start = end + 1;
  }
}

async function headOf(path: string): Promise<{ bytes: Uint8Array; text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readSource(path)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= headBytesMax) break;
  }
  const bytes = Buffer.concat(chunks);
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') throw new InputError('The file is UTF-16: save it as UTF-8.');
  return { bytes, text: bytes.toString('utf8'), isWhole: size < headBytesMax };
}
