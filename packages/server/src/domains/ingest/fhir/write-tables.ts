import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Table, tables } from '@ploidy/formats';
import type { ConvertedTable, Sql } from '../../../platform/engine/conversion.ts';
import {
  copyToParquet,
  literal,
  readText,
  resourceIdColumn,
  type TextColumn,
  textColumns,
} from './parquet.ts';
import { findRefusedVersions, type RefusedVersions } from './refused-versions.ts';
import type { SortedRows } from './row-sorter.ts';
import { type Stage, type UnsortedName, unsortedColumns } from './stage.ts';

/** How the stage's unsorted files are read; undefined: there is no such row. */
type Readers = Partial<Record<UnsortedName, string>>;

const types: Record<string, string> = {
  last_updated: 'TIMESTAMP',
  deleted: 'BOOLEAN',
  decisive: 'BOOLEAN',
  rank: 'BIGINT',
  coded: 'BIGINT',
  ordinal: 'BIGINT',
};

/** Turns the staged rows into one Parquet file a table; tables without rows give none. */
export async function writeTables(
  stage: Stage,
  sql: Sql,
  outputFolder: string,
  onRows: (rows: number) => void,
): Promise<ConvertedTable[]> {
  const readers: Readers = {};
  for (const [name, { path, longestRowBytes }] of await stage.close()) {
    const columns = unsortedColumns[name].map((column): TextColumn => [column, types[column] ?? 'VARCHAR']);
    readers[name] = readText({ path, columns, longestRowBytes, hasLineBreaks: stage.hasLineBreaks });
  }
  if (readers.resource === undefined) return [];
  const refused = await findRefusedVersions(sql, readers.resource, stage.folder);
  const written: ConvertedTable[] = [];
  const keep = (made: ConvertedTable | undefined) => {
    if (made) written.push(made);
    onRows(written.reduce((sum, { rows }) => sum + rows, 0));
  };
  // While the engine writes one table, the rows of the next are merged here.
  let engine = writeInternals(readers, refused, sql, outputFolder).then((made) => made.forEach(keep));
  try {
    for (const table of tables.values()) {
      const sorted = await sortTable(table, stage, refused);
      await engine;
      if (sorted) engine = writeTable(table, sorted, sql, outputFolder, refused, readers).then(keep);
    }
    await engine;
  } finally {
    // The engine must be at rest before its files are removed; its failure, if any, is on its way already.
    await Promise.allSettled([engine]);
  }
  return written;
}

interface SortedTable extends SortedRows {
  path: string;
  hasLineBreaks: boolean;
}

async function sortTable(
  table: Table,
  stage: Stage,
  refused: RefusedVersions,
): Promise<SortedTable | undefined> {
  const sorter = stage.sorters.get(table.name);
  if (!sorter) return undefined;
  stage.sorters.delete(table.name);
  const path = join(stage.folder, `${table.name}.sorted`);
  const sorted = await sorter.writeSorted(path, refused.has);
  return sorted.rows === 0 ? undefined : { ...sorted, path, hasLineBreaks: stage.hasLineBreaks };
}

async function writeTable(
  table: Table,
  sorted: SortedTable,
  sql: Sql,
  outputFolder: string,
  refused: RefusedVersions,
  readers: Readers,
): Promise<ConvertedTable> {
  const path = join(outputFolder, `${table.name}.parquet`);
  const source = readText({ ...sorted, columns: textColumns(table) });
  await sql.run(copyToParquet(tableQuery(table, source, readers, refused), path));
  rmSync(sorted.path);
  return { table: table.name, path, rows: sorted.rows };
}

function tableQuery(table: Table, source: string, readers: Readers, refused: RefusedVersions): string {
  const names = table.columns.map(({ name }) => name);
  const internal = `_resource_type, ${resourceIdColumn(table)} AS _resource_id, _last_updated`;
  if (table.name === 'medication' && !(readers.medication && readers.medication_of))
    return `SELECT ${names.join(', ')}, ${internal}, _medication_id FROM ${source}`;
  if (table.name !== 'medication') return `SELECT ${names.join(', ')}, ${internal} FROM ${source}`;
  // What a Medication of the same source says stands in for a concept that the row does not have. A join does not keep
  // the order of rows, so the short concepts are put back into it, and laid beside the rows.
  const defined = new Set(['code', 'system', 'display', 'text']);
  const columns = names.map((name) =>
    defined.has(name) ? `coalesce(m.${name}, d.${name}) AS ${name}` : `m.${name}`,
  );
  return `SELECT ${columns.join(', ')}, m._resource_type, m.id AS _resource_id, m._last_updated, m._medication_id FROM ${source} AS m
    POSITIONAL JOIN (
      SELECT d.code, d.system, d.display, d.text
      FROM (SELECT row_number() OVER () AS place, _medication_id FROM ${source}) AS r
      LEFT JOIN (SELECT * FROM ${readers.medication} WHERE ${refused.condition}) AS d
      ON d.medication_id = r._medication_id ORDER BY r.place
    ) AS d`;
}

/** The internal tables: columns and grain are described in docs/formats/fhir.md. */
function internalQueries(readers: Readers, refused: RefusedVersions): Map<string, string> {
  const queries = new Map<string, string>();
  queries.set(
    '_resource',
    `SELECT resource_type, resource_id, patient_id, last_updated, deleted FROM ${readers.resource}
     WHERE ${refused.condition} ORDER BY resource_type, resource_id`,
  );
  if (readers.coding) queries.set('_coding', codingQuery(readers, refused));
  if (readers.medication) {
    queries.set(
      '_medication',
      `SELECT 'Medication' AS resource_type, medication_id AS resource_id, code, system, display, text FROM ${readers.medication}
       WHERE ${refused.condition} ORDER BY medication_id`,
    );
  }
  if (readers.sample) {
    queries.set(
      '_sample_link',
      `SELECT sample_name, patient_id, specimen_id, resource_type, resource_id FROM ${readers.sample}
       WHERE ${refused.condition} ORDER BY sample_name, patient_id`,
    );
  }
  return queries;
}

/**
 * Rows by code, so that a filter by code reads little: the numbers are sorted, then codings and resources are laid to them.
 * Codings of a Medication count for every resource that refers to it.
 */
function codingQuery(readers: Readers, refused: RefusedVersions): string {
  const own = `SELECT w.resource_type, w.resource_id, w.patient_id, c.element, c.system, c.code, c.display
    FROM sorted AS s JOIN coded AS c USING (coded) JOIN winner AS w USING (ordinal)`;
  const borrowed = `SELECT r.resource_type, r.resource_id, r.patient_id, 'medication', c.system, c.code, c.display
    FROM (SELECT * FROM ${readers.medication_of} WHERE ${refused.condition}) AS r
    JOIN winner AS w ON w.resource_type = 'Medication' AND w.resource_id = r.medication_id
    JOIN sorted AS s ON s.ordinal = w.ordinal JOIN coded AS c USING (coded)`;
  return `WITH
    winner AS (SELECT * FROM ${readers.resource} WHERE ${refused.condition}),
    coded AS MATERIALIZED (
      SELECT *, row_number() OVER (ORDER BY system, code, element, display) AS place FROM ${readers.coded}
    ),
    sorted AS (
      SELECT coding.coded, coding.ordinal FROM ${readers.coding} AS coding
      JOIN (SELECT coded, place FROM coded) USING (coded) ORDER BY place, ordinal
    )
    ${readers.medication_of ? `${own} UNION ALL ${borrowed}` : own}`;
}

async function writeInternals(
  readers: Readers,
  refused: RefusedVersions,
  sql: Sql,
  outputFolder: string,
): Promise<ConvertedTable[]> {
  const written: ConvertedTable[] = [];
  for (const [table, query] of internalQueries(readers, refused)) {
    const made = await writeInternal(table, query, sql, outputFolder);
    if (made) written.push(made);
  }
  return written;
}

async function writeInternal(
  table: string,
  query: string,
  sql: Sql,
  outputFolder: string,
): Promise<ConvertedTable | undefined> {
  const path = join(outputFolder, `${table}.parquet`);
  await sql.run(copyToParquet(query, path));
  const [footer] = await sql.rows(
    `SELECT sum(num_rows)::DOUBLE AS rows FROM parquet_file_metadata(${literal(path)})`,
  );
  const rows = Number(footer?.['rows'] ?? 0);
  if (rows > 0) return { table, path, rows };
  rmSync(path);
  return undefined;
}
