import { type Engine, EngineError } from '@ploidy/engine';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import { temporaryProblem } from '../engine-problems.ts';
import { type NewSegment, presentVersions } from './catalogue.ts';
import { type LakeFile, presentFiles } from './lake-files.ts';
import { adoptRevisions, planRevisions } from './revisions.ts';
import { type LocatedFile, locate, rowsWithOrdinal } from './segment-rows.ts';

/** Limit of the counted clashes. */
const clashesMax = 1_000_000;

/** Rows to be published in a project, in place of earlier ones of their file. */
export interface Arriving {
  project: string;
  fileId: string;
  segments: readonly Pick<NewSegment, 'table' | 'blob' | 'rowCount' | 'source' | 'ownColumns'>[];
}

/** Dependencies of `SourceIds`. */
interface SourceDeps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
}

/**
 * Compares arriving resources with those of a project. It keeps the ids of different sources apart, since an id is unique on
 * one server only (FHIR R4 §2.24.0.1). Otherwise, resources of two servers with one id would be merged. It also notes resources
 * that have several versions.
 */
export class ArrivingResources {
  readonly #deps: SourceDeps;
  readonly #arriving: Arriving;
  /** Version of the data that was compared. */
  #version: number | undefined;
  #revisions: NewSegment[] = [];

  constructor(deps: SourceDeps, arriving: Arriving) {
    this.#deps = deps;
    this.#arriving = arriving;
  }

  /** Notes on versions, to be published with the resources. */
  get revisions(): readonly NewSegment[] {
    return this.#revisions;
  }

  /** Compares the resources. Rejects with `EngineError` INPUT if another source has one of their ids. */
  async compare(): Promise<void> {
    const own = this.#arriving.segments.find(({ table }) => table === '_resource');
    if (!own) return;
    await this.discard();
    const { records } = this.#deps;
    const { data_version: version } = await presentVersions(records.read, this.#arriving.project);
    const { files, replaced } = await othersOf(records.read, this.#arriving);
    if (files.length > 0) await this.#compareWith(own, files, replaced);
    this.#version = version;
  }

  /** Reports whether the data are unchanged since `compare`. Called in the transaction that publishes the rows. */
  async isCurrent(tx: Transaction): Promise<boolean> {
    if (!this.#arriving.segments.some(({ table }) => table === '_resource')) return true;
    return (await presentVersions(tx, this.#arriving.project)).data_version === this.#version;
  }

  /** Discards notes that are not published. */
  async discard(): Promise<void> {
    const keys = this.#revisions.map(({ blob }) => blob.key);
    this.#revisions = [];
    await removeFreed(this.#deps.blobs, keys);
  }

  async #compareWith(
    { blob, source = '' }: Arriving['segments'][number],
    others: LakeFile[],
    replaced: number[],
  ): Promise<void> {
    const { blobs, engine } = this.#deps;
    const foreign = others.filter((one) => one.source !== source);
    const files = [blob, ...others.map((file) => file.blob)];
    await blobs.inScratchFolder((outputFolder) =>
      blobs.withLocal(files, async (paths) => {
        const [ownPath = '', ...otherPaths] = paths;
        const located = others.map((file, at) => locate(file, otherPaths[at] ?? ''));
        const arriving = { table: '_resource', path: ownPath, ordinal: 0, merged: false, ordinals: null };
        const ours = rowsWithOrdinal([arriving], columns);
        const visible = (of: LocatedFile[]) =>
          `(SELECT * FROM ${rowsWithOrdinal(of, columns)} WHERE _ordinal NOT IN (${[0, ...replaced].join(', ')}))`;
        const clashes = {
          path: `${outputFolder}/clashes.parquet`,
          select: clashesOf(ours, visible(located.filter((one) => one.source !== source))),
        };
        const revisions = planRevisions(ours, visible(located), outputFolder);
        const planned = foreign.length > 0 ? [...revisions, clashes] : revisions;
        const rewrites = planned.map(({ path, select }) => ({ path, select, files: paths }));
        const outcomes = await engine
          .rewrite({ rewrites, outputFolder }, new AbortController().signal)
          .catch((error: unknown) => {
            throw temporaryProblem(error) ?? error;
          });
        const count = outcomes[revisions.length]?.rowCount ?? 0;
        if (count > 0) throw new EngineError('INPUT', messageOf(count, source, foreign));
        this.#revisions = await adoptRevisions(blobs, revisions, outcomes);
      }),
    );
  }
}

/** Selects the resources and patients that both relations name. */
function clashesOf(ours: string, theirs: string): string {
  const own = idsIn(ours);
  // Inner joins hash the arriving ids. A semi join may hash those of the whole project.
  return `SELECT DISTINCT own.* FROM ${own} AS own JOIN ${theirs} AS t ON own.type = t.resource_type AND own.id = t.resource_id
    UNION SELECT DISTINCT own.* FROM ${own} AS own JOIN ${theirs} AS t ON own.type = 'Patient' AND own.id = t.patient_id
    LIMIT ${clashesMax}`;
}

const columns = 'resource_type, resource_id, patient_id, last_updated, deleted';

/** Selects resources by type and id, and the patients they refer to, who may be in another file. */
function idsIn(rows: string): string {
  return `(SELECT resource_type AS type, resource_id AS id FROM ${rows}
    UNION SELECT 'Patient', patient_id FROM ${rows} WHERE patient_id IS NOT NULL)`;
}

/** Present files of `_resource` in a project, with the ordinals of the rows that the arriving ones replace. */
interface Others {
  files: LakeFile[];
  replaced: number[];
}

async function othersOf(read: Reader, { project, fileId }: Arriving): Promise<Others> {
  const rows = await read
    .selectFrom('segments')
    .select('ordinal')
    .where('source_file_id', '=', fileId)
    .where('project_id', '=', project)
    .where('table_name', '=', '_resource')
    .where('removed_version', 'is', null)
    .execute();
  const replaced = rows.map(({ ordinal }) => ordinal);
  const files = await presentFiles(read, project, '_resource');
  const isReplaced = ({ segments, ordinal }: LakeFile) => segments === 1 && replaced.includes(ordinal);
  return { files: files.filter((file) => !isReplaced(file)), replaced };
}

function messageOf(count: number, own: string, others: readonly LakeFile[]): string {
  const names = [...new Set(others.map(({ source }) => nameOf(source)))].slice(0, 3).join(', ');
  const [first] = others;
  return `${count} ids of resources and patients in this file (${nameOf(own)}) are ids of ${names} in the project too: different people would be taken for one. If both are of one system, ingest with ${first?.source ? `source "${first.source}"` : 'an empty source'}; if not, ingest with an idPrefix of its own.`;
}

const nameOf = (source: string): string => (source === '' ? 'no named source' : `source ${source}`);
