import { type Engine, EngineError, literal } from '@ploidy/engine';
import type { Bounds } from '@ploidy/formats/tables';
import { conflict } from '../../../base/problem.ts';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import type { SegmentsTable } from '../../../platform/records/schema-lake.ts';
import type { Follower } from '../../files/index.ts';
import type { AnnotationWork } from '../annotations/annotation-work.ts';
import { temporaryProblem } from '../engine-problems.ts';
import { ArrivingResources } from './arriving-resources.ts';
import { type NewSegment, publishSegments, retireSource } from './catalogue.ts';
import { hasFreeNames, requireFreeNames } from './own-tables.ts';
import { revisionTables } from './revisions.ts';

interface FollowingDeps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
  annotationWork: AnnotationWork;
}

/**
 * Prepares the rows of a file to move with it to the lake of another project. Segments are copied, since
 * running queries read the old ones and a blob belongs to one project.
 */
export async function followingRows(
  { records, blobs, engine, annotationWork }: FollowingDeps,
  fileId: string,
  target: string,
): Promise<Follower> {
  const segments = await visibleOf(records.read, fileId);
  const followers = segments.filter((segment) => !revisionTables.has(segment.table_name));
  const copies: BlobInfo[] = [];
  let resources: ArrivingResources | undefined;
  const discard = async (): Promise<void> => {
    await removeFreed(
      blobs,
      copies.map(({ key }) => key),
    );
    await resources?.discard();
  };
  const moved = (): NewSegment[] =>
    followers.map((segment, at) => ({
      table: segment.table_name,
      rowCount: segment.row_count,
      blob: copies[at] as BlobInfo,
      genomeBuild: segment.genome_build,
      source: segment.source,
      ownColumns: segment.own_columns,
      bounds: segment.bounds === null ? undefined : (JSON.parse(segment.bounds) as Bounds),
    }));
  try {
    for (const segment of followers) copies.push(await copyOf(blobs, engine, segment));
    const arriving = { project: target, fileId, segments: moved() };
    await requireFreeNames(records.read, arriving);
    resources = new ArrivingResources({ records, blobs, engine }, arriving);
    await resources.compare().catch(throwConflict);
  } catch (error) {
    await discard();
    throw error;
  }
  const arriving = resources;
  return {
    discard,
    follow: async (tx, project) => {
      if (String(idsOf(await visibleOf(tx, fileId))) !== String(idsOf(segments))) return false;
      if (!(await arriving.isCurrent(tx))) return false;
      if (!(await hasFreeNames(tx, { project, fileId, segments: moved() }))) return false;
      await retireSource(tx, fileId);
      const [first] = segments;
      if (!first) return true;
      const all = [...moved(), ...arriving.revisions];
      await publishSegments(tx, { project, fileId, ingestionId: first.ingestion_id, segments: all });
      for (const changed of [first.project_id, project]) await annotationWork.request(tx, changed);
      return true;
    },
  };
}

function throwConflict(error: unknown): never {
  if (error instanceof EngineError && error.code === 'INPUT')
    throw conflict('SOURCE_CONFLICT', error.message);
  throw error;
}

async function copyOf(blobs: Blobs, engine: Engine, segment: SegmentsTable): Promise<BlobInfo> {
  if (segment.file_rows !== null) return extract(blobs, engine, segment);
  const copy = await blobs.join([segment.blob_key], { size: segment.size });
  if (copy.sha256 === segment.sha256) return copy;
  await removeFreed(blobs, [copy.key]);
  throw new Error('A segment of the lake has changed since it was written.');
}

/** Extracts the rows of one segment from a file that holds others too. */
async function extract(blobs: Blobs, engine: Engine, segment: SegmentsTable): Promise<BlobInfo> {
  return blobs.inScratchFolder(async (outputFolder) => {
    const path = `${outputFolder}/moved.parquet`;
    const file = { key: segment.blob_key, size: segment.size, sha256: segment.sha256 };
    const [outcome] = await blobs.withLocal([file], (files) => {
      const select = `SELECT * EXCLUDE (_ordinal) FROM read_parquet(${literal(files[0] ?? '')}) WHERE _ordinal = ${segment.ordinal}`;
      const task = { rewrites: [{ select, files, path }], outputFolder };
      return engine.rewrite(task, new AbortController().signal).catch((error: unknown) => {
        throw temporaryProblem(error) ?? error;
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
