import type { QueryTable } from '@ploidy/engine';
import {
  annotation,
  hasWords,
  ownTable,
  readOwnColumns,
  sequence,
  type Table,
  tables,
  wordsColumn,
} from '@ploidy/formats/tables';
import { variantRelation } from '../annotations/variant-relation.ts';
import { type LocatedFile, namesOf, rowsOf, rowsWithOrdinal } from '../catalogue/segment-rows.ts';
import { CurrentRows, versionTables } from './current-rows.ts';
import {
  codingRows,
  definitionColumns,
  givenColumns,
  medicationRows,
  withBorrowed,
  withDefinitions,
} from './medication-relation.ts';
import type { Relation, VisibleTables } from './visible-tables.ts';

/**
 * Builds the relations of a statement as SQL over Parquet files. Columns whose names start with `_` are
 * internal and never shown. `seen`: for a caller with restricted access.
 */
export function viewsOf(
  names: string[],
  segments: LocatedFile[],
  seen: VisibleTables | undefined,
): QueryTable[] {
  return names.flatMap((name) => {
    const table = tables.get(name) ?? ownTableIn(segments, name);
    if (!table) return [];
    const relation = relationOf(table, segments, seen !== undefined && hasWords(table) ? [wordsColumn] : []);
    const view = seen?.view(table, relation, () => sequenceRelation(segments)) ?? relation;
    return [{ name, ...view }];
  });
}

/** Finds the definition of a project's own table, which its file holds. */
function ownTableIn(files: readonly LocatedFile[], name: string): Table | undefined {
  const columns = files.find(({ table }) => table === name)?.ownColumns;
  return columns ? ownTable(name, readOwnColumns(columns)) : undefined;
}

const behindSamples = ['sequence', '_sample_link', '_sample_patient', ...versionTables];

/** Lists the tables whose segments these relations need. `isSeen`: for a caller with restricted access. */
export function tablesBehind(names: readonly string[], isSeen: boolean): string[] {
  const behind = names.flatMap((name) => {
    const table = tables.get(name);
    // An own table may have samples.
    if (!table) return [name, ...(isSeen ? behindSamples : [])];
    if (name === 'sequence') return behindSamples;
    return [
      name,
      ...(name === 'variant' ? [annotation.name] : []),
      ...(table.area === 'clinical' ? versionTables : []),
      ...(name === 'medication' || name === 'coding' ? ['_medication', 'medication'] : []),
      // Samples link omic rows to patients.
      ...(isSeen && (table.area === 'omic' || table.area === 'study') ? behindSamples : []),
    ];
  });
  return [...new Set(behind)];
}

/** `words`: the internal column that masks ask, if a value of the table may be words. */
function relationOf(table: Table, segments: LocatedFile[], words: readonly string[]): Relation {
  return table.name === 'sequence' ? sequenceRelation(segments) : tableRelation(table, segments, words);
}

function tableRelation(table: Table, segments: LocatedFile[], words: readonly string[]): Relation {
  if (table.name === 'variant') return variantRelation(table, segments);
  const of = (name: string) => segments.filter((segment) => segment.table === name);
  const own = of(table.name);
  const current = new CurrentRows(segments);
  const definitions = table.name === 'medication' || table.name === 'coding' ? of('_medication') : [];
  // Only FHIR resources have versions.
  const versions = table.area === 'clinical' ? current.files : [];
  const shown = [namesOf(table), ...words].join(', ');
  const isCoding = table.name === 'coding';
  const ownRows = (columns: string): string =>
    isCoding ? codingRows(table, own) : rowsWithOrdinal(own, [columns, ...words].join(', '));
  if (versions.length === 0 && definitions.length === 0) {
    const sql = isCoding ? `SELECT ${shown} FROM ${codingRows(table, own)}` : rowsOf(own, shown);
    return { sql, files: paths(own) };
  }
  const columns = `${namesOf(table)}, _resource_type, _resource_id`;
  const resource = { type: '_resource_type', id: '_resource_id' };
  const counting = (rows: string): string =>
    versions.length > 0 ? current.of(rows, resource) : `SELECT * FROM ${rows}`;
  const files = [...own, ...versions];
  if (definitions.length > 0 && table.name === 'medication') {
    const stated = rowsWithOrdinal(definitions, definitionColumns);
    const sql = withDefinitions(
      table,
      counting(medicationRows(own, columns, words)),
      counting(stated),
      words,
    );
    return { sql, files: paths([...files, ...definitions]) };
  }
  const rows = `SELECT ${shown} FROM (${counting(ownRows(columns))})`;
  const given = definitions.length > 0 ? of('medication') : [];
  if (given.length === 0) return { sql: rows, files: paths(files) };
  const sql = withBorrowed(table, rows, counting(medicationRows(given, givenColumns)));
  // That there are definitions decides: they are opened as well.
  return { sql, files: paths([...files, ...given, ...definitions]) };
}

const noSamples = 'SELECT NULL::VARCHAR AS patient_id, NULL::VARCHAR AS id WHERE false';

/** Builds one row per sample. The list of a project decides over the patient that its files name. */
function sequenceRelation(segments: LocatedFile[]): Relation {
  const named = namedSamples(segments);
  const lists = segments.filter((segment) => segment.table === '_sample_patient');
  if (lists.length === 0 || named.files.length === 0) return named;
  const isKept = 'p.sample_id IS NULL OR p.specimen_id IS NULL AND p.patient_id = s.patient_id';
  const columns = samplesWith({
    patient_id: 'CASE WHEN p.sample_id IS NULL THEN s.patient_id ELSE p.patient_id END',
    specimen_id: `CASE WHEN ${isKept} THEN s.specimen_id ELSE p.specimen_id END`,
  });
  const sql = `SELECT ${columns}
    FROM (${named.sql}) AS s LEFT JOIN (${rowsOf(lists, 'sample_id, patient_id, specimen_id')}) AS p ON p.sample_id = s.id`;
  return { sql, files: [...new Set([...named.files, ...paths(lists)])] };
}

/**
 * Builds one row per sample. The patient is that of the ingestion, else that of a Specimen or MolecularSequence identified by
 * the sample's name. If these name several patients the sample has none, and their other values are ignored: a wrong patient is
 * worse than none (docs/api/ingestion.md, "Samples and patients").
 */
function namedSamples(segments: LocatedFile[]): Relation {
  const own = segments.filter((segment) => segment.table === 'sequence');
  const links = segments.filter((segment) => segment.table === '_sample_link');
  if (own.length === 0) return { sql: noSamples, files: [] };
  const current = new CurrentRows(segments);
  const rows = sequenceRows(own, current);
  const values = sequence.columns.map(({ name }) => name).filter((name) => name !== 'id');
  const samples = `SELECT id, ${ofOnePatient(values)}, ${severalPatients}
    FROM ${rows} GROUP BY id`;
  if (links.length === 0) {
    return {
      sql: `SELECT ${namesOf(sequence)} FROM (${samples})`,
      files: paths([...own, ...current.files]),
    };
  }
  const linkRows = rowsWithOrdinal(links, 'sample_name, patient_id, specimen_id, resource_type, resource_id');
  const valid = current.of(linkRows, { type: 'resource_type', id: 'resource_id' });
  const byName = `SELECT sample_name, ${ofOnePatient(['patient_id', 'specimen_id'])} FROM (${valid}) GROUP BY sample_name`;
  // Values of another patient do not complete those given at ingestion.
  const isSamePatient = 'NOT s.several AND (s.patient_id IS NULL OR s.patient_id = l.patient_id)';
  const columns = samplesWith({
    patient_id: `coalesce(s.patient_id, CASE WHEN ${isSamePatient} THEN l.patient_id END)`,
    specimen_id: `coalesce(s.specimen_id, CASE WHEN ${isSamePatient} THEN l.specimen_id END)`,
  });
  const sql = `SELECT ${columns}
    FROM (${samples}) AS s LEFT JOIN (${byName}) AS l ON l.sample_name = s.id`;
  return { sql, files: paths([...own, ...links, ...current.files]) };
}

/** Selects the columns of `sequence` from samples `s`; those that are computed are given by name. */
function samplesWith(given: Readonly<Record<string, string>>): string {
  return sequence.columns.map(({ name }) => `${given[name] ?? `s."${name}"`} AS "${name}"`).join(', ');
}

/**
 * Selects the samples of files and the current version of each MolecularSequence (STU3: Sequence) that is not
 * deleted. Samples of files are of no resource.
 */
function sequenceRows(own: LocatedFile[], current: CurrentRows): string {
  if (current.files.length === 0) return rowsWithOrdinal(own, namesOf(sequence));
  const rows = rowsWithOrdinal(own, `${namesOf(sequence)}, _resource_type`);
  return `(${current.of(rows, { type: '_resource_type', id: 'id' })})`;
}

const severalPatients = 'count(DISTINCT patient_id) > 1 AS several';

/** Selects the newest value of each column; NULL if the rows name several patients. */
function ofOnePatient(columns: readonly string[]): string {
  return columns
    .map(
      (column) =>
        `CASE WHEN count(DISTINCT patient_id) < 2 THEN arg_max("${column}", _ordinal) END AS "${column}"`,
    )
    .join(', ');
}

function paths(segments: LocatedFile[]): string[] {
  return [...new Set(segments.map(({ path }) => path))];
}
