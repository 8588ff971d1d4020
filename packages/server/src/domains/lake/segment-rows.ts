import type { Table } from '@ploidy/formats';
import { literal } from '../../platform/engine/worker/quote.ts';
import type { Segment } from './catalogue.ts';

/** A segment with the path under which the engine reads it. */
export interface LocatedSegment extends Segment {
  path: string;
}

/** A file with those of its rows that are to be read. */
export interface LocatedFile {
  path: string;
  ordinals: number[];
  /** Whether there are rows of several ingestions in it, each with its `_ordinal`. */
  compacted: boolean;
  /** Whether it holds rows that are not to be read: of what was replaced or deleted since it was made. */
  partial: boolean;
}

/** The columns of a table as SQL. */
export function namesOf(table: Table): string {
  return table.columns.map(({ name }) => `"${name}"`).join(', ');
}

/** A SELECT of the rows of segments. `columns`: SQL of columns that all of their files have. */
export function rowsOf(segments: LocatedSegment[], columns: string): string {
  const files = filesOf(segments);
  const whole = files.filter(({ partial }) => !partial);
  const parts = files.filter(({ partial }) => partial).map((file) => selectPart(file, columns));
  if (whole.length > 0) parts.unshift(`SELECT ${columns} FROM ${read(whole)}`);
  return parts.join(' UNION ALL ');
}

/** A relation of the same rows, each with the ordinal of its ingestion, so that it can be matched with the version that won. */
export function rowsWithOrdinal(segments: LocatedSegment[], columns: string): string {
  const files = filesOf(segments);
  const compacted = files.filter((file) => file.compacted && !file.partial);
  const parts = files
    .filter((file) => !compacted.includes(file))
    .map((file) =>
      file.compacted
        ? selectPart(file, `${columns}, _ordinal`)
        : `SELECT ${columns}, ${file.ordinals[0]}::BIGINT AS _ordinal FROM ${read([file])}`,
    );
  if (compacted.length > 0) parts.unshift(`SELECT ${columns}, _ordinal FROM ${read(compacted)}`);
  return `(${parts.join(' UNION ALL ')})`;
}

function selectPart(file: LocatedFile, columns: string): string {
  return `SELECT ${columns} FROM ${read([file])} WHERE _ordinal IN (${file.ordinals.join(', ')})`;
}

function read(files: LocatedFile[]): string {
  return `read_parquet([${files.map(({ path }) => literal(path)).join(', ')}])`;
}

/** The files of segments, each once. */
export function filesOf(segments: LocatedSegment[]): LocatedFile[] {
  return [...Map.groupBy(segments, ({ path }) => path)].map(([path, parts]) => {
    const [first] = parts;
    const fileRows = first?.fileRows ?? null;
    const rows = parts.reduce((sum, { rowCount }) => sum + rowCount, 0);
    return {
      path,
      ordinals: parts.map(({ ordinal }) => ordinal),
      compacted: fileRows !== null,
      partial: fileRows !== null && rows < fileRows,
    };
  });
}
