import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Engine } from '../../platform/engine/engine.ts';
import { lostWorker } from '../../platform/engine/lost-worker.ts';
import { literal } from '../../platform/engine/worker/quote.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { SegmentsTable } from '../../platform/records/schema-lake.ts';
import type { Follower } from '../files/index.ts';
import type { AnnotationWork } from './annotation/annotation-work.ts';
import { publishSegments, retireSource } from './catalogue.ts';

export interface FollowingParts {
  records: Records;
  blobs: Blobs;
  engine: Engine;
  annotationWork: AnnotationWork;
}

/**
 * The rows of a file that is moved follow it: they leave the lake of the one project and are in that of the other in the same
 * step. Their segments are copied, because queries that run keep reading the old ones, and a blob belongs to one project only.
 */
export async function followingRows(
  { records, blobs, engine, annotationWork }: FollowingParts,
  fileId: string,
): Promise<Follower> {
  const segments = await visibleOf(records.read, fileId);
  const copies: BlobInfo[] = [];
  const discard = (): Promise<void> =>
    removeFreed(
      blobs,
      copies.map(({ key }) => key),
    );
  try {
    for (const segment of segments) copies.push(await copyOf(blobs, engine, segment));
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    discard,
    follow: async (tx, project) => {
      if (String(idsOf(await visibleOf(tx, fileId))) !== String(idsOf(segments))) return false;
      await retireSource(tx, fileId);
      const [first] = segments;
      if (!first) return true;
      const moved = segments.map((segment, at) => ({
        table: segment.table_name,
        rowCount: segment.row_count,
        blob: copies[at] as BlobInfo,
        genomeBuild: segment.genome_build,
      }));
      await publishSegments(tx, { project, fileId, ingestionId: first.ingestion_id, segments: moved });
      for (const changed of [first.project_id, project]) await annotationWork.request(tx, changed);
      return true;
    },
  };
}

async function copyOf(blobs: Blobs, engine: Engine, segment: SegmentsTable): Promise<BlobInfo> {
  if (segment.file_rows !== null) return extract(blobs, engine, segment);
  const copy = await blobs.join([segment.blob_key], { size: segment.size });
  if (copy.sha256 === segment.sha256) return copy;
  await removeFreed(blobs, [copy.key]);
  throw new Error('A segment of the lake does not have the bytes that it had when it was written.');
}

/** Of a file that holds the rows of others too only its own leave the project. */
async function extract(blobs: Blobs, engine: Engine, segment: SegmentsTable): Promise<BlobInfo> {
  return blobs.inScratchFolder(async (outputFolder) => {
    const path = `${outputFolder}/moved.parquet`;
    const file = { key: segment.blob_key, size: segment.size, sha256: segment.sha256 };
    const [outcome] = await blobs.withLocal([file], (files) => {
      const select = `SELECT * EXCLUDE (_ordinal) FROM read_parquet(${literal(files[0] ?? '')}) WHERE _ordinal = ${segment.ordinal}`;
      const task = { rewrites: [{ select, files, path }], outputFolder };
      return engine.rewrite(task, new AbortController().signal).catch((error: unknown) => {
        throw lostWorker(error) ?? error;
      });
    });
    if (outcome?.rowCount !== segment.row_count)
      throw new Error('A segment of the lake does not have the rows that the catalogue has.');
    return await blobs.adopt(path, outcome);
  });
}

async function visibleOf(read: Reader | Transaction, fileId: string): Promise<SegmentsTable[]> {
  return read
    .selectFrom('segments')
    .selectAll()
    .where('source_file_id', '=', fileId)
    .where('removed_version', 'is', null)
    .orderBy('id')
    .execute();
}

const idsOf = (segments: SegmentsTable[]): string[] => segments.map(({ id }) => id);
