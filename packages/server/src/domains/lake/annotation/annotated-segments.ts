import { createHash } from 'node:crypto';
import { annotation } from '@ploidy/formats/tables';
import { newId } from '../../../ids.ts';
import type { BlobInfo } from '../../../platform/blobs/blobs.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { currentVersion, type Segment, segmentsAt } from '../catalogue.ts';
import type { ServiceAnnotations } from './service-annotations.ts';

/** Under this name segments of `variant` go whose columns are filled. */
export const annotatedTable = '_annotated';

/** The annotations among these segments, the newest first. */
export function annotationsOf<T extends Segment>(segments: readonly T[]): T[] {
  return segments.filter(({ table }) => table === annotation.name).toReversed();
}

/** Those that say something of a segment: of the same build of the genome, or of one of which that is not known. */
export function fitting<T extends Segment>(annotations: readonly T[], { genomeBuild }: Segment): T[] {
  return annotations.filter(
    (one) => genomeBuild === null || one.genomeBuild === null || one.genomeBuild === genomeBuild,
  );
}

/** The same for the same annotations in the same order, and for nothing else. */
export function signatureOf(annotations: readonly Segment[]): string {
  return createHash('sha256')
    .update(annotations.map(({ blob }) => blob.key).join('\n'))
    .digest('hex');
}

/** What fills a segment. There are a handful of builds, and maybe thousands of files: it is worked out once for each build. */
function fillers(annotations: Segment[]): (segment: Segment) => Omit<Filling, 'segment'> {
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

/** These segments, with the filled ones in place of those that were filled from just the annotations that are among them. */
export async function withAnnotated(read: Reader, project: string, segments: Segment[]): Promise<Segment[]> {
  const annotations = annotationsOf(segments);
  if (annotations.length === 0) return segments;
  const filled = await filledSegments(read, project);
  const fillerOf = fillers(annotations);
  const files = Map.groupBy(segments, ({ table, blob }) => (table === 'variant' ? blob.key : ''));
  return [...files].flatMap(([key, sharing]) => {
    const [first] = sharing;
    const parts = first && filled.get(`${key} ${fillerOf(first).signature}`);
    return parts ? parts.flatMap((part) => filledPart(sharing, part)) : sharing;
  });
}

/**
 * A filled part in place of the segments that share the file that it was filled from. It holds the rows of all of them, each with its
 * `_ordinal`; how many it has of each is not known, so of a file with rows that are not to be read none counts as whole.
 */
function filledPart(sharing: Segment[], { blob, rowCount }: Part): Segment[] {
  const [first] = sharing;
  if (!first) return [];
  const filled = { table: annotatedTable, blob, rowCount };
  if (first.fileRows === null) return [{ ...first, ...filled }];
  const visible = sharing.reduce((sum, segment) => sum + segment.rowCount, 0);
  if (visible === first.fileRows) return [{ ...first, ...filled, fileRows: rowCount }];
  return sharing.map((segment) => ({ ...segment, ...filled, rowCount: 0, fileRows: Math.max(rowCount, 1) }));
}

interface Part {
  blob: BlobInfo;
  rowCount: number;
}

/** The filled parts of each segment, by the key of its blob and what they were filled from. */
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

/** Adds the parts of a filled segment; not a second time, for each row would be there twice. Whether it did. */
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

/** A segment of `variant` that is to be filled. */
export interface Filling {
  segment: Segment;
  /** The newest first. */
  annotations: Segment[];
  signature: string;
}

/** What the filled segments of a project lack. */
export interface Shortfall {
  missing: Filling[];
  /** Rows of filled segments that nothing reads any more. */
  needless: string[];
}

/** Compares what there is with what the present version of the lake asks for. */
export async function shortfallOf(
  read: Reader,
  project: string,
  service: ServiceAnnotations,
): Promise<Shortfall> {
  const version = await currentVersion(read, project);
  const own = await segmentsAt(read, project, version, ['variant', annotation.name]);
  const segments = await service.before(read, project, own);
  const present = segments.filter(({ rowCount }) => rowCount > 0);
  const annotations = annotationsOf(present);
  // Merged segments share a file, which is filled once.
  const files = new Map(
    present.filter(({ table }) => table === 'variant').map((segment) => [segment.blob.key, segment]),
  );
  const wanted = new Map<string, Filling>();
  const fillerOf = fillers(annotations);
  for (const segment of files.values()) {
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
  return {
    missing: [...wanted].filter(([key]) => !filled.has(key)).map(([, filling]) => filling),
    needless: rows.filter((row) => !wanted.has(keyOf(row))).map(({ id }) => id),
  };
}
