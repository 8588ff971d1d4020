import { textAt } from '../../delimited/index.ts';
import { isWithin } from '../../tables/domains.ts';
import { chromosomeName } from '../chromosomes.ts';
import { type EvidenceKeys, evidenceKeys, evidenceOf } from '../evidence-keys.ts';
import { columnsBeforeSamples, type FieldDefinition } from '../header.ts';
import { infoOf } from '../info-text.ts';
import { isOfUnit } from '../meaning.ts';
import { joinedFilters, keysWith, supportIn, supportKeys } from '../support.ts';

/** Keys that hold the number of copies; `TCN` is that of ASCAT. */
const copyKeys = ['CN', 'TCN'];

/** Reads a number (VCF 4.3 §1.3), without the words for a missing one. */
const decimal = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?$/i;

/** One sample of a record. */
export interface StructuralSample {
  /** Index of the sample; 0 without sample columns as well. */
  index: number;
  genotype: string | undefined;
  /** Numbers of the alleles; `undefined` for one that is not called. Empty without a genotype. */
  alleles: readonly (number | undefined)[];
  copies: number | undefined;
  /** Set if reads support an alternate; undefined without a count of them. */
  isSupported: boolean | undefined;
  /** Set if decided by the evidence of a program that calls no genotypes. */
  isUncalled?: boolean;
  /** Copies that the chromosome normally has in this sample. */
  normalCopies: number | undefined;
  /** Filters of the genotype. */
  filter: string;
  referenceDepth: number | undefined;
  alternateDepth: number | undefined;
}

/** Fields of INFO, by the header, with which a structural record is read. */
export interface StructuralFields {
  /** Set if INFO/CN holds the copies of each alternate (`Number=A`, VCF 4.4 §3), not those of the sample. */
  hasAlleleCopies: boolean;
  /** Set if INFO includes samples that were removed from the file. */
  isSubset?: boolean;
  /** Definitions of INFO and FORMAT. */
  declared?: ReadonlyMap<string, FieldDefinition>;
  format?: ReadonlyMap<string, FieldDefinition>;
}

/** Keys of a file by what they mean; those that programs are known to use stand first. */
export interface StructuralKeys {
  copies: readonly string[];
  copiesOfInfo: readonly string[];
  genes: readonly string[];
  normalCopies: readonly string[];
  support: readonly string[];
  filter: readonly string[];
  evidence: EvidenceKeys;
}

/** Finds the keys of a header that are read of structural records. */
export function structuralKeys({
  declared = new Map(),
  format = new Map(),
}: StructuralFields): StructuralKeys {
  const first = (known: readonly string[], others: readonly string[]): string[] => [
    ...new Set([...known, ...others]),
  ];
  return {
    copies: first(
      copyKeys.filter((key) => !isOfUnit(format.get(key)?.description ?? '')),
      keysWith('copies', format),
    ),
    copiesOfInfo: first(['CN'], keysWith('copies', declared)),
    genes: keysWith('genes', declared),
    normalCopies: keysWith('normalCopies', format),
    support: supportKeys(declared),
    filter: first(['FT'], keysWith('filter', format)),
    evidence: evidenceKeys(format),
  };
}

/** Attributes of a row: its filters, and the reads of the sample. */
export function attributesOfEvidence(
  record: StructuralRecord,
  { filter, referenceDepth, alternateDepth }: StructuralSample,
): Record<string, unknown> {
  return {
    filter: joinedFilters(record.filter ?? '', filter) || undefined,
    reference_depth: referenceDepth,
    alternate_depth: alternateDepth,
  };
}

/** Line of a VCF as text. Few lines are structural, so that this need not be fast. */
export class StructuralRecord {
  readonly chromosome: string;
  readonly position: number;
  readonly id: string | undefined;
  readonly alternates: readonly string[];
  readonly quality: number | undefined;
  readonly filter: string | undefined;
  readonly hasSamples: boolean;
  readonly format: string;
  readonly samples: readonly StructuralSample[];
  readonly #info: ReadonlyMap<string, string>;
  readonly #hasAlleleCopies: boolean;
  readonly #isSubset: boolean;
  readonly #keys: StructuralKeys;
  /** Keys of copies under INFO/CN and SVLEN. */
  readonly #copies: readonly string[];
  readonly #lengths: readonly string[];

  constructor(
    line: string,
    sampleCount: number,
    { hasAlleleCopies, isSubset = false }: StructuralFields,
    keys: StructuralKeys,
  ) {
    this.#keys = keys;
    const fields = line.split('\t');
    const [chromosome = '', position = '', , , alternates = '', quality = '', , info = ''] = fields;
    this.chromosome = chromosomeName(chromosome);
    this.position = Number(position);
    this.id = textAt(fields, 2);
    this.alternates = alternates.split(',');
    this.quality = numberIn(quality);
    this.filter = textAt(fields, 6);
    this.#info = infoOf(info);
    this.#copies = this.info('CN')?.split(',') ?? [];
    // A copy number of the sample is one value: a list has one for each alternate, even if the header does not declare it.
    this.#hasAlleleCopies = hasAlleleCopies || this.#copies.length > 1;
    this.#lengths = this.info('SVLEN')?.split(',') ?? [];
    this.#isSubset = isSubset;
    this.hasSamples = sampleCount > 0;
    this.format = fields[columnsBeforeSamples - 1] ?? '';
    const format = this.format.split(':');
    const columns = fields.slice(columnsBeforeSamples, columnsBeforeSamples + sampleCount);
    this.samples = this.hasSamples
      ? columns.map((text, index) => sampleOf(text.split(':'), format, index, keys))
      : [{ ...noSample, index: 0 }];
  }

  /** Keys of INFO. */
  get keys(): Iterable<string> {
    return this.#info.keys();
  }

  /** Returns the value of an INFO key; empty for a flag, undefined without one. */
  info(...keys: readonly string[]): string | undefined {
    return keys.map((key) => this.#info.get(key)).find((value) => value !== undefined && value !== '.');
  }

  /** Returns the number under an INFO key; undefined for a list, whose counting item is unknown. */
  infoNumber(key: string): number | undefined {
    return numberIn(this.info(key) ?? '');
  }

  /** Returns INFO/CN where it is the copies of all alleles: of the only sample. */
  get copies(): number | undefined {
    return this.#hasAlleleCopies || this.#isSubset || this.samples.length !== 1
      ? undefined
      : copiesIn(this.info(...this.#keys.copiesOfInfo)?.split(',')[0] ?? '');
  }

  /** Keys of genes by the header. */
  get genes(): string[] {
    return this.#keys.genes.flatMap((key) => this.info(key)?.split(/[,&|]/) ?? []);
  }

  /** Set if the record passed its filters without a called allele, so that counted reads are the call. */
  get isUncalled(): boolean {
    return (
      this.filter === 'PASS' && this.samples.every(({ alleles }) => alleles.every((one) => one === undefined))
    );
  }

  /** Returns whether reads support the alternates in a sample; INFO counts those of the only one. */
  isSupported({ isSupported }: StructuralSample): boolean | undefined {
    if (isSupported !== undefined || this.samples.length !== 1) return isSupported;
    return supportIn(this.#keys.support, (key) => this.info(key));
  }

  /** Returns INFO/CN where it is the copies of one alternate. */
  alleleCopies(place: number): number | undefined {
    return this.#hasAlleleCopies ? copiesIn(this.#copies[place] ?? '') : undefined;
  }

  /**
   * Returns whether the record claims of an alternate only that two places are joined: what is between them may be elsewhere
   * (`SVCLAIM=J`, VCF 4.4 §3).
   */
  claimsJunction(place: number): boolean {
    const claims = this.info('SVCLAIM')?.split(',') ?? [];
    return claims[claims.length === this.alternates.length ? place : 0]?.trim().toUpperCase() === 'J';
  }

  /** Set if END precedes POS, or END or SVLEN are lists of another length than the alternates: they mark no end. */
  get hasOddEnd(): boolean {
    const given = this.info('END');
    const isLate = given === undefined || Number(given) >= this.position;
    return !isLate || (this.#lengths.length > 1 && this.#lengths.length !== this.alternates.length);
  }

  /**
   * Returns the last base of a symbolic alternate. END is that of the longest alternate (VCF 4.4 §1.6.1). Each of several has
   * its own end by SVLEN, if there is one for each.
   */
  end(place: number): number | undefined {
    const lengths = this.#lengths;
    const isOwn = lengths.length === this.alternates.length;
    const length = isOwn ? lengths[place] : lengths.length === 1 ? lengths[0] : undefined;
    const own = Math.abs(numberIn(length ?? '') ?? 0);
    const byLength = own > 0 ? this.position + own : undefined;
    if (isOwn && lengths.length > 1 && byLength !== undefined) return byLength;
    const given = this.infoNumber('END');
    return given !== undefined && given >= this.position ? given : byLength;
  }
}

const noSample: Omit<StructuralSample, 'index'> = {
  genotype: undefined,
  alleles: [],
  copies: undefined,
  isSupported: undefined,
  normalCopies: undefined,
  filter: '',
  referenceDepth: undefined,
  alternateDepth: undefined,
};

function sampleOf(
  values: readonly string[],
  format: readonly string[],
  index: number,
  keys: StructuralKeys,
): StructuralSample {
  const under = (key: string): string | undefined => textAt(values, format.indexOf(key));
  const firstOf = (names: readonly string[]): number | undefined =>
    names.map((key) => copiesIn(under(key) ?? '')).find((number) => number !== undefined);
  const genotype = values[format.indexOf('GT')];
  const alleles = (genotype ?? '')
    .split(/[|/]/)
    .filter((allele) => allele !== '')
    .map((allele) => (allele === '.' ? undefined : Number(allele)));
  const numbersOf = (key: string): (number | undefined)[] => under(key)?.split(',').map(numberIn) ?? [];
  const evidence = evidenceOf(keys.evidence, numbersOf);
  const { isSupported } = evidence;
  // LUMPY sums all evidence in SU, and calls no genotypes.
  const isUncalled = isSupported && Number(under('SU')) > 0;
  return {
    index,
    genotype,
    alleles,
    copies: firstOf(keys.copies),
    isSupported,
    normalCopies: firstOf(keys.normalCopies),
    filter: keys.filter.map(under).find((text) => text !== undefined) ?? '',
    referenceDepth: evidence.reference,
    alternateDepth: evidence.alternate,
    ...(isUncalled && { isUncalled }),
  };
}

function numberIn(text: string): number | undefined {
  return decimal.test(text) ? Number(text) : undefined;
}

/** Reads a number of copies; programs write -1 where they could not estimate it (Delly). */
function copiesIn(text: string): number | undefined {
  const copies = numberIn(text);
  return copies !== undefined && isWithin('copy_number', copies) ? copies : undefined;
}
