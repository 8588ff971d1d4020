/** How much is merged at once. */
export interface MergeLimits {
  /** Files of about one size from which on they are merged; 0: never. */
  filesMin: number;
  /** Rows of a merged file. */
  rowsMax: number;
}

/** A Parquet file of a table, with what of it is visible. */
export interface LakeFile {
  table: string;
  /** Of its blob. */
  key: string;
  genomeBuild: string | null;
  /** Rows of the catalogue that are visible: one for each ingestion that rows of it came from. */
  segments: number;
  /** Rows that are visible. */
  rows: number;
  /** Rows that are not: of ingestions that were replaced, deleted or moved since the file was made. */
  staleRows: number;
}

/** Below so many rows and segments files count as equally small; then each tier holds files of up to eight times as many of either. */
const tierRows = 80_000;
const tierSegments = 64;
const tierFactor = 8;

/**
 * Segments of a merged file, and of all that become visible in one step: each is written anew in the catalogue, in one transaction. A file of
 * more, of an earlier version, is left as it is until it holds rows that nobody may see; then it is written anew in parts.
 */
export const segmentsMax = 1_000;

/**
 * In which order the rows of each table stand. Tables that are not here are left as they were written: files of `_annotation` count one by one,
 * the newest first.
 */
export const rowOrder: Readonly<Record<string, readonly string[]>> = {
  variant: ['chromosome', 'position'],
  sequence: ['id'],
  patient: ['patient_id'],
  demographic: ['patient_id'],
  condition: ['patient_id', 'id'],
  observation: ['patient_id', 'id'],
  medication: ['patient_id', 'id'],
  dosage: ['patient_id', 'medication_id'],
  procedure: ['patient_id', 'id'],
  specimen: ['patient_id', 'id'],
  media: ['patient_id', 'id'],
  _resource: ['resource_type', 'resource_id'],
  _coding: ['system', 'code', 'element'],
  _sample_link: ['sample_name', 'patient_id'],
  _medication: ['resource_type', 'resource_id'],
  cohort: ['cohort_id', 'patient_id'],
};

/**
 * What to merge next, several tables at once; empty when all is well. Files are merged with those of about their own size and of the same build
 * of the genome (which tells what annotations may fill), so that each row, of the tables as of the catalogue, is written anew only as often as
 * the logarithm of what there is. A file with rows that nobody may see any more is written without them, so that what was deleted leaves the disk too.
 */
export function nextMerges(files: LakeFile[], { filesMin, rowsMax }: MergeLimits): LakeFile[][] {
  if (filesMin === 0) return [];
  const known = files.filter(({ table }) => Object.hasOwn(rowOrder, table));
  const tiers = [
    ...Map.groupBy(known, (file) => `${file.table}/${file.genomeBuild}/${tierOf(file)}`).values(),
  ];
  const merges = tiers
    .filter((tier) => tier.length >= Math.max(filesMin, 2))
    .map((tier) => upTo(tier, rowsMax, (file) => file))
    .filter((tier) => tier.length > 1);
  const merged = new Set(merges.flat());
  const stale = known.filter((file) => file.staleRows > 0 && !merged.has(file)).map((file) => [file]);
  const all = [...merges, ...stale];
  // What takes long goes by itself: a crash loses one step.
  const step = upTo(all, rowsMax, sizeOf);
  return step.length > 0 ? step : all.slice(0, 1);
}

const tierOf = ({ rows, segments }: LakeFile): number =>
  Math.max(tierIn(rows, tierRows), tierIn(segments, tierSegments));

const tierIn = (count: number, smallest: number): number =>
  Math.max(0, Math.ceil(Math.log(Math.max(count, 1) / smallest) / Math.log(tierFactor)));

type Size = Pick<LakeFile, 'rows' | 'segments'>;

const sizeOf = (files: LakeFile[]): Size => ({
  rows: files.reduce((sum, { rows }) => sum + rows, 0),
  segments: Math.min(
    files.reduce((sum, { segments }) => sum + segments, 0),
    segmentsMax,
  ),
});

/** The smallest that together have at most so many rows and segments. */
function upTo<T>(items: T[], rowsMax: number, size: (item: T) => Size): T[] {
  const total: Size = { rows: 0, segments: 0 };
  const share = ({ rows, segments }: Size): number => rows / rowsMax + segments / segmentsMax;
  return items
    .map((item) => ({ item, ...size(item) }))
    .toSorted((a, b) => share(a) - share(b))
    .filter(({ rows, segments }) => {
      if (total.rows + rows > rowsMax || total.segments + segments > segmentsMax) return false;
      total.rows += rows;
      total.segments += segments;
      return true;
    })
    .map(({ item }) => item);
}
