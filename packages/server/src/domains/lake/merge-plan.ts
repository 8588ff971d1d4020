import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import type { SegmentsTable } from '../../platform/records/schema-lake.ts';

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
  blob: BlobInfo;
  genomeBuild: string | null;
  segments: SegmentsTable[];
  /** Rows that are visible. */
  rows: number;
  /** Rows that are not: of ingestions that were replaced, deleted or moved since the file was made. */
  staleRows: number;
}

/** Below this many rows files count as equally small; then each tier holds files of up to eight times the rows. */
const tierRows = 80_000;
const tierFactor = 8;

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

/** Visible segments by file. */
export function filesOf(segments: SegmentsTable[]): LakeFile[] {
  const byBlob = Map.groupBy(segments, (segment) => segment.blob_key);
  return [...byBlob.values()].flatMap((parts) => {
    const [first] = parts;
    if (!first) return [];
    const rows = parts.reduce((sum, { row_count }) => sum + row_count, 0);
    return {
      table: first.table_name,
      blob: { key: first.blob_key, size: first.size, sha256: first.sha256 },
      genomeBuild: first.genome_build,
      segments: parts,
      rows,
      staleRows: first.file_rows === null ? 0 : first.file_rows - rows,
    };
  });
}

/**
 * What to merge next, several tables at once; empty when all is well. Files are merged with those of about their own size and of the same build
 * of the genome (which tells what annotations may fill), so that each row is written anew only as often as the logarithm of what there is. A file with rows that nobody may see any more is
 * written without them, so that what was deleted leaves the disk too.
 */
export function nextMerges(files: LakeFile[], { filesMin, rowsMax }: MergeLimits): LakeFile[][] {
  if (filesMin === 0) return [];
  const known = files.filter(({ table }) => Object.hasOwn(rowOrder, table));
  const tiers = [
    ...Map.groupBy(known, (file) => `${file.table}/${file.genomeBuild}/${tierOf(file)}`).values(),
  ];
  const merges = tiers
    .filter((tier) => tier.length >= Math.max(filesMin, 2))
    .map((tier) => upTo(tier, rowsMax, rowsOf))
    .filter((tier) => tier.length > 1);
  const merged = new Set(merges.flat());
  const stale = known.filter((file) => file.staleRows > 0 && !merged.has(file)).map((file) => [file]);
  const all = [...merges, ...stale];
  // What takes long goes by itself: a crash loses one step.
  const step = upTo(all, rowsMax, (merge) => merge.reduce((sum, file) => sum + file.rows, 0));
  return step.length > 0 ? step : all.slice(0, 1);
}

const tierOf = ({ rows }: LakeFile): number =>
  Math.max(0, Math.ceil(Math.log(Math.max(rows, 1) / tierRows) / Math.log(tierFactor)));

const rowsOf = ({ rows }: LakeFile): number => rows;

/** The smallest that together have at most so many rows. */
function upTo<T>(items: T[], rowsMax: number, rowsIn: (item: T) => number): T[] {
  let rows = 0;
  return items
    .toSorted((a, b) => rowsIn(a) - rowsIn(b))
    .filter((item) => {
      rows += rowsIn(item);
      return rows <= rowsMax;
    });
}
