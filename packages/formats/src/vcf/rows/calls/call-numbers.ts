import { upperOf } from '../../../bytes.ts';
import type { Dictionary } from '../../../parquet/index.ts';
import { isWithin } from '../../../tables/domains.ts';
import { countsAlleles } from '../../evidence-keys.ts';
import type { FieldDefinition } from '../../header.ts';
import { isOtherOrder } from '../../meaning.ts';
import { strandReads } from '../../strand-counts.ts';
import type { InfoValues } from '../info-values.ts';
import type { PlainCounts } from '../mapping-counts.ts';
import type { RecordLine } from '../record-line.ts';
import {
  baseSlots,
  contradicted,
  type Described,
  depthSlots,
  describedKeys,
  fractionSlots,
  isPhased,
  phaseSlots,
  slots,
  slotsOf,
} from './call-keys.ts';
import { FractionComparison, statedFraction } from './fraction-comparison.ts';
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
/** INFO keys that are of the sample of a file with one. AN and NS count the alleles and samples of all. */
export const soleSampleKeys = ['DP', 'DP4', 'AN', 'NS'] as const;
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
  /** Set if AD is described in another order than reference, alternates. */
  readonly #isOtherOrder: boolean;
  /** Fractions of callers, compared with those of their reads. */
  readonly #fractions = new FractionComparison();
  #hasSample = false;
  /** Set if the caller counted the reads of one strand, and none with the alternate. */
  #isPartlyUnseen = false;
  /** Set if the caller stated the fraction. */
  #isStated = false;
  #line: RecordLine | undefined;
  #total = 0;
  /** Numbers of the call that was read that no column may hold. */
  #oddOfCall = 0;
  #oddNumberCount = 0;

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
    this.#isOtherOrder = isOtherOrder(format.get('AD')?.description ?? '');
    this.#infoSlots = soleSampleKeys.map((key) => slotOf(key) ?? -1);
  }

  takeFormatCounts(): Map<string, number> {
    return this.#fields.takeFormatCounts();
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
    this.#isPartlyUnseen = false;
    this.#oddOfCall = 0;
    this.#hasSample = column >= 0;
    if (this.#hasSample) {
      fields.select(line, column);
      this.#readDepths(line, alternate);
      if (Number.isNaN(values[alternateDepth] as number)) this.#readDescribed(line, alternate);
      if (Number.isNaN(values[alternateDepth] as number)) this.#readStrands(line.alternateCount, alternate);
      this.#readDepth(alternate, line.alternateCount);
      values[genotypeQuality] = this.#within('genotype_quality', fields.number(gq));
      values[alleleFraction] = statedFraction(fields, this.#fractionSlots, line.alternateCount, alternate);
    }
    this.#readInfo(line);
    this.#isStated = !Number.isNaN(values[alleleFraction] as number);
    if (!this.#isStated && this.#total > 0) values[alleleFraction] = this.#fractionOfReads;
  }

  get #fractionOfReads(): number {
    return (this.values[alternateDepth] as number) / this.#total;
  }

  /** Returns whether the sample has neither a count nor a fraction of the alternate that was read. */
  get isOpen(): boolean {
    const { values } = this;
    const isCounted = [alternateDepth, alleleFraction].some((slot) => !Number.isNaN(values[slot]));
    return !isCounted && !this.#isPartlyUnseen;
  }

  /**
   * Returns whether the caller saw no read with the alternate that was read; undefined where it counted a part of the reads,
   * and none of them has it. False where it counted nothing.
   */
  get isUnseen(): boolean | undefined {
    const count = this.values[alternateDepth] as number;
    if (!Number.isNaN(count)) return count === 0;
    const fraction = this.values[alleleFraction] as number;
    return Number.isNaN(fraction) && this.#isPartlyUnseen ? undefined : fraction === 0;
  }

  /** Reads the call of a row, and compares a fraction of the caller with that of its reads. */
  stated(line: RecordLine, column: number, alternate: number): this {
    this.read(line, column, alternate);
    if (this.#isStated)
      this.#fractions.add(this.values[alleleFraction] as number, this.#fractionOfReads, this.#total);
    this.#oddNumberCount += this.#oddOfCall;
    return this;
  }

  /** Returns what rows of calls had since the last call. */
  takeCounts(): Partial<PlainCounts> {
    const oddNumberCount = this.#oddNumberCount;
    this.#oddNumberCount = 0;
    return { ...this.#fractions.take(), oddNumberCount };
  }

  /** Returns the index of the phase set among the texts; -1 without one. */
  takePhaseSet(texts: Dictionary): number {
    const fields = this.#fields;
    if (!this.#hasSample || !this.#line) return -1;
    for (const slot of phaseSlots)
      if (fields.has(slot) && isPhased(fields, this.#line.bytes, slot))
        return texts.take(this.#line.bytes, fields.startOf(slot), fields.endOf(slot));
    return -1;
  }

  #set(reference: number, alternate: number, total: number): void {
    this.values[referenceDepth] = this.#whole(reference);
    this.values[alternateDepth] = this.#whole(alternate);
    this.#total = Number.isNaN(this.values[alternateDepth]) ? 0 : total;
  }

  #readDepth(alternate: number, alternateCount: number): void {
    for (const slot of this.#depthSlots) {
      const isOfEach = slot === slots.NR;
      if (this.#fields.list(slot) !== (isOfEach ? alternateCount : 1)) continue;
      this.values[depth] = this.#whole(this.#fields.numbers.at(isOfEach ? alternate - 1 : 0));
      if (!Number.isNaN(this.values[depth])) return;
    }
  }

  #readDepths(line: RecordLine, alternate: number): void {
    const fields = this.#fields;
    const { numbers } = fields;
    const { alternateCount } = line;
    this.#total = 0;
    const listed = this.#isOtherOrder ? 0 : fields.list(ad);
    if (listed === alternateCount + 1) this.#set(numbers.at(0), numbers.at(alternate), numbers.sum(listed));
    else if (listed === 1 && alternateCount === 1 && !this.#hasAlleleDepths) {
      // VarScan, SvABA: AD is of the alternate alone.
      const own = numbers.at(0);
      this.#setTwo(fields.number(rd), own);
    } else if (fields.list(ao) === alternateCount) {
      const own = numbers.at(alternate - 1);
      const all = numbers.sum(alternateCount);
      const reference = fields.number(ro);
      this.#set(reference, own, reference + all);
    } else if (fields.has(tir)) this.#setTwo(fields.firstTier(tar), fields.firstTier(tir));
    else if (fields.list(nv) === alternateCount) {
      const own = numbers.at(alternate - 1);
      const hasTotal = fields.list(slots.NR) === alternateCount;
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
    const countAt = (slot: number): number => {
      const listed = fields.list(slot);
      const isOfEach = listed === alternateCount;
      return isOfEach || listed === 1 ? fields.numbers.at(isOfEach ? alternate - 1 : 0) : Number.NaN;
    };
    const counted = pairs.filter(([, slot]) => fields.has(slot));
    const sum = (side: 0 | 1): number => counted.reduce((left, pair) => left + countAt(pair[side]), 0);
    const single = alone.find((slot) => fields.has(slot));
    if (isFound) this.#set(reference, own, total);
    else if (counted.length > 0) this.#setTwo(sum(0), sum(1));
    else if (single !== undefined) this.#set(Number.NaN, countAt(single), Number.NaN);
  }

  /** Reads the counts of both strands. Those of one alone are no depth. */
  #readStrands(alternateCount: number, alternate: number): void {
    const { strands, slotOfStrand } = this.#described;
    if (strands.length === 0) return;
    const fields = this.#fields;
    const numbersOf = (key: string): number[] =>
      Array.from({ length: fields.list(slotOfStrand.get(key) ?? -1) }, (_, at) => fields.numbers.at(at));
    const found = strandReads(strands, numbersOf, alternateCount, alternate);
    if (!found) return;
    this.#isPartlyUnseen = found.isPartial && found.alternate === 0;
    if (!found.isPartial) this.#set(found.reference ?? Number.NaN, found.alternate, found.total);
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

  /** INFO of a file with one sample describes that sample (bcftools, LoFreq), unless it counts alleles or samples of more. */
  #readInfo({ bytes, alternateCount }: RecordLine): void {
    const { values } = this;
    const [depthSlot = -1, strandSlot = -1, allelesSlot = -1, samplesSlot = -1] = this.#infoSlots;
    const numberOf = (slot: number): number =>
      this.#listInfo(bytes, slot) === 1 ? this.#numbers.at(0) : Number.NaN;
    if (numberOf(allelesSlot) > allelesOfOneMax || numberOf(samplesSlot) > 1) return;
    if (Number.isNaN(values[depth] as number)) values[depth] = this.#whole(numberOf(depthSlot));
    if (alternateCount !== 1 || !Number.isNaN(values[alternateDepth] as number)) return;
    if (this.#listInfo(bytes, strandSlot) !== 4) return;
    this.#setTwo(this.#numbers.at(0) + this.#numbers.at(1), this.#numbers.at(2) + this.#numbers.at(3));
  }

  #listInfo(bytes: Uint8Array, slot: number): number {
    const info = this.#info;
    if (slot < 0 || !info.has(slot, bytes)) return 0;
    return this.#numbers.read(bytes, info.starts[slot] as number, info.ends[slot] as number);
  }

  #whole(value: number): number {
    return this.#within('depth', value);
  }

  /** Returns a number that a column may hold; NaN for others, which are counted. */
  #within(column: string, value: number): number {
    if (isWithin(column, value)) return value;
    if (!Number.isNaN(value)) this.#oddOfCall += 1;
    return Number.NaN;
  }
}
