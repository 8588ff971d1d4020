import { textOf } from '../../bytes.ts';
import { columnsBeforeSamples, type FieldDefinition } from '../header.ts';
import type { RecordLine } from './record-line.ts';

const formatColumn = columnsBeforeSamples - 1;
const alternateColumn = 4;
/** Signals an allele that no list has: the line is broken. */
const none = '?';

/** Returns whether genotypes of a line number the alleles of each sample by a list of its own. Almost all lines have GT first. */
export function hasLocalGenotypes(line: RecordLine): boolean {
  if (line.columnCount <= columnsBeforeSamples) return false;
  const { bytes } = line;
  const [start, end] = [line.startOf(formatColumn), line.endOf(formatColumn)];
  if (bytes[start] === 71 && bytes[start + 1] === 84 && (end === start + 2 || bytes[start + 2] === 58))
    return false;
  return textOf(bytes, start, end).split(':').includes('LGT');
}

/** Local genotypes, which name no carrier without their list, and likelihoods of genotypes of which none is called. */
const knownUncalled = ['LGT', 'PL', 'GL', 'GP', 'DS', 'HDS'];
const ofGenotypes = /\bdos(?:e|age)s?\b|(?:genotype|haplotype|allele) (?:likelihood|probabilit|posterior)/i;

/** Finds the keys that weigh genotypes against each other, and so call none: by the header one value for each, or doses. */
export const uncalledKeys = (format: ReadonlyMap<string, FieldDefinition>): ReadonlySet<string> =>
  new Set([
    ...knownUncalled,
    ...[...format.values()]
      .filter(({ number, description }) => number === 'G' || ofGenotypes.test(description))
      .map(({ id }) => id),
  ]);

/** Returns whether a line has genotypes of its samples of which none is called. */
export function hasUncalledGenotypes(line: RecordLine, uncalled: ReadonlySet<string>): boolean {
  const format = textOf(line.bytes, line.startOf(formatColumn), line.endOf(formatColumn));
  return format.split(':').some((key) => uncalled.has(key));
}

/** Adds the depths of all alleles behind the GT of a line with LAA and LAD; undefined for other lines, or with AD. */
export function withDepths(line: string): string | undefined {
  const columns = line.split('\t');
  const fields = columns[formatColumn]?.split(':') ?? [];
  const [depths, alternates, alleles] = ['LAD', 'LAA', 'LA'].map((key) => fields.indexOf(key)) as [
    number,
    number,
    number,
  ];
  if (fields[0] !== 'GT' || fields.includes('AD') || depths < 0 || (alternates < 0 && alleles < 0))
    return undefined;
  const alleleCount = 1 + (columns[alternateColumn]?.split(',').length ?? 0);
  const samples = columns.slice(columnsBeforeSamples).map((sample) => {
    const [genotype = '', ...others] = sample.split(':');
    const listed = (place: number): string[] =>
      (others[place - 1] || '.').split(',').filter((one) => one !== '.');
    const own = alternates < 0 ? listed(alleles) : ['0', ...listed(alternates)];
    return [genotype, globalDepths(listed(depths), own, alleleCount), ...others].join(':');
  });
  return [...columns.slice(0, formatColumn), `GT:AD:${fields.slice(1).join(':')}`, ...samples].join('\t');
}

/**
 * Rewrites a line with LGT and no GT, with the genotypes in front: an allele of LGT is that which LAA names there (VCF 4.5
 * §1.6.2; 0 is REF), or LA, which has REF too (Hail). LAD becomes AD. Undefined for other lines, and without either list. An
 * unlisted allele makes the line broken.
 */
export function withGenotypes(line: string): string | undefined {
  const columns = line.split('\t');
  const fields = columns[formatColumn]?.split(':') ?? [];
  const [genotype, alternates, alleles] = [
    fields.indexOf('LGT'),
    fields.indexOf('LAA'),
    fields.indexOf('LA'),
  ];
  if (genotype < 0 || fields.includes('GT') || (alternates < 0 && alleles < 0)) return undefined;
  const depths = fields.includes('AD') ? -1 : fields.indexOf('LAD');
  const alleleCount = 1 + (columns[alternateColumn]?.split(',').length ?? 0);
  const samples = columns.slice(columnsBeforeSamples).map((sample) => {
    const values = sample.split(':');
    const listed = (place: number): string[] => (values[place] ?? '').split(',');
    const own = alternates < 0 ? listed(alleles) : ['0', ...listed(alternates)];
    const given = depths < 0 ? '' : `:${globalDepths(listed(depths), own, alleleCount)}`;
    return `${global(values[genotype] ?? '.', own)}${given}:${sample}`;
  });
  const keys = `GT:${depths < 0 ? '' : 'AD:'}${fields.join(':')}`;
  return [...columns.slice(0, formatColumn), keys, ...samples].join('\t');
}

/** Writes a depth for each allele of the record; those that are not listed for the sample have none. */
function globalDepths(depths: readonly string[], alleles: readonly string[], alleleCount: number): string {
  if (depths.length !== alleles.length) return '.';
  const all = Array.from({ length: alleleCount }, () => '.');
  for (const [place, allele] of alleles.entries()) {
    const index = Number(allele);
    if (Number.isInteger(index) && index < alleleCount) all[index] = depths[place] || '.';
  }
  return all.join(',');
}

function global(genotype: string, alleles: readonly string[]): string {
  return genotype.replaceAll(/\d+/g, (allele) => {
    const named = allele === '0' ? '0' : (alleles[Number(allele)] ?? none);
    return /^\d+$/.test(named) ? named : none;
  });
}
