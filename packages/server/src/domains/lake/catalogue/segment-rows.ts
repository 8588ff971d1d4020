import { fileTables } from '@ploidy/converters/file-tables';
import { literal, schemaOption } from '@ploidy/engine';
import { type StoredColumn, storedTables, type Table } from '@ploidy/formats/tables';
import type { LakeFile } from './lake-files.ts';

/** Part of a file that is read. */
export interface ReadFile {
  table: string;
  path: string;
  /** Ordinal of all rows, unless `merged`. */
  ordinal: number;
  /** True if the file holds rows of several ingestions, each with its `_ordinal`. */
  merged: boolean;
  /** Table of the distributed engine that has all rows of the file, and takes its place. */
  relation?: string;
  /** Ordinals of the rows to read if the file also holds others; null: all. */
  ordinals: number[] | null;
}

/** File of the lake with its path for the engine. */
export interface LocatedFile extends LakeFile, ReadFile {}

/** Builds one file of all rows of a table in the distributed engine. */
export function locateRemotely(files: readonly [LakeFile, ...LakeFile[]]): LocatedFile {
  const [first] = files;
  const segments = files.reduce((sum, one) => sum + one.segments, 0);
  return { ...first, segments, path: first.table, merged: true, relation: `lake."${first.table}"` };
}

/** Adds the path to a file of the lake. */
export function locate(file: LakeFile, path: string): LocatedFile {
  return { ...file, path, merged: file.fileRows !== null };
}

/** Returns the columns of a table as SQL. */
export function namesOf(table: Table): string {
  return table.columns.map(({ name }) => `"${name}"`).join(', ');
}

/** Builds a SELECT of the rows of files of a table. `columns`: SQL of its columns. */
export function rowsOf(files: ReadFile[], columns: string): string {
  const whole = files.filter(({ ordinals }) => ordinals === null);
  const parts = files.filter(({ ordinals }) => ordinals !== null).map((file) => selectPart(file, columns));
  if (whole.length > 0) parts.unshift(`SELECT ${columns} FROM ${read(whole)}`);
  return parts.join(' UNION ALL ');
}

/** Builds a relation of the rows with the ordinal of their ingestion, to find the current version of a resource. */
export function rowsWithOrdinal(files: ReadFile[], columns: string): string {
  const { single, merged, partial } = groupsOf(files);
  const parts = partial.map((file) => selectPart(file, `${columns}, _ordinal`));
  if (single.length > 0) parts.unshift(scanWithOrdinals(single, columns));
  if (merged.length > 0) parts.unshift(`SELECT ${columns}, _ordinal FROM ${read(merged)}`);
  return `(${parts.join(' UNION ALL ')})`;
}

/**
 * Groups files by how their rows are selected: files of a single ingestion and whole merged files in one scan
 * each. A branch of a UNION per file would need memory for each of them: 64 exceed 256 MiB.
 */
export function groupsOf<F extends ReadFile>(files: F[]): Record<'single' | 'merged' | 'partial', F[]> {
  return {
    single: files.filter(({ merged }) => !merged),
    merged: files.filter(({ merged, ordinals }) => merged && ordinals === null),
    partial: files.filter(({ merged, ordinals }) => merged && ordinals !== null),
  };
}

/** Builds a SELECT of files of a single ingestion each, with its ordinal. `rows`: relation that has `file_index`. */
export function scanWithOrdinals(files: ReadFile[], columns: string, rows = read(files)): string {
  const ordinals = files.map(({ ordinal }) => ordinal);
  return `SELECT ${columns}, [${ordinals.join(', ')}][file_index::BIGINT + 1]::BIGINT AS _ordinal FROM ${rows}`;
}

/** Builds a SELECT of the visible rows of a merged file. */
export function selectPart(file: ReadFile, columns: string, rows = read([file])): string {
  return `SELECT ${columns} FROM ${rows} WHERE _ordinal IN (${(file.ordinals ?? []).join(', ')})`;
}

/**
 * Builds a scan of files of a table, each with all columns of the present table: those that a file lacks are NULL. `united`:
 * also with columns that only files of a later version have.
 */
export function read(files: ReadFile[], columns: 'present' | 'united' = 'present'): string {
  const [first] = files;
  if (first?.relation !== undefined) return first.relation;
  const paths = files.map(({ path }) => literal(path)).join(', ');
  return `read_parquet([${paths}]${columns === 'united' ? ', union_by_name = true' : presentColumns(first)})`;
}

/** Columns of a project's own table are those of its file. */
function presentColumns(file: ReadFile | undefined): string {
  const columns = storedColumns(file?.table ?? '');
  if (columns.length === 0) return '';
  return `, ${schemaOption(file?.merged ? [...columns, ordinalColumn] : columns)}`;
}

const ordinalColumn = { name: '_ordinal', type: 'int' } as const;

/** Lists the columns in the files of a table of the service, whichever format wrote them; none for a project's own table. */
export function storedColumns(table: string): Pick<StoredColumn, 'name' | 'type'>[] {
  const columns = [...(storedTables.get(table)?.columns ?? []), ...(fileTables.get(table)?.columns ?? [])];
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}
