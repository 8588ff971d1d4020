import { join } from 'node:path';
import type { Engine } from '@ploidy/engine';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import { eachAlone } from '../../platform/concurrency/each-alone.ts';
import type { JobHandler, JobRun, Jobs } from '../../platform/jobs/jobs.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { SegmentsTable } from '../../platform/records/schema-lake.ts';
import { lockProjectIfThere } from '../files/projects/index.ts';
import { addSegments, type NewSegment } from './catalogue/catalogue.ts';
import { read } from './catalogue/segment-rows.ts';

const deriveJob = 'lake.derive';
const attemptsMax = 3;

/** Tables that alterations and profiles are derived from. */
const sources = ['variant', 'copynumber', 'fusion', 'gene'] as const;
/** Tables that are read beside them. */
const beside = ['variant_call', 'sequence'] as const;
/** Table that each derivation writes. */
const profileTable = 'sample_profile';

interface DeriveDeps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
}

/** Progress of a lake whose older files lack derived tables. */
interface DerivationProgress {
  /** Versions of the lake that are done, of all. */
  done: number;
  of: number;
}

/** Returns the progress of a project's derivation; nothing when all is derived. */
export async function derivationOf(read: Reader, project: string): Promise<DerivationProgress | undefined> {
  const row = await read
    .selectFrom('lake_derivations')
    .selectAll()
    .where('project_id', '=', project)
    .executeTakeFirst();
  return row && { done: row.ordinal_done, of: row.ordinal_max };
}

/** Requests the derivation of the lakes that lack it, one job each. */
export async function requestDerivations(
  { records, jobs }: { records: Records; jobs: Pick<Jobs, 'add'> },
  signal: AbortSignal,
): Promise<void> {
  const waiting = await records.read
    .selectFrom('lake_derivations as d')
    .innerJoin('projects as p', 'p.id', 'd.project_id')
    .select(['d.project_id as project', 'p.account_id as account'])
    .execute();
  const request = async ({ project, account }: (typeof waiting)[number]): Promise<void> => {
    await records.transact(async (tx) => {
      await jobs.add(tx, {
        ...{ kind: deriveJob, class: 'background', payload: { projectId: project }, attemptsMax },
        whose: { account, project, user: '' },
        ...{ exclusiveKey: `derive:${project}`, unlessWaiting: true },
      });
    });
  };
  await eachAlone(waiting, request, {
    failed: 'the derivation of a lake could not be requested; it is tried again',
    about: ({ project }) => ({ project }),
    signal,
  });
}

/**
 * Handles the job: derives the tables of one ingestion after the other, oldest first. Each is a transaction that notes its
 * ordinal, so that the next run goes on there.
 */
export function deriveLakes(deps: DeriveDeps): JobHandler {
  return {
    kind: deriveJob,
    run: async (run) => {
      const project = run.job.payload['projectId'] ?? '';
      while (await deriveNext(deps, run, project)) run.signal.throwIfAborted();
    },
    // The sweep requests the job again.
    onExhausted: async () => undefined,
  };
}

/** Derives the tables of the next ingestion. False if there is none, or another worker is at it. */
async function deriveNext(deps: DeriveDeps, run: JobRun, project: string): Promise<boolean> {
  const { records, blobs } = deps;
  const left = await derivationOf(records.read, project);
  if (!left) return false;
  const [first] = await visibleFrom(records.read, project, left);
  const segments = first ? await ofIngestion(records.read, first) : [];
  const isDerived = segments.some(({ table_name }) => table_name === profileTable);
  const made = first && !isDerived ? await derivedFrom(deps, run, segments) : [];
  const kept = await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx)) || !(await lockProjectIfThere(tx, project))) return false;
    const isSame = !first || String(idsOf(await ofIngestion(tx, first))) === String(idsOf(segments));
    // The file was ingested again, moved or merged meanwhile.
    if (!isSame) return undefined;
    if (first && made.length > 0)
      await addSegments(tx, {
        ...{ project, fileId: first.source_file_id, ingestionId: first.ingestion_id, segments: made },
        ordinal: first.ordinal,
      });
    await advance(tx, project, first?.ordinal);
    return true;
  });
  if (kept !== true)
    await removeFreed(
      blobs,
      made.map(({ blob }) => blob.key),
    );
  return kept !== false && first !== undefined;
}

/** Notes that an ingestion is done; without one that all are. */
async function advance(tx: Transaction, project: string, ordinal: number | undefined): Promise<void> {
  if (ordinal === undefined) {
    await tx.deleteFrom('lake_derivations').where('project_id', '=', project).execute();
    return;
  }
  await tx
    .updateTable('lake_derivations')
    .set({ ordinal_done: ordinal })
    .where('project_id', '=', project)
    .execute();
}

/** Finds the oldest segment that derived tables follow from and that was not looked at. */
function visibleFrom(
  read: Reader,
  project: string,
  { done, of }: DerivationProgress,
): Promise<SegmentsTable[]> {
  return read
    .selectFrom('segments')
    .selectAll()
    .where('project_id', '=', project)
    .where('table_name', 'in', sources)
    .where('removed_version', 'is', null)
    .where('ordinal', '>', done)
    .where('ordinal', '<=', of)
    .orderBy('ordinal')
    .orderBy('id')
    .limit(1)
    .execute();
}

/** Lists the visible segments of the ingestion of a segment that matter to a derivation. */
function ofIngestion(
  read: Reader | Transaction,
  { source_file_id }: SegmentsTable,
): Promise<SegmentsTable[]> {
  return read
    .selectFrom('segments')
    .selectAll()
    .where('source_file_id', '=', source_file_id)
    .where('table_name', 'in', [...sources, ...beside, profileTable])
    .where('removed_version', 'is', null)
    .orderBy('id')
    .execute();
}

const idsOf = (segments: readonly SegmentsTable[]): string[] => segments.map(({ id }) => id);

/** Writes the derived tables of an ingestion. */
async function derivedFrom(
  { blobs, engine }: DeriveDeps,
  run: JobRun,
  segments: readonly SegmentsTable[],
): Promise<NewSegment[]> {
  const stored = segments.map((one): BlobInfo => ({ key: one.blob_key, size: one.size, sha256: one.sha256 }));
  const build = segments.find(({ genome_build }) => genome_build !== null)?.genome_build ?? null;
  return blobs.inScratchFolder((sourceFolder) =>
    blobs.inScratchFolder(async (outputFolder) => {
      const paths = segments.map(({ table_name }) => join(sourceFolder, `${table_name}.parquet`));
      const { signal } = run;
      await blobs.withLocal(
        stored,
        (files) => {
          const rewrites = segments.map((segment, at) => ({
            select: selectOf(segment, files[at] ?? ''),
            files: [files[at] ?? ''],
            path: paths[at] ?? '',
          }));
          return engine.rewrite({ rewrites, outputFolder: sourceFolder }, signal);
        },
        { signal },
      );
      const [sourcePath = '', ...besidePaths] = paths;
      const { tables } = await engine.convert(
        {
          ...{ type: 'derived', sourcePath, besidePaths, sourceSize: 0, sourceName: 'derived' },
          ...{ outputFolder, setId: segments[0]?.ingestion_id ?? '', options: {} },
        },
        signal,
      );
      const made: NewSegment[] = [];
      for (const { path, rows, table, bounds, ...digest } of tables) {
        const blob = await blobs.adopt(path, digest);
        const genomeBuild = table === profileTable ? null : build;
        made.push({ table, rowCount: rows, blob, genomeBuild, bounds });
      }
      return made;
    }),
  );
}

/** Selects the rows of one ingestion in a file that may hold others. */
function selectOf({ table_name: table, file_rows, ordinal }: SegmentsTable, path: string): string {
  const merged = file_rows !== null;
  const rows = read([{ table, path, ordinal, merged, ordinals: null }]);
  return merged
    ? `SELECT * EXCLUDE (_ordinal) FROM ${rows} WHERE _ordinal = ${ordinal}`
    : `SELECT * FROM ${rows}`;
}
