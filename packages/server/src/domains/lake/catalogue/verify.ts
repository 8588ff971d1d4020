import { footerBytes, NoParquet, parquetTailBytes, rowsInFooter } from '@ploidy/formats/parquet';
import { Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { received } from '../../../platform/blobs/receive.ts';
import type { Reader } from '../../../platform/records/records.ts';
import type { SegmentsTable } from '../../../platform/records/schema-lake.ts';

interface LakeProblem {
  code: 'MISSING' | 'SIZE' | 'DIGEST' | 'NO_PARQUET' | 'ROWS' | 'DANGLING';
  project: string;
  table: string;
  /** Key of the blob. */
  blob: string;
  message: string;
}

interface LakeReport {
  files: number;
  segments: number;
  bytes: number;
  problems: LakeProblem[];
}

type Finding = Pick<LakeProblem, 'code' | 'message'>;

/**
 * Compares every file that a query could open, of one project or all, with the catalogue: presence, size,
 * digest and rows. Runs beside the service.
 */
export async function verifyLake(
  read: Reader,
  blobs: Pick<Blobs, 'open'>,
  project?: string,
): Promise<LakeReport> {
  const report: LakeReport = { files: 0, segments: 0, bytes: 0, problems: [] };
  for (const id of project === undefined ? await projectsOf(read) : [project]) {
    const dangling = await danglingReason(read, id);
    if (dangling === 'removed') continue;
    const rows = await readable(read, id);
    if (dangling && rows.length === 0)
      throw new Problem(404, 'NOT_FOUND', `There is no project ${id}: "ploidy projects ls" lists the ids.`);
    for (const segments of Map.groupBy(rows, (row) => row.blob_key).values()) {
      const [first] = segments;
      if (!first) continue;
      report.files += 1;
      report.segments += segments.length;
      report.bytes += first.size;
      const finding = dangling ?? (await checkFile(blobs, segments));
      if (!finding || !(await isStillThere(read, segments))) continue;
      report.problems.push({ ...finding, project: id, table: first.table_name, blob: first.blob_key });
    }
  }
  return report;
}

async function projectsOf(read: Reader): Promise<string[]> {
  const rows = await read
    .selectFrom('segments')
    .select('project_id')
    .distinct()
    .orderBy('project_id')
    .execute();
  return rows.map((row) => row.project_id);
}

/** Explains a lake without a project; `removed` if the project is being removed. */
async function danglingReason(read: Reader, project: string): Promise<Finding | 'removed' | undefined> {
  const there = await read.selectFrom('projects').select('id').where('id', '=', project).executeTakeFirst();
  if (there) return undefined;
  const removal = await read
    .selectFrom('removals')
    .select('id')
    .where('kind', '=', 'project')
    .where('id', '=', project)
    .executeTakeFirst();
  return removal ? 'removed' : { code: 'DANGLING', message: 'Its project does not exist.' };
}

/** Lists the segments that are visible or held by a running query. */
async function readable(read: Reader, project: string): Promise<SegmentsTable[]> {
  return read
    .selectFrom('segments as s')
    .selectAll('s')
    .where('s.project_id', '=', project)
    .where((where) =>
      where.or([
        where('s.removed_version', 'is', null),
        where.exists(
          where
            .selectFrom('queries as q')
            .select('q.id')
            .where('q.project_id', '=', project)
            .where('q.state', '=', 'running')
            .whereRef('q.lake_version', '>=', 's.added_version')
            .whereRef('q.lake_version', '<', 's.removed_version'),
        ),
      ]),
    )
    .orderBy('s.id')
    .execute();
}

async function isStillThere(read: Reader, segments: SegmentsTable[]): Promise<boolean> {
  const [first] = segments;
  const now = first ? await readable(read, first.project_id) : [];
  return now.some(({ blob_key }) => blob_key === first?.blob_key);
}

async function checkFile(
  blobs: Pick<Blobs, 'open'>,
  segments: SegmentsTable[],
): Promise<Finding | undefined> {
  const [file] = segments;
  if (!file) return undefined;
  try {
    const { size, sha256 } = await received(await blobs.open(file.blob_key));
    if (size !== file.size) {
      return { code: 'SIZE', message: `The file has ${size} bytes; the catalogue has ${file.size}.` };
    }
    if (sha256 !== file.sha256) {
      return { code: 'DIGEST', message: 'The file has changed since it was written.' };
    }
    return rowsFinding(await rowsOf(blobs, file.blob_key, size), segments);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) {
      return { code: 'MISSING', message: 'The file does not exist.' };
    }
    if (error instanceof NoParquet) {
      return { code: 'NO_PARQUET', message: `The file cannot be read: ${error.message}.` };
    }
    throw error;
  }
}

function rowsFinding(rows: number, segments: SegmentsTable[]): Finding | undefined {
  const visible = segments.reduce((sum, { row_count }) => sum + row_count, 0);
  const expected = segments[0]?.file_rows ?? visible;
  if (rows !== expected) {
    return { code: 'ROWS', message: `The file has ${rows} rows; the catalogue has ${expected}.` };
  }
  const ordinals = new Set(segments.map(({ ordinal }) => ordinal));
  if (visible > expected || ordinals.size < segments.length) {
    return {
      code: 'ROWS',
      message: `Its ${segments.length} segments do not account for its ${rows} rows.`,
    };
  }
  return undefined;
}

async function rowsOf(blobs: Pick<Blobs, 'open'>, key: string, size: number): Promise<number> {
  const end = size - parquetTailBytes;
  if (end < 0) throw new NoParquet('it is too short');
  const length = footerBytes(await bytesOf(blobs, key, end, size), size);
  return rowsInFooter(await bytesOf(blobs, key, end - length, end));
}

async function bytesOf(
  blobs: Pick<Blobs, 'open'>,
  key: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await blobs.open(key, { start, end })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
