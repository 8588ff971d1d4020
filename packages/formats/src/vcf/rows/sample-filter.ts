import { textOf } from '../../bytes.ts';
import type { Dictionary } from '../../parquet/index.ts';
import { infoOf } from '../info-text.ts';
import { joinedFilters, passes, supportIn } from '../support.ts';
import { type CallNumbers, callNumbers } from './calls/call-numbers.ts';
import { SampleFields } from './calls/sample-fields.ts';
import type { Carriers } from './genotypes.ts';
import type { InfoValues } from './info-values.ts';
import type { RecordLine } from './record-line.ts';

const [filterColumn, infoColumn] = [6, 7];
const alternateDepth = callNumbers.indexOf('alternate_depth');

/** The filters of genotypes (FORMAT/FT) and of single alleles (AS_FilterStatus of GATK), which join FILTER. */
export class SampleFilter {
  readonly #fields: SampleFields;
  readonly #info: InfoValues;
  readonly #alleleSlot: number;

  /** `key`: of FORMAT. `alleleSlot`: of the INFO key with a filter for each alternate; -1 without one. */
  constructor(key: string | undefined, info: InfoValues, alleleSlot: number) {
    this.#fields = new SampleFields(key === undefined ? [] : [key]);
    this.#info = info;
    this.#alleleSlot = alleleSlot;
  }

  /** Returns whether an alternate of a record failed a filter of its own. */
  hasFailed(line: RecordLine, alternate: number): boolean {
    return !passes(this.#ofAllele(line, alternate));
  }

  /** Returns the filters of one alternate, joined as in FILTER. SITE: those of the record. */
  #ofAllele({ bytes, alternateCount }: RecordLine, alternate: number): string {
    const [info, slot] = [this.#info, this.#alleleSlot];
    if (slot < 0 || !info.has(slot, bytes)) return '';
    const text = textOf(bytes, info.starts[slot] as number, info.ends[slot] as number);
    return filtersOfAllele(text, alternate, alternateCount)
      .filter((filter) => filter !== 'SITE')
      .join(';');
  }

  /** Drops the carriers whose genotype failed. */
  keepPassed(line: RecordLine, carriers: Carriers): void {
    this.#fields.read(line);
    carriers.keep((column) => passes(this.#textOf(line, column)));
  }

  /** The number of FILTER with what the genotype and the allele failed among the texts. */
  take(line: RecordLine, column: number, alternate: number, texts: Dictionary): number {
    this.#fields.read(line);
    const ofRecord = line.is(filterColumn, '.')
      ? ''
      : textOf(line.bytes, line.startOf(filterColumn), line.endOf(filterColumn));
    const ofGenotype = joinedFilters(ofRecord, this.#textOf(line, column));
    texts.begin().text(joinedFilters(ofGenotype, this.#ofAllele(line, alternate)));
    return texts.end();
  }

  #textOf(line: RecordLine, column: number): string {
    const fields = this.#fields;
    if (column < 0) return '';
    fields.select(line, column);
    return fields.has(0) ? textOf(line.bytes, fields.startOf(0), fields.endOf(0)) : '';
  }
}

/** Words that an allele has alone. */
const alone: readonly string[] = ['PASS', 'SITE', '.'];

/**
 * Returns the filters of an alternate, from 1. GATK writes `weak_evidence,base_qual|SITE` for two alternates, gnomAD `RF|AC0,PASS`:
 * those that the alternate has by each possible reading.
 */
export function filtersOfAllele(text: string, alternate: number, alternateCount: number): string[] {
  const alleles = alternateCount === 1 ? [[text]] : [text.split('|'), text.split(',')];
  const [first, ...others] = alleles
    .filter(({ length }) => length === alternateCount)
    .map((parts) => parts.map((part) => part.split(/[\s,;|]+/).filter((filter) => filter !== '')))
    .filter((parts) => parts.every((one) => one.length === 1 || !one.some((word) => alone.includes(word))))
    .map((parts) => parts[alternate - 1] ?? []);
  return [...new Set(first)].filter((filter) => others.every((other) => other.includes(filter)));
}

/**
 * Decides by counted reads who carries the alternates of a record without genotypes. `evidence` has begun the record.
 */
export function readSupport(
  line: RecordLine,
  carriers: Carriers,
  evidence: CallNumbers,
  support: readonly string[],
): void {
  const supported = supportOfInfo(line, carriers, support);
  if (carriers.count === 0) takeUncalled(line, carriers, evidence, supported);
  carriers.dropUnseen(line.alternateCount, (column, alternate) => {
    evidence.read(line, column, alternate);
    return evidence.isOpen ? supported(alternate) === false : evidence.isUnseen;
  });
}

/** Reads what INFO counts for an alternate of the only sample; undefined where it counts nothing. */
function supportOfInfo(
  line: RecordLine,
  { sampleCount }: Carriers,
  support: readonly string[],
): (alternate: number) => boolean | undefined {
  if (sampleCount !== 1) return () => undefined;
  const info = infoOf(textOf(line.bytes, line.startOf(infoColumn), line.endOf(infoColumn)));
  const { alternateCount } = line;
  return (alternate) => supportIn(support, (key) => info.get(key), { alternate, alternateCount });
}

/**
 * Takes the samples of a record that passed whose caller counted reads without a genotype (`./.`), for some alternate.
 */
function takeUncalled(
  line: RecordLine,
  carriers: Carriers,
  evidence: CallNumbers,
  supported: (alternate: number) => boolean | undefined,
): void {
  carriers.takeUncalled((column) => {
    for (let alternate = 1; alternate <= line.alternateCount; alternate += 1) {
      evidence.read(line, column, alternate);
      if ((evidence.values[alternateDepth] as number) > 0 || supported(alternate) === true) return true;
    }
    return false;
  });
}
