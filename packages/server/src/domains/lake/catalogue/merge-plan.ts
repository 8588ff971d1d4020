import { storedTables } from '@ploidy/formats/tables';

/** Limits of one merge. */
export interface MergeLimits {
  /** Number of similar-sized files that triggers a merge; 0: never. */
  filesMin: number;
  /** Maximum rows of a merged file. */
  rowsMax: number;
}

/** Parquet file of a table that may be merged, with its visible content. */
export interface MergeInput {
  table: string;
  /** Key of its blob. */
  key: string;
  genomeBuild: string | null;
  /** Chromosome of all rows; null: of several, or unknown. */
  chromosome: string | null;
  /** Source of its resources. */
  source: string;
  /** Visible rows of the catalogue: one per ingestion with rows in the file. */
  segments: number;
  /** Visible rows of data. */
  rows: number;
  /** Invisible rows, of ingestions replaced, deleted or moved since the file was made. */
  staleRows: number;
}

/**
 * Files up to this size form the first tier; each further tier holds files of up to eight times the rows or
 * segments.
 */
const tierRows = 80_000;
const tierSegments = 64;
const tierFactor = 8;

/**
 * Maximum segments of a merged file and of one step: one transaction rewrites each in the catalogue. A larger
 * file of an earlier version stays until it holds invisible rows, and is then rewritten in parts.
 */
export const segmentsMax = 1_000;

/**
 * Plans the next merges of several tables; empty if nothing is left to do. Files are merged with others of
 * similar size, genome build (on which annotations depend) and source: each row is rewritten only
 * logarithmically often. Above the first tier files of one chromosome stay so, since statements leave out
 * those of others. A file with invisible rows is first rewritten without them, so that deleted data
 * leave the disk.
 */
export function nextMerges(files: MergeInput[], { filesMin, rowsMax }: MergeLimits): MergeInput[][] {
  if (filesMin === 0) return [];
  const known = files.filter(({ table }) => (storedTables.get(table)?.orderBy.length ?? 0) > 0);
  const stale = known.filter((file) => file.staleRows > 0);
  const whole = known.filter((file) => file.staleRows === 0);
  const tiers = [
    ...Map.groupBy(whole, (file) =>
      JSON.stringify([file.table, file.genomeBuild, file.source, tierOf(file), cutOf(file)]),
    ).values(),
  ];
  const merges = tiers
    .filter((tier) => tier.length >= Math.max(filesMin, 2))
    .map((tier) => upTo(tier, rowsMax, (file) => file))
    .filter((tier) => tier.length > 1);
  const all = [...merges, ...stale.map((file) => [file])];
  // A long merge runs by itself: a crash loses one step only.
  const step = upTo(all, rowsMax, sizeOf);
  return step.length > 0 ? step : all.slice(0, 1);
}

/** Lists the tables with files that should be merged. */
export function tablesToMerge(files: MergeInput[], limits: MergeLimits): string[] {
  const byTable = Map.groupBy(files, ({ table }) => table);
  return [...byTable].flatMap(([table, ofTable]) => (nextMerges(ofTable, limits).length > 0 ? [table] : []));
}

/** Part of the genome within which a file is merged. Small files have none: each chromosome would keep some waiting. */
const cutOf = (file: MergeInput): string | null => (tierOf(file) > 0 ? file.chromosome : null);

const tierOf = ({ rows, segments }: MergeInput): number =>
  Math.max(tierIn(rows, tierRows), tierIn(segments, tierSegments));

const tierIn = (count: number, smallest: number): number =>
  Math.max(0, Math.ceil(Math.log(Math.max(count, 1) / smallest) / Math.log(tierFactor)));

type Size = Pick<MergeInput, 'rows' | 'segments'>;

const sizeOf = (files: MergeInput[]): Size => ({
  rows: files.reduce((sum, { rows }) => sum + rows, 0),
  segments: Math.min(
    files.reduce((sum, { segments }) => sum + segments, 0),
    segmentsMax,
  ),
});

/** Takes the smallest items that together stay within the limits of rows and segments. */
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
