import { columnKey, Header, isNumber, textAt } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import type { OpenFile, Opening } from '../format.ts';
import { isGeneOrTranscript } from './gene-name.ts';

/** GCT 1.2 (GTEx); 1.3 has lines of the samples among those of the genes. */
const isGct = (comments: readonly string[]): boolean => comments.at(-1)?.trim() === '1.2';

/** Recognises the numbers of genes and samples before the header of a GCT. */
export function isSizeOfGct(line: string, comments: readonly string[]): boolean {
  return isGct(comments) && /^\d+\t\d+\s*$/.test(line);
}

/** Compares a file with the numbers of genes and samples in the line before its header. */
export function ofSize(file: OpenFile, line: string): OpenFile {
  const [genes = 0, samples = 0] = line.split('\t').map(Number);
  const found = file.isOneSample ? 1 : (file.samples?.length ?? samples);
  if (found !== samples) throw new InputError(isCut('samples', found, samples), { line: 2 });
  let count = 0;
  return {
    ...file,
    rows(fields) {
      count += 1;
      return file.rows(fields);
    },
    remarks() {
      if (count !== genes) throw new InputError(isCut('genes', count, genes), { line: 2 });
      return file.remarks?.() ?? [];
    },
  };
}

const isCut = (what: string, found: number, announced: number): string =>
  `The file has ${found} ${what}, but its second line announces ${announced}: it is truncated. If it was changed on purpose, correct that line.`;

/** Columns of a table, in which a description that is the symbol of the gene (GTEx) is named so; elsewhere it may be any text. */
export function withSymbolsOfGct({ header: all, records, comments }: Opening): Header {
  const header = isGct(comments) ? withoutRowId(all) : all;
  const place = header.place('Description');
  if (place < 0 || !isGct(comments)) return header;
  const values = records.map((fields) => textAt(fields, place)).filter((text) => text !== undefined);
  // GTEx writes the id again where a gene has no symbol.
  const hasSymbols = values.some((value) => !isGeneOrTranscript(value));
  if (!hasSymbols || !values.every(mayBeSymbol)) return header;
  return new Header(header.names.map((name) => (columnKey(name) === 'description' ? 'gene_name' : name)));
}

/** Files of GTEx for one tissue number their lines in a column `id` before `Name`. */
function withoutRowId(header: Header): Header {
  const [first = '', second = '', ...others] = header.names;
  const isCounted = columnKey(first) === 'id' && columnKey(second) === 'name';
  return isCounted ? new Header(['', second, ...others]) : header;
}

/** `na` is the placeholder of others for a missing description. */
const mayBeSymbol = (text: string): boolean =>
  /^\w[\w.@/-]*$/.test(text) && text.toLowerCase() !== 'na' && !isNumber(text);
