import { type Engine, literal } from '@ploidy/engine';
import { samplePatient } from '@ploidy/formats/tables';
import type { Caller } from '../../../access/caller.ts';
import { type Conditions, requireState } from '../../../api/conditions.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId } from '../../../base/ids.ts';
import { invalidInput } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { type ProjectRecord, requireProject } from '../../files/projects/index.ts';
import { publishSegments } from '../catalogue/catalogue.ts';
import { type LakeFile, presentFiles } from '../catalogue/lake-files.ts';
import { attributesOfTables } from '../dataset-tables.ts';
import { temporaryProblem } from '../engine-problems.ts';

/** Patient of a sample, assigned after its ingestion; an absent one removes that of the file. */
export interface LinkedSample {
  sampleId: string;
  patientId?: string;
  specimenId?: string;
}

interface SampleDeps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
  audit: Audit;
}

/**
 * Patients that people gave to the samples of a project. The list is a segment of the lake, which each reader of `sequence`
 * joins: a statement sees the list of the version that it pins.
 */
export class SampleList {
  readonly #deps: SampleDeps;

  constructor(deps: SampleDeps) {
    this.#deps = deps;
  }

  /** Lists the samples by name, one row more than the page, with the tag of the list. */
  async page(
    project: string,
    { size, after }: PageRequest,
    caller: string,
    signal: AbortSignal,
  ): Promise<{ rows: LinkedSample[]; etag: string }> {
    const { records, blobs, engine } = this.#deps;
    const file = await presentList(records.read, project);
    const etag = etagOf(file);
    if (!file) return { rows: [], etag };
    const read = ([path = '']: string[]) => {
      const sql = `SELECT sample_id, patient_id, specimen_id FROM read_parquet(${literal(path)})
        WHERE sample_id > $1 ORDER BY sample_id LIMIT ${size + 1}`;
      return engine.answer({ sql, parameters: [String(after?.[0] ?? '')] }, signal, caller).catch(rethrow);
    };
    const rows = await blobs.withLocal([file.blob], read, { signal });
    return { rows: rows.map(viewOf), etag };
  }

  /** Replaces the list; returns its tag. Problem 412 unless the present list matches the preconditions. */
  async replace(
    project: ProjectRecord,
    samples: readonly LinkedSample[],
    headers: Conditions,
    by: { caller: Caller; requestId: string; signal: AbortSignal },
  ): Promise<string> {
    const { records, blobs, audit } = this.#deps;
    refuseRepeated(samples);
    const { id, account } = project;
    requireAsWanted(headers, await presentList(records.read, id));
    const blob = samples.length > 0 ? await this.#write(samples, by) : undefined;
    const table = { table: samplePatient.name, rowCount: samples.length, genomeBuild: null };
    try {
      return await records.transact(async (tx) => {
        await requireProject(tx, id);
        requireAsWanted(headers, await presentList(tx, id));
        // The list is of no file: the project is its source.
        const source = { project: id, fileId: id, ingestionId: newId() };
        await publishSegments(tx, { ...source, segments: blob ? [{ ...table, blob }] : [] });
        const etag = etagOf(await presentList(tx, id));
        await audit.append(tx, {
          account,
          ...actor(by.caller, by.requestId),
          action: 'samples.replace',
          resource: attributesOfTables({ account_id: account, project_id: id }),
          outcome: 'done',
          details: { project: id, samples: samples.length },
        });
        return etag;
      });
    } catch (error) {
      if (blob) await removeFreed(blobs, [blob.key]);
      throw error;
    }
  }

  async #write(
    samples: readonly LinkedSample[],
    { caller, signal }: { caller: Caller; signal: AbortSignal },
  ) {
    const { blobs, engine } = this.#deps;
    const outputPath = await blobs.scratchPath('parquet');
    const columns = '[{"sampleId": "VARCHAR", "patientId": "VARCHAR", "specimenId": "VARCHAR"}]';
    const sql = `SELECT s."sampleId" AS sample_id, s."patientId" AS patient_id, s."specimenId" AS specimen_id
      FROM (SELECT unnest(from_json($1, '${columns}')) AS s) ORDER BY 1`;
    try {
      const task = { sql, parameters: [JSON.stringify(samples)], outputPath };
      const written = await engine.write(task, signal, caller.userId).catch(rethrow);
      return await blobs.adopt(outputPath, written);
    } finally {
      await blobs.discardScratch(outputPath);
    }
  }
}

async function presentList(read: Reader | Transaction, project: string): Promise<LakeFile | undefined> {
  return (await presentFiles(read, project, samplePatient.name))[0];
}

/** Each list has a version of the lake; 0: there was none. */
const etagOf = (file: LakeFile | undefined): string => `"${file?.ordinal ?? 0}"`;

function requireAsWanted(headers: Conditions, file: LakeFile | undefined): void {
  const message = 'The list of samples was changed meanwhile. Read it again, and repeat the change.';
  requireState(headers, { etag: etagOf(file) }, message);
}

function refuseRepeated(samples: readonly LinkedSample[]): void {
  const seen = new Set<string>();
  const details = samples.flatMap(({ sampleId }, at) => {
    const isRepeated = seen.has(sampleId);
    seen.add(sampleId);
    return isRepeated ? [{ path: `body/samples/${at}/sampleId`, message: 'is in the list twice' }] : [];
  });
  if (details.length > 0) throw invalidInput(details.slice(0, 20));
}

function rethrow(error: unknown): never {
  throw temporaryProblem(error) ?? error;
}

function viewOf(row: Record<string, unknown>): LinkedSample {
  const { sample_id: sampleId, patient_id: patientId, specimen_id: specimenId } = row;
  return {
    sampleId: String(sampleId),
    ...(typeof patientId === 'string' && { patientId }),
    ...(typeof specimenId === 'string' && { specimenId }),
  };
}
