import { InputError } from '../input-error.ts';
import type { GenomeBuild } from './assemblies.ts';
import { genomeBuildOfHeader } from './genome-build.ts';

/** One `##INFO` or `##FORMAT` definition (VCF 4.3 §1.4.2). */
export interface FieldDefinition {
  id: string;
  /** `A`, `R`, `G`, `.` or a count, as text. */
  number: string;
  type: string;
  description: string;
}

/** Content of the lines that start with `#`. Everything may be missing in real files. */
export interface VcfHeader {
  /** Lines before the first record, blank ones included. */
  lineCount: number;
  info: ReadonlyMap<string, FieldDefinition>;
  format: ReadonlyMap<string, FieldDefinition>;
  /** Names of the sample columns; undefined when there is no `#CHROM` line. */
  samples: string[] | undefined;
  /** Set if `bcftools norm` has split records, and no program has trimmed alleles. */
  isNeverTrimmed: boolean;
  /** Set if samples were removed from the file: numbers in INFO still count all of them. */
  isSubset: boolean;
  /** Set if chrM is that of UCSC's hg19 (NC_001807), whose positions differ from those of all other builds (NC_012920). */
  hasOldMitochondrion: boolean;
  /** Genome build of the positions, if the header identifies it. */
  genomeBuild: GenomeBuild | undefined;
  /** Name of the tumor, if the header has it: `##tumor_sample=T` (Mutect2), `##PEDIGREE=<Derived=T,Original=N>` (VCF 4.3 §1.4.9). */
  tumorName: string | undefined;
}

/** The eight columns that every record has (VCF 4.3 §1.6.1). */
export const fixedColumns = ['CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO'] as const;

/** Columns before the first sample: the fixed ones and FORMAT. */
export const columnsBeforeSamples = fixedColumns.length + 1;

/**
 * Reads the lines before the first record, line ends already removed. Tolerates missing and unknown meta lines, a missing
 * `#CHROM` line, and blanks at its end; rejects an unreadable one with `InputError`.
 */
export function parseVcfHeader(lines: readonly string[]): VcfHeader {
  const info = new Map<string, FieldDefinition>();
  const format = new Map<string, FieldDefinition>();
  let samples: string[] | undefined;
  lines.forEach((line, index) => {
    if (line.startsWith('##INFO=')) define(info, line);
    else if (line.startsWith('##FORMAT=')) define(format, line);
    else if (/^#chrom/i.test(line)) samples = sampleNames(line, index + 1);
  });
  const isNeverTrimmed = isSplitOnly(lines);
  const genomeBuild = genomeBuildOfHeader(lines);
  const isSubset = lines.some((line) => subset.test(line));
  const hasOldMitochondrion = lines.some((line) => oldMitochondrion.test(line));
  const tumorName = lines.map((line) => tumorLine.exec(line)?.[1]).find((name) => name !== undefined);
  const facts = { isNeverTrimmed, isSubset, hasOldMitochondrion, genomeBuild, tumorName };
  return { lineCount: lines.length, info, format, samples, ...facts };
}

/** `-s`, `-S`, `--samples`, `--samples-file`; bcftools renews AC and AN alone. */
const subset = /^##bcftools_viewCommand=.*\s(?:-[sS]|--samples)/;
const tumorLine = /^##(?:tumou?r_sample=|PEDIGREE=<(?:.*,)?Derived=)"?([^\s",>]+)/i;
/** The sequence of all other builds has 16,569 bases. */
const oldMitochondrion = /^##contig=<(?=.*\bID=(?:chr)?MT?[,>]).*\blength=16571[,>]/i;

const trims: readonly RegExp[] = [
  // Without a reference (`-f`) it trims none, unless it splits alleles (`-a`).
  /^##bcftools_normCommand=.*\s-(?:-fasta|[A-Za-z]*f|-atomize|a(?![^\s;]))/,
  // vt, by the marks of its normalize and decompose; GATK.
  /^##INFO=<ID=OLD_(?:VARIANT|MULTIALLELIC|CLUMPED)\b/,
  /LeftAlignAndTrimVariants/,
];

/** `norm -m -any`, `norm --multiallelics -`; `-m +any` joins. */
function isSplitOnly(lines: readonly string[]): boolean {
  const isSplit = lines.some((line) =>
    /^##bcftools_normCommand=.*\s-(?:-multiallelics[=\s]|[A-Za-z]*m)\s*-/.test(line),
  );
  return isSplit && !lines.some((line) => trims.some((pattern) => pattern.test(line)));
}

function define(fields: Map<string, FieldDefinition>, line: string): void {
  const attribute = (name: string): string =>
    new RegExp(`[<,]\\s*${name}\\s*=\\s*("(?:[^"\\\\]+|\\\\.)*"?|[^,>]*)`, 'i').exec(line)?.[1]?.trim() ?? '';
  const id = attribute('ID');
  if (id === '' || fields.has(id)) return;
  const [, rest = ''] = /Description\s*=(.*)$/is.exec(line) ?? [];
  const description = rest.trim().replace(/^"/, '').replace(/>$/, '').trimEnd().replace(/"$/, '');
  fields.set(id, {
    id,
    number: attribute('Number') || '.',
    type: attribute('Type') || 'String',
    description,
  });
}

function sampleNames(line: string, lineNumber: number): string[] {
  const columns = line.split('\t');
  while (columns.at(-1)?.trim() === '') columns.pop();
  if (columns.length < fixedColumns.length) {
    throw new InputError('The #CHROM line must name at least eight columns, separated by tabs.', {
      line: lineNumber,
    });
  }
  const names = columns.slice(columnsBeforeSamples);
  // Blanks at the end of a line are no name.
  const last = names.at(-1)?.trimEnd() ?? '';
  if (last !== '' && !names.includes(last)) names[names.length - 1] = last;
  const firstColumnOf = new Map<string, number>();
  names.forEach((name, index) => {
    const column = columnsBeforeSamples + index + 1;
    const place = { line: lineNumber, column };
    if (name.trim() === '') throw new InputError(`The sample in column ${column} has no name.`, place);
    const first = firstColumnOf.get(name);
    // The names are not repeated here: they may identify people.
    if (first !== undefined) {
      throw new InputError(`The samples in columns ${first} and ${column} have the same name.`, place);
    }
    firstColumnOf.set(name, column);
  });
  return names;
}

/**
 * Returns the index of the tumor in a file of somatic calls (Strelka writes no genotypes): the sample that the header names.
 * Without one, `tumor` in a name beside one with `normal`, in records with the flag SOMATIC. Undefined for other files.
 * `seen`: INFO keys of the first records.
 */
export function tumorOf(
  { samples = [], tumorName }: VcfHeader,
  seen: ReadonlyMap<string, unknown>,
): number | undefined {
  const stated = tumorName === undefined ? -1 : samples.indexOf(tumorName);
  if (stated >= 0) return stated;
  if (samples.length !== 2 || !seen.has('SOMATIC')) return undefined;
  const tumors = samples.filter((name) => /tumou?r/i.test(name));
  const isPair =
    tumors.length === 1 && samples.some((name) => /normal/i.test(name) && !tumors.includes(name));
  return isPair ? samples.indexOf(tumors[0] ?? '') : undefined;
}
