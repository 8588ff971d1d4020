import type { QueryTable, RemoteView, TableConditions } from '@ploidy/engine';
import { annotation, type ColumnType, engineTypes, type Table, tables } from '@ploidy/formats/tables';
import { timestamp } from '../../base/ids.ts';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import type { Records } from '../../platform/records/records.ts';
import { annotatedTable, annotationsOf, fitting, withAnnotated } from './annotations/annotated-segments.ts';
import type { ServiceAnnotations } from './annotations/service-annotations.ts';
import { presentTables, presentVersions, tableTimes } from './catalogue/catalogue.ts';
import { filesAt, type LakeFile } from './catalogue/lake-files.ts';
import { ownTablesAt } from './catalogue/own-tables.ts';
import { usableConditions, withoutNeedless } from './catalogue/pruning.ts';
import { excerptsOf, groupTestsOf } from './catalogue/row-groups.ts';
import { locate, locateRemotely } from './catalogue/segment-rows.ts';
import { versionTables } from './views/current-rows.ts';
import { Masks } from './views/masks.ts';
import { needsPatients, type RowAccess } from './views/row-access.ts';
import { tablesBehind, viewsOf } from './views/views.ts';
import { hasPatients, VisibleTables } from './views/visible-tables.ts';

/** Table as the API describes it. */
export interface TableSchema {
  table: string;
  created: string;
  description: string;
  /** Columns of own tables have no description. */
  columns: { name: string; type: ColumnType; description?: string }[];
}

/** Readable part of a version of the lake: the tables with data, and their files. */
export interface Snapshot {
  version: number;
  /** Tables by name, in the order of the names. */
  tables: ReadonlyMap<string, Table>;
  /** Ingested rows per table; all versions of a resource count. */
  rowCounts: ReadonlyMap<string, number>;
}

interface LakeDeps {
  records: Records;
  blobs: Blobs;
  maskKey: Uint8Array;
  serviceAnnotations: ServiceAnnotations;
}

/** Lake of each project: its tables and their files. */
export class Lake {
  readonly #records: Records;
  readonly #blobs: Blobs;
  readonly #maskKey: Uint8Array;
  readonly #annotations: ServiceAnnotations;

  constructor(deps: LakeDeps) {
    this.#records = deps.records;
    this.#blobs = deps.blobs;
    this.#maskKey = deps.maskKey;
    this.#annotations = deps.serviceAnnotations;
  }

  /** Describes the tables of a project that have data and rows the caller can see, by name. Cohorts alone are no data. */
  async schemas(project: string, access: RowAccess): Promise<TableSchema[]> {
    const snapshot = await this.snapshot(project, access);
    if ([...snapshot.tables.keys()].every((name) => name === 'cohort')) return [];
    const times = await tableTimes(this.#records.read, project);
    return [...snapshot.tables].map(([name, table]) => {
      const columns = table.columns.map(({ name: column, type, about }) => ({
        ...{ name: column, type },
        ...(about !== '' && { description: about }),
      }));
      const created = timestamp(times.get(name) ?? 0);
      return { table: name, created, description: table.about, columns };
    });
  }

  /** Returns the present version for a query to pin, with the tables that a statement of the caller may name. */
  async snapshot(project: string, access: RowAccess): Promise<Snapshot> {
    const { version, rowCounts } = await presentTables(this.#records.read, project);
    const own = await ownTablesAt(this.#records.read, project, version);
    await this.#annotations.addRows(this.#records.read, project, rowCounts);
    const seen = [...rowCounts].flatMap(([name, rowCount]): [string, Table][] => {
      const table = tables.get(name) ?? own.get(name);
      const isSeen =
        table && hasRows({ table: name, rowCount }) && (!needsPatients(access) || hasPatients(table));
      return isSeen ? [[name, table]] : [];
    });
    return { version, tables: new Map(seen.sort(([one], [other]) => (one < other ? -1 : 1))), rowCounts };
  }

  /** Pins the present version of a project for a computation. */
  async pin(id: string, access: RowAccess): Promise<PinnedProject> {
    const { version, data_version: dataVersion } = await presentVersions(this.#records.read, id);
    const ownTables = await ownTablesAt(this.#records.read, id, version);
    return { id, version, dataVersion, annotations: await this.serviceAnnotations(), access, ownTables };
  }

  /** Returns the tables that a project defines itself, at present or in a version. */
  async ownTables(project: string, version?: number): Promise<ReadonlyMap<string, Table>> {
    return ownTablesAt(this.#records.read, project, version);
  }

  /** Signature of the service's present annotations; empty if there are none. */
  serviceAnnotations(): Promise<string> {
    return this.#annotations.signature(this.#records.read);
  }

  /** Runs `work` with the relations of a pinned version; their files exist until it ends. */
  async withRelations<T>(
    project: LakeReading,
    names: string[],
    work: (relations: QueryTable[]) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.withRelationsOfAll([project], names, ([relations = []]) => work(relations), signal);
  }

  /** `withRelations` over several projects, in order; tables that a project lacks are omitted. */
  async withRelationsOfAll<T>(
    projects: readonly LakeReading[],
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
    return this.#blobs.withLocal(blobs, run, { signal, excerpts: excerptsOf(readings) });
  }

  /**
   * Returns the files of a table for other engines; nothing if the table is no file as a whole: rows are being
   * removed from a file, or variants still lack annotations.
   */
  async tableFiles(
    { id, version }: Omit<PinnedVersion, 'access'>,
    table: string,
  ): Promise<LakeFile[] | undefined> {
    const names = table === 'variant' ? [table, annotation.name] : [table];
    const files = await this.#filled({ id, version }, names, true);
    return wholeTables(files)?.get(table);
  }

  /**
   * Returns the files that are read for a table, and whether their rows are the table's: no row is chosen, joined
   * or filled when it is read.
   */
  async tableState(
    { id, version }: Omit<PinnedVersion, 'access'>,
    table: string,
  ): Promise<{ files: LakeFile[]; isPlain: boolean }> {
    const files = await this.#filled({ id, version }, tablesBehind([table], false), true);
    const own = files.filter((file) => tableOf(file) === table);
    const others = files.filter((file) => tableOf(file) !== table && !isIdle(file.table, files));
    const isChosen = table === 'sequence' || this.#annotations.areBeside(id, table);
    const isPlain = !isChosen && others.length === 0 && wholeTables(files) !== undefined;
    if (isPlain) return { files: own, isPlain };
    const opened = new Set(blobsOf([table], files, undefined).map(({ key }) => key));
    return { files: files.filter(({ blob }) => opened.has(blob.key)), isPlain };
  }

  /** Returns what a statement reads in the distributed engine; nothing if its tables are not whole. */
  async remoteReading(
    { id, version, access }: PinnedVersion,
    names: string[],
  ): Promise<RemoteReading | undefined> {
    // The distributed engine has the tables of the service only.
    if (names.some((name) => !tables.has(name))) return undefined;
    const seen = this.#seen(id, access);
    const behind = tablesBehind(names, seen !== undefined);
    const byTable = wholeTables(await this.#filled({ id, version }, behind));
    if (!byTable) return undefined;
    const there = names.filter((name) => byTable.has(name));
    const located = [...byTable.values()].flatMap(([first, ...more]) =>
      first ? [locateRemotely([first, ...more])] : [],
    );
    const views = viewsOf(there, located, seen).map(({ name, sql, settled }) => ({
      ...{ name, sql, columns: columnsOf(name) },
      ...(settled && { settled: { name: settled.name, sql: settled.sql } }),
    }));
    const files = [...byTable.values()].flat();
    return {
      ...{ views, tables: [...byTable.keys()] },
      size: files.reduce((sum, { blob }) => sum + blob.size, 0),
      rowCount: files.reduce((sum, one) => sum + one.rowCount, 0),
    };
  }

  #seen(project: string, access: RowAccess): VisibleTables | undefined {
    return access.real === true ? undefined : new VisibleTables(access, new Masks(this.#maskKey, project));
  }

  /** Lists the files of tables that have rows, with filled variants in place of plain ones. */
  async #filled(
    { id, version }: Omit<PinnedVersion, 'access'>,
    behind: string[],
    withBounds = false,
  ): Promise<LakeFile[]> {
    const { read } = this.#records;
    const rows = (await filesAt(read, id, version, behind, withBounds)).filter(hasRows);
    return withAnnotated(read, id, await this.#annotations.before(read, id, rows, behind));
  }

  async #reading({ id, version, access, conditions }: LakeReading, names: string[]): Promise<Reading> {
    const seen = this.#seen(id, access);
    const usable = usableConditions(conditions, access);
    const behind = tablesBehind(names, seen !== undefined);
    const all = await this.#filled({ id, version }, behind, usable !== undefined);
    const filled = usable ? await withoutNeedless(all, usable, tableOf) : all;
    const there = names.filter((name) => filled.some((file) => tableOf(file) === name));
    const views = (pathOf: ReadonlyMap<string, string>): QueryTable[] => {
      const located = filled.flatMap((file) => {
        const path = pathOf.get(file.blob.key);
        return path === undefined ? [] : [locate(file, path)];
      });
      return viewsOf(there, located, seen);
    };
    const groupTests = groupTestsOf(filled, usable, tableOf);
    return { blobs: blobsOf(there, filled, seen), groupTests, views };
  }
}

/** Columns of a table of the service, with the types of the engine. */
const columnsOf = (table: string): RemoteView['columns'] =>
  (tables.get(table)?.columns ?? []).map(({ name, type }) => ({ name, type: engineTypes[type] }));

/** Tables and relations of a statement in the distributed engine. */
export interface RemoteReading {
  views: RemoteView[];
  tables: string[];
  /** Bytes of all files. */
  size: number;
  rowCount: number;
}

/** Reports whether a table behind another changes nothing: versions while no resource has several, applied annotations. */
const isIdle = (table: string, files: LakeFile[]): boolean =>
  table === annotation.name ||
  (versionTables.includes(table) && files.every((file) => file.table !== '_revision'));

/** Filled variants are read in place of plain ones. */
export const tableOf = ({ table }: LakeFile): string => (table === annotatedTable ? 'variant' : table);

/** Groups files by table; nothing if one of them holds invisible rows, or variants to be annotated at query time. */
function wholeTables(files: LakeFile[]): Map<string, LakeFile[]> | undefined {
  const annotations = annotationsOf(files);
  const isUnfilled = (file: LakeFile) => file.table === 'variant' && fitting(annotations, file).length > 0;
  if (files.some((file) => file.ordinals !== null || isUnfilled(file))) return undefined;
  const own = files.filter(({ table }) => table !== annotation.name);
  const named = own.map((file) => ({ ...file, table: tableOf(file) }));
  return Map.groupBy(named, tableOf);
}

/** Files a statement reads in a project, and the relations over them once their paths are known. */
interface Reading {
  blobs: BlobInfo[];
  groupTests: ReturnType<typeof groupTestsOf>;
  views(pathOf: ReadonlyMap<string, string>): QueryTable[];
}

/** A cohort without members is still a table that statements may name. */
const hasRows = ({ table, rowCount }: Pick<LakeFile, 'table' | 'rowCount'>): boolean =>
  rowCount > 0 || table === 'cohort';

/** Version of a project's lake with the access of a caller. */
export interface PinnedVersion {
  id: string;
  version: number;
  access: RowAccess;
}

/** Version that one statement reads. All readers name its conditions, which leave files out; undefined: it uses all rows. */
type LakeReading = PinnedVersion & { conditions: TableConditions | undefined };

/** Present version of a project with the keys by which cached answers stay valid. */
export interface PinnedProject extends PinnedVersion {
  /** Equal for versions with the same data, whatever files hold them. */
  dataVersion: number;
  /** Signature of the service's annotations. */
  annotations: string;
  ownTables: ReadonlyMap<string, Table>;
}

/** Lists the distinct files that these relations open. */
function blobsOf(names: string[], files: LakeFile[], seen: VisibleTables | undefined): BlobInfo[] {
  const located = files.map((file) => locate(file, file.blob.key));
  const views = viewsOf(names, located, seen);
  const opened = new Set(views.flatMap(({ files, settled }) => [...files, ...(settled?.files ?? [])]));
  const byKey = new Map(files.map(({ blob }) => [blob.key, blob]));
  return [...byKey.values()].filter(({ key }) => opened.has(key));
}
