import { columnsBeforeSamples, fixedColumns } from './header.ts';

/** Bases and ambiguity codes of IUPAC (VCF 4.3 §1.6.1), in either case; arrays write `I` and `D` for indels without a sequence. */
const base = '[ACGTNRYSWKMBDHVacgtnryswkmbdhv]';

/** Patterns of a record's fields, each for the whole field. */
export const fieldPatterns = {
  /** Position of at most fifteen digits, so that it is an exact number everywhere. */
  position: '[0-9]{1,15}',
  bases: `${base}+`,
  /** Bases, `*`, `.`, symbolic, breakend and single breakend alleles (VCF 4.3 §1.6.1, §5). */
  alternate: `(?:${base}+|\\*|\\.|${base}*<[^<>,]+>|(?:${base}|\\.)*[\\[\\]][^\\[\\],]+[\\[\\]](?:${base}|\\.)*|\\.${base}+|${base}+\\.)`,
  /** Allele of a genotype: a number, or not called. `01` would be two alleles without a separator. */
  allele: '(?:\\.|0|[1-9][0-9]{0,5})',
} as const;

/** Alternates for any other allele, or an overlapping deletion (`<*:DEL>` in GATK 3): they are no variant of their own. */
export const unspecifiedAlternates = ['.', '*', '<NON_REF>', '<*>', '<X>', '<*:DEL>'] as const;

const position = new RegExp(`^${fieldPatterns.position}$`);
const bases = new RegExp(`^${fieldPatterns.bases}$`);
// One by one: patterns of whole lists need a stack as long as the list, which may have millions.
const oneAlternate = new RegExp(`^${fieldPatterns.alternate}$`);
const oneAllele = new RegExp(`^${fieldPatterns.allele}$`);

/** Returns whether an ALT is a list of alleles. */
export function areAlternates(text: string): boolean {
  return text.split(',').every((one) => oneAlternate.test(one));
}

/** Returns whether an ALT has a sequence twice: its copies would be counted separately. Symbolic alleles may differ in length. */
export function repeatsSequence(text: string): boolean {
  const sequences = text
    .toUpperCase()
    .split(',')
    .filter((one) => bases.test(one));
  return new Set(sequences).size < sequences.length;
}

/** Fault of a line and its column, from 1 as in the other tables. */
export interface VcfFault {
  reason: string;
  column: number;
  /** Set if the following records cannot be read by the header of the file: it is never skipped. */
  isOfFile?: true;
}

/**
 * Returns why a line (without its line end) is no record of a file with this number of samples, in words for people; undefined
 * for a sound one. Values of the line are never repeated: they are health data.
 */
export function recordFault(line: string, sampleCount: number): VcfFault | undefined {
  if (/^#(?:#fileformat|CHROM)/i.test(line)) return { reason: secondHeader, column: 1, isOfFile: true };
  if (line.startsWith('#')) return { reason: 'a header line is among the records', column: 1 };
  const fields = line.split('\t');
  const controlled = fields.findIndex((field) => field.includes('\r') || field.includes('\u001f'));
  if (controlled >= 0) return { reason: 'the line contains a control character', column: controlled + 1 };
  return (
    columnFault(fields, sampleCount) ??
    alleleFault(fields) ??
    genotypeFault(fields.slice(columnsBeforeSamples), fields)
  );
}

const secondHeader =
  'a second header begins here, possibly with other samples; ingest the files one by one, or merge them with bcftools';

/** Returns the fault of the first column that is missing or superfluous. */
function columnFault(fields: string[], sampleCount: number): VcfFault | undefined {
  const expected = columnsBeforeSamples + sampleCount;
  const complete =
    fields.length === expected ||
    (fields.length === expected + 1 && fields.at(-1) === '') ||
    (sampleCount === 0 && fields.length === fixedColumns.length);
  if (complete) return undefined;
  if (fields.length < fixedColumns.length) {
    const reason = `only ${fields.length} of the eight columns that a record needs`;
    return { reason, column: fields.length + 1 };
  }
  const named = sampleCount === 0 ? fixedColumns.length : expected;
  const reason = `${fields.length} columns, but the header has ${named}`;
  return { reason, column: Math.min(fields.length, named) + 1 };
}

function alleleFault(fields: string[]): VcfFault | undefined {
  const [chromosome = '', pos = '', , reference = '', alternate = ''] = fields;
  if (chromosome === '') return { reason: 'CHROM is empty', column: 1 };
  if (!position.test(pos)) return { reason: 'POS is not a whole number', column: 2 };
  if (!bases.test(reference)) {
    return { reason: reference === '' ? 'REF is empty' : 'REF is not made of bases', column: 4 };
  }
  if (repeatsSequence(alternate)) return { reason: 'ALT repeats an allele', column: 5 };
  if (areAlternates(alternate)) return undefined;
  return { reason: alternate === '' ? 'ALT is empty' : 'ALT is not a list of alleles', column: 5 };
}

function genotypeFault(samples: string[], fields: string[]): VcfFault | undefined {
  const keys = (fields[columnsBeforeSamples - 1] ?? '').split(':');
  const longer = samples.findIndex((sample) => sample.split(':').length > keys.length);
  if (longer >= 0) {
    const column = columnsBeforeSamples + longer + 1;
    return { reason: `column ${column} has more values than FORMAT has keys`, column };
  }
  const place = keys.indexOf('GT');
  if (place < 0) return undefined;
  const alternateCount = fields[4]?.split(',').length ?? 0;
  for (const [index, sample] of samples.entries()) {
    const value = sample.split(':')[place] ?? '';
    if (value === '') continue;
    const column = columnsBeforeSamples + index + 1;
    // Any ploidy, phased or not, half calls; a leading separator since VCF 4.4.
    const alleles = value.replace(/^[|/]/, '').split(/[|/]/);
    if (!alleles.every((allele) => oneAllele.test(allele))) {
      return { reason: `the genotype (GT) in column ${column} cannot be read`, column };
    }
    if (alleles.some((allele) => Number(allele) > alternateCount)) {
      const reason = `the genotype (GT) in column ${column} names an allele that ALT does not have`;
      return { reason, column };
    }
  }
  return undefined;
}
