import { type ColumnType, engineTypes, tables } from '@ploidy/formats/tables';
import { timestamp } from '../../ids.ts';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import type { QueryTable, TableShape } from '../../platform/engine/engine.ts';
import type { Records } from '../../platform/records/records.ts';
import { withAnnotated } from './annotation/annotated-segments.ts';
import type { ServiceAnnotations } from './annotation/service-annotations.ts';
import { presentTables, presentVersions, type Segment, segmentsAt, tableTimes } from './catalogue.ts';
import { Masks } from './masks.ts';
import { hasPatients, SeenTables } from './seen-tables.ts';
import { needsPatients, type Sight } from './sight.ts';
import { tablesBehind, viewsOf } from './views.ts';

/** A table as the API describes it. */
export interface TableSchema {
  table: string;
  created: string;
  columns: { name: string; type: ColumnType }[];
}

/** What of a version of the lake a query reads: the tables that have data, and the segments behind them. */
export interface Snapshot {
  version: number;
  tableNames: string[];
  /** Rows of each table as they were ingested; of resources that came several times all count. */
  rowCounts: ReadonlyMap<string, number>;
}

/** Tables as the engine binds statements to them. */
export function shapesOf(names: string[], { rowCounts }: Snapshot): TableShape[] {
  return names.flatMap((name) => {
    const table = tables.get(name);
    if (!table) return [];
    const columns = table.columns.map((column) => ({ name: column.name, type: engineTypes[column.type] }));
    return [{ name, columns, rowCount: rowCounts.get(name) ?? 0 }];
  });
}

export interface LakeParts {
  records: Records;
  blobs: Blobs;
  maskKey: Uint8Array;
  serviceAnnotations: ServiceAnnotations;
}

/** The lake of each project: which tables there are and what they consist of. */
export class Lake {
  readonly #records: Records;
  readonly #blobs: Blobs;
  readonly #maskKey: Uint8Array;
  readonly #annotations: ServiceAnnotations;

  constructor(parts: LakeParts) {
    this.#records = parts.records;
    this.#blobs = parts.blobs;
    this.#maskKey = parts.maskKey;
    this.#annotations = parts.serviceAnnotations;
  }

  /** The tables of a project that have data and that a caller can see rows of, by name. */
  async schemas(project: string, sight: Sight): Promise<TableSchema[]> {
    const { tableNames } = await this.snapshot(project, sight);
    const times = await tableTimes(this.#records.read, project);
    return tableNames.flatMap((name) => {
      const table = tables.get(name);
      if (!table) return [];
      const columns = table.columns.map((column) => ({ name: column.name, type: column.type }));
      return [{ table: name, created: timestamp(times.get(name) ?? 0), columns }];
    });
  }

  /** The present version, for a query to pin, and the tables that a statement of the caller may name. */
  async snapshot(project: string, sight: Sight): Promise<Snapshot> {
    const { version, rowCounts } = await presentTables(this.#records.read, project);
    const isSeen = ([name, rowCount]: [string, number]): boolean => {
      const table = tables.get(name);
      return (
        table !== undefined &&
        hasRows({ table: name, rowCount }) &&
        (!needsPatients(sight) || hasPatients(table))
      );
    };
    const tableNames = [...rowCounts].filter(isSeen).map(([name]) => name);
    return { version, tableNames: tableNames.sort(), rowCounts };
  }

  /** The present version of a project, for a question about it. */
  async pin(id: string, sight: Sight): Promise<PinnedProject> {
    const { version, data_version: dataVersion } = await presentVersions(this.#records.read, id);
    return { id, version, dataVersion, annotations: await this.serviceAnnotations(), sight };
  }

  /** What tells the present annotations of the service from others; empty when there are none. */
  serviceAnnotations(): Promise<string> {
    return this.#annotations.signature(this.#records.read);
  }

  /** Runs `work` with the relations of a pinned version that a statement reads; their files are there until it ends. */
  async withRelations<T>(
    project: PinnedVersion,
    names: string[],
    work: (relations: QueryTable[]) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.withRelationsOfAll([project], names, ([relations = []]) => work(relations), signal);
  }

  /** The same of several projects, in their order; tables that a project does not have are left out. */
  async withRelationsOfAll<T>(
    projects: readonly PinnedVersion[],
    names: string[],
    work: (relations: QueryTable[][]) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const readings: Reading[] = [];
    for (const project of projects) readings.push(await this.#reading(project, names));
    const blobs = [...new Map(readings.flatMap((one) => one.blobs).map((blob) => [blob.key, blob])).values()];
    const run = (paths: string[]) => {
      const pathOf = new Map(blobs.map(({ key }, index) => [key, paths[index] ?? '']));
      return work(readings.map(({ views }) => views(pathOf)));
    };
    return this.#blobs.withLocal(blobs, run, { signal });
  }

  async #reading({ id, version, sight }: PinnedVersion, names: string[]): Promise<Reading> {
    const { read } = this.#records;
    const seen = sight.real === true ? undefined : new SeenTables(sight, new Masks(this.#maskKey, id));
    const segments = await segmentsAt(read, id, version, tablesBehind(names, seen !== undefined));
    const rows = segments.filter(hasRows);
    const filled = names.includes('variant')
      ? await withAnnotated(read, id, await this.#annotations.before(read, id, rows))
      : rows;
    const there = names.filter((name) => rows.some(({ table }) => table === name));
    const views = (pathOf: ReadonlyMap<string, string>): QueryTable[] => {
      const located = filled.flatMap((segment) => {
        const path = pathOf.get(segment.blob.key);
        return path === undefined ? [] : [{ ...segment, path }];
      });
      return viewsOf(there, located, seen);
    };
    return { blobs: blobsOf(there, filled, seen), views };
  }
}

/** What a statement reads of a project: files, and relations over them once it is known where they lie. */
interface Reading {
  blobs: BlobInfo[];
  views(pathOf: ReadonlyMap<string, string>): QueryTable[];
}

/** A cohort without members is still one that statements may name. */
const hasRows = ({ table, rowCount }: Pick<Segment, 'table' | 'rowCount'>): boolean =>
  rowCount > 0 || table === 'cohort';

/** A version of a project's lake, with what a question about it may see. */
export interface PinnedVersion {
  id: string;
  version: number;
  sight: Sight;
}

/** The present version, with what tells whether an answer about it is still the present one. */
export interface PinnedProject extends PinnedVersion {
  /** Versions with the same one hold the same data, however their files lie. */
  dataVersion: number;
  /** The same as long as the annotations of the service are. */
  annotations: string;
}

/** The files that the relations of these names open, each once. */
function blobsOf(names: string[], segments: Segment[], seen: SeenTables | undefined): BlobInfo[] {
  const located = segments.map((segment) => ({ ...segment, path: segment.blob.key }));
  const views = viewsOf(names, located, seen);
  const opened = new Set(views.flatMap(({ files, settled }) => [...files, ...(settled?.files ?? [])]));
  const byKey = new Map(segments.map(({ blob }) => [blob.key, blob]));
  return [...byKey.values()].filter(({ key }) => opened.has(key));
}
