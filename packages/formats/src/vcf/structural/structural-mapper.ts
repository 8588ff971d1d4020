import type { Genome } from '../../consequences/spliced.ts';
import type { Row } from '../../parquet/index.ts';
import type { AnnotationLayout } from '../annotation-layout.ts';
import { LineReader } from '../rows/line-reader.ts';
import { passes } from '../support.ts';
import { type Joint, type StructuralAlternate, structuralAlternate } from './alternate.ts';
import { copyNumberRow, hasCopies } from './copy-number-rows.ts';
import { fusionRow, hasJoint } from './fusion-rows.ts';
import { genesOf } from './genes.ts';
import { jointKey, ordered } from './joint-order.ts';
import { ownAnnotations } from './own-annotations.ts';
import { reachedBy } from './reached.ts';
import {
  type StructuralFields,
  type StructuralKeys,
  StructuralRecord,
  structuralKeys,
} from './structural-record.ts';

interface StructuralSettings extends StructuralFields {
  sampleCount: number;
  /** Names of the samples in the lake; for a sites-only file one, or an empty list. */
  sampleIds: readonly string[];
  layouts: readonly AnnotationLayout[];
  /** Gene models for records without annotations. */
  genome?: Genome | undefined;
  /** Samples whose own filters failed are left out. */
  passOnly?: boolean;
  onCopyNumber: (row: Row) => void;
  /** Rows with the same `_joint` and sample are one fusion. */
  onFusion: (row: Row & { _joint: string }) => void;
}

/** Records of a VCF with symbolic alleles or breakends → rows of `copynumber` and `fusion` (docs/formats/vcf.md). */
export class StructuralMapper {
  /** Number of alternates with carriers that belong to no table. */
  leftOutCount = 0;
  /** Alternates with a number of copies whose END precedes POS: it was left out. */
  oddEndCount = 0;
  /** Alternates with carriers that claim a junction alone: their copies are unknown. */
  junctionCount = 0;
  /** Records of several samples with unknown carriers. */
  ownerlessCount = 0;
  /** Alternates for which annotations were left out, because their owner is unknown. */
  unclearCount = 0;
  readonly #mates = new Mates();
  readonly #settings: StructuralSettings;
  readonly #reader: LineReader;
  readonly #keys: StructuralKeys;
  /** Records that passed, of which no sample is called. */
  uncalledCount = 0;
  /** Records with rows, or whose alternates are counted as left out. */
  withRowsCount = 0;
  /** Numbers of these records by key of INFO. */
  readonly info = new Map<string, number>();
  /** Numbers of these records by FORMAT. */
  readonly formats = new Map<string, number>();

  constructor(settings: StructuralSettings) {
    this.#settings = settings;
    this.#reader = new LineReader({ ...settings, genome: undefined });
    this.#keys = structuralKeys(settings);
  }

  /** Maps a sound record. */
  map(line: string): void {
    const record = new StructuralRecord(
      this.#reader.ofText(line),
      this.#settings.sampleCount,
      this.#settings,
      this.#keys,
    );
    const alternates = record.alternates.map((_, place) => structuralAlternate(record, place));
    let isCarried = false;
    for (const place of alternates.keys())
      isCarried = this.#mapAlternate(record, place, alternates) || isCarried;
    if (isCarried) {
      this.withRowsCount += 1;
      for (const key of record.keys) this.info.set(key, (this.info.get(key) ?? 0) + 1);
      this.formats.set(record.format, (this.formats.get(record.format) ?? 0) + 1);
    } else if (record.samples.every(({ genotype }) => genotype === undefined)) this.ownerlessCount += 1;
    else if (record.isUncalled) this.uncalledCount += 1;
  }

  /** Maps an alternate; returns whether it has a carrier. */
  #mapAlternate(
    record: StructuralRecord,
    place: number,
    alternates: readonly (StructuralAlternate | undefined)[],
  ): boolean {
    const alternate = alternates[place];
    if (!alternate) return false;
    const has = alternate.kind === 'copies' ? hasCopies : hasJoint;
    const { passOnly = false } = this.#settings;
    const carriers = record.samples.filter(
      (sample) => (!passOnly || passes(sample.filter)) && has(record, sample, place, alternates),
    );
    if (carriers.length === 0) return false;
    const { sampleIds, layouts, onCopyNumber, onFusion } = this.#settings;
    const layout = layouts.find(({ key }) => record.info(key) !== undefined);
    const { genome } = this.#settings;
    const isUnnamed = !layout && genesOf(record, []).length === 0;
    const reached = genome && isUnnamed ? reachedBy(genome, record, place, alternate) : [];
    const annotations = layout ? ownAnnotations(record, place, layout) : reached;
    if (!annotations && alternate.kind !== 'other') this.unclearCount += 1;
    if (alternate.kind === 'joint') {
      const key = this.#mates.keyOf(record, place, ordered(alternate.joint));
      for (const sample of carriers) {
        const row = fusionRow(record, alternate, annotations ?? [], key, sample);
        onFusion({ ...row, sample_id: sampleIds[sample.index] });
      }
    } else if (alternate.kind === 'copies') {
      if (record.hasOddEnd) this.oddEndCount += 1;
      if (record.claimsJunction(place)) this.junctionCount += 1;
      const genes = genesOf(record, annotations ?? []);
      for (const sample of carriers)
        for (const [at, gene] of (genes.length > 0 ? genes : [undefined]).entries()) {
          const row = copyNumberRow(record, sample, place, alternates, reached[at]);
          onCopyNumber({ ...row, gene, sample_id: sampleIds[sample.index] });
        }
    } else this.leftOutCount += 1;
    return true;
  }
}

/** Bases by which two records of a joint may differ: homology at the ends, and places that are not precise. */
const apartMax = 1000;

/** The records of breakends that wait for their mates. */
class Mates {
  /** Records by their ids. */
  readonly #waiting = new Map<string, { mate: string; joint: Joint; key: string }>();

  /** The key that both records of a joint share: of its places, or where these differ, of the record that names this one as its mate. */
  keyOf(record: StructuralRecord, place: number, joint: Joint): string {
    const own = record.id;
    const mates = record.info('MATEID', 'MATE_ID', 'PARID')?.split(',') ?? [];
    const mate = mates[mates.length === record.alternates.length ? place : 0];
    if (own === undefined || mate === undefined) return jointKey(joint);
    const first = this.#waiting.get(mate);
    if (first?.mate === own && isNear(first.joint, joint)) {
      this.#waiting.delete(mate);
      return first.key;
    }
    const key = jointKey(joint);
    this.#waiting.set(own, { mate, joint, key });
    return key;
  }
}

function isNear(one: Joint, other: Joint): boolean {
  return (['left', 'right'] as const).every(
    (end) =>
      one[end].chromosome === other[end].chromosome &&
      one[end].strand === other[end].strand &&
      Math.abs(one[end].position - other[end].position) <= apartMax,
  );
}
