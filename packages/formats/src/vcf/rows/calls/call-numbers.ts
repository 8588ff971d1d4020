import { upperOf } from '../../../bytes.ts';
import type { Dictionary } from '../../../parquet/index.ts';
import { countsAlleles } from '../../evidence-keys.ts';
import type { FieldDefinition } from '../../header.ts';
import type { InfoValues } from '../info-values.ts';
import type { RecordLine } from '../record-line.ts';
import { contradicted, type Described, describedKeys, slots, slotsOf } from './call-keys.ts';
import { NumberList, SampleFields } from './sample-fields.ts';

/** Columns of `variant_call` with numbers of a sample. */
export const callNumbers = [
  'depth',
  'genotype_quality',
  'reference_depth',
  'alternate_depth',
  'allele_fraction',
] as const;
const numberSlots = slotsOf(callNumbers);
const { depth, genotype_quality: genotypeQuality, allele_fraction: alleleFraction } = numberSlots;
const { reference_depth: referenceDepth, alternate_depth: alternateDepth } = numberSlots;

const { GQ: gq, AD: ad, RD: rd, RO: ro, AO: ao, TAR: tar, TIR: tir, NV: nv, DP4: dp4 } = slots;
/** Slots of the counts of Strelka's somatic SNVs by base; those of tier 1 precede those of tier 2. */
const baseSlots: ReadonlyMap<number | undefined, number> = new Map(
  (['A', 'C', 'G', 'T'] as const).map((base) => [base.charCodeAt(0), slots[`${base}U`]]),
);
/** Depths by caller: nearly all; Strelka's indels; Platypus. */
const depthSlots = [slots.DP, slots.DPI, slots.NR];
const platypusDepth = slots.NR;
/** Fractions by caller: Mutect2, DRAGEN, VarDict; DeepVariant; Pisces; VarScan; MuTect 1. */
const fractionSlots = [slots.AF, slots.VAF, slots.VF, slots.FREQ, slots.FA];
const phaseSlots = [slots.PS, slots.PID];

/** INFO keys that are of the sample of a file with one. AN and NS count the alleles and samples of all. */
export const soleSampleKeys = ['DP', 'DP4', 'AN', 'NS'] as const;
/** Reads from which a fraction is compared with theirs, and how far callers' estimates are from these at most. */
const [comparedReadsMin, fractionDistanceMax] = [20, 0.2];
/** Called alleles that one person may have. */
const allelesOfOneMax = 2;

/** Numbers of a sample's call, from the fields of its caller (docs/formats/vcf.md, "Calls"). */
export class CallNumbers {
  /** Values in the order of `callNumbers`; NaN is NULL. */
  readonly values = new Float64Array(callNumbers.length);
  readonly #fields: SampleFields;
  readonly #described: Described;
  readonly #depthSlots: readonly number[];
  readonly #fractionSlots: readonly number[];
  readonly #numbers = new NumberList();
  readonly #info: InfoValues;
  readonly #infoSlots: readonly number[];
  readonly #hasAlleleDepths: boolean;
  /** Calls whose fraction was compared with their reads since `takeComparisons`, and those that differ. */
  #comparedCount = 0;
  #differingCount = 0;
  #hasSample = false;
  /** Set if the caller stated the fraction. */
  #isStated = false;
  #line: RecordLine | undefined;
  #total = 0;

  /**
   * `slotOf`: the slot of an INFO key; only of files with one sample. AD declared with a value for each allele may have that of the
   * reference alone, where tools split records.
   */
  constructor(
    info: InfoValues,
    slotOf: (key: string) => number | undefined,
    format: ReadonlyMap<string, FieldDefinition> = new Map(),
  ) {
    const hasAlleleDepths = countsAlleles(format.get('AD'));
    const { names, described } = describedKeys(format);
    this.#fields = new SampleFields(names);
    this.#described = described;
    this.#depthSlots = [...depthSlots, ...described.depths];
    const wrong = contradicted(format);
    this.#fractionSlots = [...fractionSlots, ...described.fractions].filter((slot) => !wrong.has(slot));
    this.#info = info;
    this.#hasAlleleDepths = hasAlleleDepths;
    this.#infoSlots = soleSampleKeys.map((key) => slotOf(key) ?? -1);
  }

  takeFormatCounts(): Map<string, number> {
    return this.#fields.takeFormatCounts();
  }

  /** Returns the counts of calls with a fraction and enough reads since the last call, and of differing ones. */
  takeComparisons(): { comparedFractionCount: number; differingFractionCount: number } {
    const counts = {
      comparedFractionCount: this.#comparedCount,
      differingFractionCount: this.#differingCount,
    };
    this.#comparedCount = 0;
    this.#differingCount = 0;
    return counts;
  }

  /** Takes the record. `isCounted`: its keys are counted, once. */
  begin(line: RecordLine, isCounted: boolean): void {
    this.#line = line;
    this.#hasSample = false;
    if (line.columnCount > 8) this.#fields.read(line, isCounted);
  }

  /** Reads the call of an alternate, from 1. `column`: start of the sample, -1 without one. */
  read(line: RecordLine, column: number, alternate: number): void {
    const { values } = this;
    const fields = this.#fields;
    values.fill(Number.NaN);
    this.#hasSample = column >= 0;
    if (this.#hasSample) {
      fields.select(line, column);
      this.#readDepths(line, alternate);
      if (Number.isNaN(values[alternateDepth] as number)) this.#readDescribed(line, alternate);
      this.#readDepth(alternate, line.alternateCount);
      values[genotypeQuality] = fields.number(gq);
      this.#readFraction(line, alternate);
    }
    this.#readInfo(line);
    this.#isStated = !Number.isNaN(values[alleleFraction] as number);
    if (!this.#isStated && this.#total > 0) values[alleleFraction] = this.#fractionOfReads;
  }

  get #fractionOfReads(): number {
    return (this.values[alternateDepth] as number) / this.#total;
  }

  /** Returns whether the caller saw no read with the alternate that was read; false where it counted none. */
  get isUnseen(): boolean {
    const count = this.values[alternateDepth] as number;
    return Number.isNaN(count) ? this.values[alleleFraction] === 0 : count === 0;
  }

  /** Reads the call of a row, and compares a fraction of the caller with that of its reads. */
  stated(line: RecordLine, column: number, alternate: number): this {
    this.read(line, column, alternate);
    if (this.#isStated && this.#total >= comparedReadsMin) this.#compare();
    return this;
  }

  #compare(): void {
    this.#comparedCount += 1;
    const distance = Math.abs((this.values[alleleFraction] as number) - this.#fractionOfReads);
    if (distance > fractionDistanceMax) this.#differingCount += 1;
  }

  /** Returns the index of the phase set among the texts; -1 without one. */
  takePhaseSet(texts: Dictionary): number {
    const fields = this.#fields;
    if (!this.#hasSample || !this.#line) return -1;
    for (const slot of phaseSlots)
      if (fields.has(slot)) return texts.take(this.#line.bytes, fields.startOf(slot), fields.endOf(slot));
    return -1;
  }

  #set(reference: number, alternate: number, total: number): void {
    this.values[referenceDepth] = whole(reference);
    this.values[alternateDepth] = whole(alternate);
    this.#total = Number.isNaN(this.values[alternateDepth]) ? 0 : total;
  }

  #readDepth(alternate: number, alternateCount: number): void {
    for (const slot of this.#depthSlots) {
      const isOfEach = slot === platypusDepth;
      if (this.#fields.list(slot) !== (isOfEach ? alternateCount : 1)) continue;
      this.values[depth] = whole(this.#fields.numbers.at(isOfEach ? alternate - 1 : 0));
      if (!Number.isNaN(this.values[depth])) return;
    }
  }

  #readDepths(line: RecordLine, alternate: number): void {
    const fields = this.#fields;
    const { numbers } = fields;
    const { alternateCount } = line;
    this.#total = 0;
    const listed = fields.list(ad);
    if (listed === alternateCount + 1) this.#set(numbers.at(0), numbers.at(alternate), numbers.sum(listed));
    else if (listed === 1 && alternateCount === 1 && !this.#hasAlleleDepths) {
      // VarScan, SvABA: AD is of the alternate alone.
      const own = numbers.at(0);
      const reference = fields.number(rd);
      this.#set(reference, own, reference + own);
    } else if (fields.list(ao) === alternateCount) {
      const own = numbers.at(alternate - 1);
      const all = numbers.sum(alternateCount);
      const reference = fields.number(ro);
      this.#set(reference, own, reference + all);
    } else if (fields.has(tir)) this.#setTwo(fields.firstTier(tar), fields.firstTier(tir));
    else if (fields.list(nv) === alternateCount) {
      const own = numbers.at(alternate - 1);
      const hasTotal = fields.list(platypusDepth) === alternateCount;
      this.#set(Number.NaN, own, hasTotal ? numbers.at(alternate - 1) : 0);
    } else if (fields.list(dp4) === 4 && alternateCount === 1)
      this.#setTwo(numbers.at(0) + numbers.at(1), numbers.at(2) + numbers.at(3));
    else this.#readBases(line, alternate);
  }

  /** Reads what the header describes: lists of both alleles together, else pairs of counts, else the surest single one. */
  #readDescribed({ alternateCount }: RecordLine, alternate: number): void {
    const fields = this.#fields;
    const { lists, pairs, alone } = this.#described;
    let [reference, own, total] = [0, 0, 0];
    let isFound = false;
    for (const slot of lists) {
      const listed = fields.list(slot);
      if (listed !== alternateCount + 1) continue;
      isFound = true;
      reference += fields.numbers.at(0) || 0;
      own += fields.numbers.at(alternate) || 0;
      total += fields.numbers.sum(listed);
    }
    if (isFound) {
      this.#set(reference, own, total);
      return;
    }
    const countAt = (slot: number): number => {
      const listed = fields.list(slot);
      const isOfEach = listed === alternateCount;
      return isOfEach || listed === 1 ? fields.numbers.at(isOfEach ? alternate - 1 : 0) : Number.NaN;
    };
    const counted = pairs.filter(([, slot]) => fields.has(slot));
    const sum = (side: 0 | 1): number => counted.reduce((left, pair) => left + countAt(pair[side]), 0);
    const single = alone.find((slot) => fields.has(slot));
    if (counted.length > 0) this.#setTwo(sum(0), sum(1));
    else if (single !== undefined) this.#set(Number.NaN, countAt(single), Number.NaN);
  }

  #setTwo(reference: number, own: number): void {
    this.#set(reference, own, reference + own);
  }

  #readBases(line: RecordLine, alternate: number): void {
    const start = line.alternateStarts[alternate - 1] as number;
    if (line.endOf(3) - line.startOf(3) !== 1 || (line.alternateEnds[alternate - 1] as number) - start !== 1)
      return;
    const from = baseSlots.get(upperOf(line.bytes[line.startOf(3)] ?? 0));
    const to = baseSlots.get(upperOf(line.bytes[start] ?? 0));
    if (from === undefined || to === undefined || !this.#fields.has(from)) return;
    // Strelka's own formula for the fraction (its user guide, "Somatic variant allele frequencies").
    this.#setTwo(this.#fields.firstTier(from), this.#fields.firstTier(to));
  }

  #readFraction({ alternateCount }: RecordLine, alternate: number): void {
    const fields = this.#fields;
    for (const slot of this.#fractionSlots) {
      if (fields.list(slot) !== alternateCount) continue;
      const fraction = fields.numbers.at(alternate - 1);
      if (!(fraction <= 1)) continue;
      this.values[alleleFraction] = fraction;
      return;
    }
  }

  /** INFO of a file with one sample describes that sample (bcftools, LoFreq), unless it counts alleles or samples of more. */
  #readInfo({ bytes, alternateCount }: RecordLine): void {
    const { values } = this;
    const [depthSlot = -1, strandSlot = -1, allelesSlot = -1, samplesSlot = -1] = this.#infoSlots;
    const numberOf = (slot: number): number =>
      this.#listInfo(bytes, slot) === 1 ? this.#numbers.at(0) : Number.NaN;
    if (numberOf(allelesSlot) > allelesOfOneMax || numberOf(samplesSlot) > 1) return;
    if (Number.isNaN(values[depth] as number)) values[depth] = whole(numberOf(depthSlot));
    if (alternateCount !== 1 || !Number.isNaN(values[alternateDepth] as number)) return;
    if (this.#listInfo(bytes, strandSlot) !== 4) return;
    this.#setTwo(this.#numbers.at(0) + this.#numbers.at(1), this.#numbers.at(2) + this.#numbers.at(3));
  }

  #listInfo(bytes: Uint8Array, slot: number): number {
    const info = this.#info;
    if (slot < 0 || !info.has(slot, bytes)) return 0;
    return this.#numbers.read(bytes, info.starts[slot] as number, info.ends[slot] as number);
  }
}

/** Reads a count of reads; NaN for other text. */
function whole(value: number): number {
  return Number.isSafeInteger(value) ? value : Number.NaN;
}
