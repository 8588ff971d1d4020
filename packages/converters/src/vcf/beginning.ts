import { isUtf8 } from 'node:buffer';
import { genomeBuildOfAccessions, InputError, isVcf, parseVcfHeader, type VcfHeader } from '@ploidy/formats';
import { isGzip, loneReturn } from '../decompressed-source.ts';
import { isBcfFile, readVcfText } from './vcf-text.ts';

/** Facts about a VCF before its records are read. */
export interface Beginning {
  header: VcfHeader;
  /** Lines before the first record. */
  headerLines: readonly string[];
  compressed: boolean;
  /** Set if the text is made from a BCF. */
  isBcf: boolean;
  /** Start of the first record in the text. */
  headerBytes: number;
  /** The first records, up to a thousand, without line ends. */
  records: string[];
}

const recordsMax = 1000;
/** Minimum text after the header that is checked, unless there are enough records before. */
const recordBytesMax = 4 << 20;
const headerBytesMax = 64 << 20;
/** Bytes of inflated text; more than the beginning would be wasted. */
const chunkBytes = 256 << 10;

/** Reads the header and the first records of a plain or gzipped VCF. Rejects with `InputError` for anything else. */
export async function readBeginning(path: string): Promise<Beginning> {
  const compressed = await isGzip(path);
  const lines = new BeginningLines();
  for await (const chunk of readVcfText(path, { chunkBytes })) if (lines.add(chunk)) break;
  lines.finish();
  const text = [...lines.header, ...lines.records];
  if (text.every((line) => line === '')) throw new InputError('The file is empty.');
  if (!isVcf(text.slice(0, lines.header.length + 1).join('\n'))) {
    throw new InputError('This is not a VCF: it has neither a header nor tab-separated records.', {
      line: 1,
    });
  }
  const ended = lines.header.findIndex((line) => /\r#|^#CHROM.*\r/s.test(line));
  if (ended >= 0) throw loneReturn(ended + 1);
  const { records } = lines;
  const header = parseVcfHeader(lines.header);
  const named = new Set(records.map((record) => record.slice(0, record.indexOf('\t'))));
  header.genomeBuild ??= genomeBuildOfAccessions(named);
  const isBcf = await isBcfFile(path);
  const { header: headerLines, headerBytes } = lines;
  return { header, headerLines, compressed, isBcf, headerBytes, records };
}

const noUtf8 =
  'The sample names are not UTF-8, so different names could become equal: save the file as UTF-8 (iconv -f latin1 -t utf8).';

const isColumnLine = (line: Buffer): boolean => /^#chrom/i.test(line.toString('latin1', 0, 6));

/** Splits the beginning of a text into the lines before the first record and the first records. */
class BeginningLines {
  readonly header: string[] = [];
  readonly records: string[] = [];
  /** Bytes of the lines before the first record, with their ends. */
  headerBytes = 0;
  #rest: Buffer[] = [];
  #bytesWithoutRecord = 0;
  #recordBytes = 0;

  /** Adds text; returns whether it suffices. */
  add(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#line(chunk.subarray(start, end));
      start = end + 1;
      if (this.records.length >= recordsMax) return true;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    if (this.records.length > 0) this.#recordBytes += chunk.length;
    else this.#bytesWithoutRecord += chunk.length;
    if (this.#bytesWithoutRecord > headerBytesMax) {
      throw new InputError('This is not a VCF: no record within the first 64 MiB.', {
        line: this.header.length + 1,
      });
    }
    return this.#recordBytes > recordBytesMax;
  }

  finish(): void {
    if (this.#rest.length > 0) this.#line(Buffer.alloc(0));
  }

  #line(bytes: Buffer): void {
    const whole = this.#rest.length > 0 ? Buffer.concat([...this.#rest, bytes]) : bytes;
    this.#rest = [];
    if (isColumnLine(whole) && !isUtf8(whole)) throw new InputError(noUtf8, { line: this.header.length + 1 });
    const line = whole.toString('utf8').replace(/\r$/, '');
    const first = this.header.length === 0 ? line.replace(/^\ufeff/, '') : line;
    const isRecord = this.records.length > 0 || (first !== '' && !first.startsWith('#'));
    if (isRecord && line !== '') this.records.push(line);
    else if (!isRecord) {
      this.header.push(first);
      this.headerBytes += whole.length + 1;
    }
  }
}
