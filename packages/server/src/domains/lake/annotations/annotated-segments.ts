import { newestReleases } from '@ploidy/formats/annotation-release';
import { annotation, annotationValue } from '@ploidy/formats/tables';
import { newId } from '../../../base/ids.ts';
import type { BlobInfo } from '../../../platform/blobs/blobs.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { currentVersion } from '../catalogue/catalogue.ts';
import { filesAt, type LakeFile } from '../catalogue/lake-files.ts';
import { type ServiceAnnotations, signatureOf } from './service-annotations.ts';

/** Table name of filled segments of `variant`. */
export const annotatedTable = '_annotated';

/** Selects the annotations of these segments that count, newest first: of each source those of its newest release. */
export function annotationsOf<T extends LakeFile>(segments: readonly T[]): T[] {
  return newestReleases(segments.filter(({ table }) => table === annotation.name)).toReversed();
}

/** Selects the annotations for a segment: of the same genome build, or if either build is unknown. */
export function fitting<T extends LakeFile>(annotations: readonly T[], { genomeBuild }: LakeFile): T[] {
  return annotations.filter(
    (one) => genomeBuild === null || one.genomeBuild === null || one.genomeBuild === genomeBuild,
  );
}

/**
 * Returns a lookup of the annotations for a file, computed once per genome build: there are few builds and
 * maybe thousands of files.
 */
function fillers(annotations: LakeFile[]): (segment: LakeFile) => Omit<Filling, 'segment'> {
  const byBuild = new Map<string | null, Omit<Filling, 'segment'>>();
  return (segment) => {
    const known = byBuild.get(segment.genomeBuild);
    if (known) return known;
    const fit = fitting(annotations, segment);
    const filler = { annotations: fit, signature: signatureOf(fit) };
    byBuild.set(segment.genomeBuild, filler);
    return filler;
  };
}

/**
 * Leaves out values of releases that a newer one replaced. Replaces files by their filled versions if these were filled from
 * exactly the annotations present.
 */
export async function withAnnotated(read: Reader, project: string, all: LakeFile[]): Promise<LakeFile[]> {
  const values = all.filter(({ table }) => table === annotationValue.name);
  const newest = new Set(newestReleases(values));
  const files = all.filter((file) => file.table !== annotationValue.name || newest.has(file));
  const annotations = annotationsOf(files);
  if (annotations.length === 0) return files;
  const filled = await filledSegments(read, project);
  const fillerOf = fillers(annotations);
  return files.flatMap((file) => {
    const key = file.table === 'variant' ? file.blob.key : '';
    const parts = filled.get(`${key} ${fillerOf(file).signature}`);
    return parts?.map((part) => filledPart(file, part)) ?? file;
  });
}

/** Builds the filled replacement of a file. It holds the same rows, with the same `_ordinal`. */
function filledPart(file: LakeFile, { blob, rowCount }: Part): LakeFile {
  return {
    ...file,
    table: annotatedTable,
    blob,
    rowCount,
    fileRows: file.fileRows === null ? null : rowCount,
  };
}

interface Part {
  blob: BlobInfo;
  rowCount: number;
}

/** Reads the filled parts of a project, by the key of the blob and the annotations used. */
async function filledSegments(read: Reader, project: string): Promise<Map<string, Part[]>> {
  const rows = await read
    .selectFrom('annotated_segments')
    .select(['segment_key', 'annotations', 'blob_key', 'size', 'sha256', 'row_count'])
    .where('project_id', '=', project)
    .where('retired_at', 'is', null)
    .orderBy('id')
    .execute();
  const filled = new Map<string, Part[]>();
  for (const row of rows) {
    const blob = { key: row.blob_key, size: row.size, sha256: row.sha256 };
    const key = `${row.segment_key} ${row.annotations}`;
    filled.set(key, [...(filled.get(key) ?? []), { blob, rowCount: row.row_count }]);
  }
  return filled;
}

/** Adds the parts of a filled segment once: a second copy would double its rows. Returns whether it did. */
export async function addFilled(
  tx: Transaction,
  project: string,
  segmentKey: string,
  signature: string,
  parts: readonly Part[],
): Promise<boolean> {
  const present = await tx
    .selectFrom('annotated_segments')
    .select('id')
    .where('project_id', '=', project)
    .where('segment_key', '=', segmentKey)
    .where('annotations', '=', signature)
    .where('retired_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (present) return false;
  const rows = parts.map(({ blob, rowCount }) => ({
    id: newId(),
    project_id: project,
    segment_key: segmentKey,
    annotations: signature,
    blob_key: blob.key,
    row_count: rowCount,
    size: blob.size,
    sha256: blob.sha256,
    retired_at: null,
  }));
  await tx.insertInto('annotated_segments').values(rows).execute();
  return true;
}

/** File of `variant` to be filled. */
export interface Filling {
  segment: LakeFile;
  /** Newest first. */
  annotations: LakeFile[];
  signature: string;
}

/** Missing and obsolete filled segments of a project. */
interface Shortfall {
  missing: Filling[];
  /** Rows to be filled, and those that are. */
  rows: { filled: number; total: number };
  /** Rows of filled segments that are no longer read. */
  needless: string[];
}

/** Compares the filled segments with the present version of the lake. */
export async function shortfallOf(
  read: Reader,
  project: string,
  service: ServiceAnnotations,
): Promise<Shortfall> {
  const version = await currentVersion(read, project);
  const own = await filesAt(read, project, version, ['variant', annotation.name]);
  const files = await service.before(read, project, own);
  const present = files.filter(({ rowCount }) => rowCount > 0);
  const annotations = annotationsOf(present);
  const wanted = new Map<string, Filling>();
  const fillerOf = fillers(annotations);
  for (const segment of present.filter(({ table }) => table === 'variant')) {
    const filler = fillerOf(segment);
    if (filler.annotations.length > 0)
      wanted.set(`${segment.blob.key} ${filler.signature}`, { segment, ...filler });
  }
  const rows = await read
    .selectFrom('annotated_segments')
    .select(['id', 'segment_key', 'annotations'])
    .where('project_id', '=', project)
    .where('retired_at', 'is', null)
    .execute();
  const keyOf = (row: (typeof rows)[number]): string => `${row.segment_key} ${row.annotations}`;
  const filled = new Set(rows.map(keyOf));
  const missing = [...wanted].filter(([key]) => !filled.has(key)).map(([, filling]) => filling);
  const total = rowsOfAll([...wanted.values()]);
  return {
    missing,
    rows: { filled: total - rowsOfAll(missing), total },
    needless: rows.filter((row) => !wanted.has(keyOf(row))).map(({ id }) => id),
  };
}

const rowsOfAll = (fillings: readonly Filling[]): number =>
  fillings.reduce((sum, { segment }) => sum + segment.rowCount, 0);
