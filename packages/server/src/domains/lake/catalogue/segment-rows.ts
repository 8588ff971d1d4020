import { literal } from '@ploidy/engine';
import type { Table } from '@ploidy/formats';
import type { LakeFile } from './lake-files.ts';

/** Part of a file that is read. */
export interface ReadFile {
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

/** Builds a SELECT of the rows of files. `columns`: SQL of columns that all of them have. */
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

/** Builds a relation as `rowsWithOrdinal` does, with columns of texts that only some of the files have. */
export function rowsWithOptional(files: ReadFile[], columns: string, optionals: readonly string[]): string {
  const optional = optionals.join(', ');
  const typed = optionals.map((name) => `NULL::VARCHAR AS ${name}`).join(', ');
  const { single, merged, partial } = groupsOf(files);
  const rows = (of: ReadFile[], more: string): string =>
    of[0]?.relation ??
    `(SELECT ${typed} WHERE false
      UNION ALL BY NAME SELECT *${more} FROM ${read(of, 'united')})`;
  const all = `${columns}, ${optional}`;
  const parts = partial.map((file) => selectPart(file, `${all}, _ordinal`, rows([file], '')));
  if (single.length > 0) parts.push(scanWithOrdinals(single, all, rows(single, ', file_index')));
  if (merged.length > 0) parts.push(`SELECT ${all}, _ordinal FROM ${rows(merged, '')}`);
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

/** Builds a scan of files. `united`: their columns differ, and are matched by name. */
export function read(files: ReadFile[], columns: 'same' | 'united' = 'same'): string {
  const relation = files[0]?.relation;
  if (relation !== undefined) return relation;
  const paths = files.map(({ path }) => literal(path)).join(', ');
  return `read_parquet([${paths}]${columns === 'united' ? ', union_by_name = true' : ''})`;
}
