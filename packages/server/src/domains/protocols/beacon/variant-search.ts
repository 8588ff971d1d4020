import { literal } from '@ploidy/engine';
import { chromosomeName } from '@ploidy/formats/chromosomes';
import { invalidInput } from '../../../base/problem.ts';
import type { PatientFilter } from './filters.ts';

/** Parameters of a search for variants (Beacon 2.0). Positions count from 0, and ends are exclusive. */
export interface VariantSearch {
  referenceName?: string | undefined;
  start?: readonly number[] | undefined;
  end?: readonly number[] | undefined;
  referenceBases?: string | undefined;
  alternateBases?: string | undefined;
  assemblyId?: string | undefined;
  geneId?: string | undefined;
  aminoacidChange?: string | undefined;
  /** Terms that the patients of the samples must all have. */
  filters?: readonly string[] | undefined;
}

/** Longest range of a search, in bases. */
const rangeMax = 10_000_000;

/**
 * Builds the statement whose rows are the alleles that match. Problem 400 for parameters that are none of the
 * four kinds of search: allele, range, bracket or gene.
 */
export function allelesStatement(search: VariantSearch, filters: readonly PatientFilter[]): string {
  const patients = filters.length === 0 ? [] : ['JOIN sequence AS s ON s.id = variant.sample_id'];
  const from = ['variant', ...patients, ...filters.map(({ joins }) => joins)].join(' ');
  const conditions = [...conditionsOf(search), ...filters.map((one) => one.conditions)].join(' AND ');
  return `SELECT chromosome, position, reference, alternate, count(*) AS found FROM ${from}
    WHERE ${conditions} GROUP BY chromosome, position, reference, alternate`;
}

function conditionsOf(search: VariantSearch): string[] {
  const { referenceName, start, end, geneId, aminoacidChange, alternateBases } = search;
  const more = [
    ...(geneId === undefined ? [] : [`gene = ${literal(geneId)}`]),
    ...(aminoacidChange === undefined ? [] : [`amino_acid_change = ${literal(aminoacidChange)}`]),
  ];
  if (start === undefined || referenceName === undefined) {
    if (geneId !== undefined && !start && !end && !referenceName) return [...more, ...basesOf(search)];
    throw invalidInput([{ path: 'query/referenceName', message: 'and start are needed without a geneId' }]);
  }
  const chromosome = `chromosome = ${literal(chromosomeName(referenceName))}`;
  if (end === undefined) {
    if (alternateBases === undefined || start.length !== 1)
      throw invalidInput([{ path: 'query/end', message: 'is needed without alternateBases' }]);
    return [chromosome, ...alleleOf(search, start[0] ?? 0), ...more];
  }
  const [first = 0, last = first] = start;
  const [endFirst = 0, endLast = endFirst] = end;
  if (last < first || endLast < endFirst || endLast <= first || endLast - first > rangeMax)
    throw invalidInput([{ path: 'query/end', message: `must be at most ${rangeMax} bases behind start` }]);
  const places =
    start.length === 1 && end.length === 1
      ? [`position <= ${endFirst}`, `position + length(reference) > ${first + 1}`]
      : [
          `position BETWEEN ${first + 1} AND ${last + 1}`,
          `position - 1 + length(reference) BETWEEN ${endFirst} AND ${endLast}`,
        ];
  return [chromosome, ...places, ...basesOf(search), ...more];
}

function basesOf({ referenceBases, alternateBases }: VariantSearch): string[] {
  return [
    ...(referenceBases === undefined ? [] : [basesAre('reference', referenceBases)]),
    ...(alternateBases === undefined ? [] : [basesAre('alternate', alternateBases)]),
  ];
}

/** Bases of each code for several (IUPAC-IUB 1984); Beacon requires `N` as any base. */
const severalBases: Readonly<Record<string, string>> = {
  ...{ R: 'AG', Y: 'CT', S: 'CG', W: 'AT', K: 'GT', M: 'AC' },
  ...{ B: 'CGT', D: 'AGT', H: 'ACT', V: 'ACG', N: 'ACGT' },
};

const plainBases = (bases: string): string => bases.toUpperCase().replaceAll('U', 'T');
const isPlain = (bases: string): boolean => /^[ACGT]*$/.test(bases);

function basesAre(column: 'reference' | 'alternate', given: string): string {
  const bases = plainBases(given);
  if (isPlain(bases)) return `${column} = ${literal(bases)}`;
  const pattern = bases.replace(/[^ACGT]/g, (code) => `[${severalBases[code] ?? code}]`);
  return `regexp_like(${column}, ${literal(`^${pattern}$`)})`;
}

/** Chooses one allele, in the form in which tables have it: without common ends, the end first; one base stays. */
function alleleOf({ referenceBases, alternateBases = '' }: VariantSearch, start: number): string[] {
  if (referenceBases === undefined) return [`position = ${start + 1}`, ...basesOf({ alternateBases })];
  let [reference, alternate, position] = [plainBases(referenceBases), plainBases(alternateBases), start + 1];
  if (!isPlain(reference + alternate))
    return [`position = ${position}`, ...basesOf({ referenceBases: reference, alternateBases: alternate })];
  while (reference.length > 1 && alternate.length > 1 && reference.at(-1) === alternate.at(-1))
    [reference, alternate] = [reference.slice(0, -1), alternate.slice(0, -1)];
  while (reference.length > 1 && alternate.length > 1 && reference[0] === alternate[0])
    [reference, alternate, position] = [reference.slice(1), alternate.slice(1), position + 1];
  return [`position = ${position}`, ...basesOf({ referenceBases: reference, alternateBases: alternate })];
}
