import { annotation, internalTables, type Table, tables } from '@ploidy/formats/tables';
import type { QueryTable } from '../../platform/engine/engine.ts';
import { variantRelation } from './annotation/variant-relation.ts';
import {
  definitionColumns,
  givenColumns,
  medicationRows,
  withBorrowed,
  withDefinitions,
} from './medication-relation.ts';
import type { Relation, SeenTables } from './seen-tables.ts';
import { type LocatedSegment, namesOf, rowsOf, rowsWithOrdinal } from './segment-rows.ts';

/**
 * The relations that a statement sees, as SQL over Parquet files. Columns whose name starts with `_` are ours and never
 * shown. `seen`: for a caller who may not see everything as it is.
 */
export function viewsOf(
  names: string[],
  segments: LocatedSegment[],
  seen: SeenTables | undefined,
): QueryTable[] {
  return names.flatMap((name) => {
    const table = tables.get(name) ?? internalTables.get(name);
    if (!table) return [];
    const relation = relationOf(table, segments);
    const view = seen?.view(table, relation, () => sequenceRelation(segments)) ?? relation;
    return [{ name, ...view }];
  });
}

const behindSamples = ['sequence', '_sample_link', '_resource'];

/** The tables whose segments the relations of these names may be made of. `isSeen`: for a caller who may not see everything as it is. */
export function tablesBehind(names: readonly string[], isSeen: boolean): string[] {
  const behind = names.flatMap((name) => {
    const table = tables.get(name) ?? internalTables.get(name);
    if (!table) return [];
    if (name === 'sequence') return behindSamples;
    return [
      name,
      ...(name === 'variant' ? [annotation.name] : []),
      ...(table.area === 'clinical' ? ['_resource'] : []),
      ...(name === 'medication' || name === '_coding' ? ['_medication', 'medication'] : []),
      // Whom rows of samples are about is told by the samples.
      ...(isSeen && table.area === 'omic' ? behindSamples : []),
    ];
  });
  return [...new Set(behind)];
}

function relationOf(table: Table, segments: LocatedSegment[]): Relation {
  return table.name === 'sequence' ? sequenceRelation(segments) : tableRelation(table, segments);
}

function tableRelation(table: Table, segments: LocatedSegment[]): Relation {
  if (table.name === 'variant') return variantRelation(table, segments);
  const of = (name: string) => segments.filter((segment) => segment.table === name);
  const own = of(table.name);
  const resources = of('_resource');
  const definitions = table.name === 'medication' || table.name === '_coding' ? of('_medication') : [];
  // Only what came from FHIR has versions; `_coding` names its resources in columns of its own.
  const versioned = table.area === 'clinical' && resources.length > 1;
  if (!versioned && definitions.length === 0) return { sql: rowsOf(own, namesOf(table)), files: paths(own) };
  const identity = internalTables.has(table.name)
    ? 'resource_type AS _resource_type, resource_id AS _resource_id'
    : '_resource_type, _resource_id';
  const columns = `${namesOf(table)}, ${identity}`;
  const counting = (rows: string): string =>
    versioned
      ? `SELECT r.* FROM ${rows} AS r SEMI JOIN ${winners(resources)} AS w ON r._resource_type = w.resource_type
      AND r._resource_id = w.resource_id AND r._ordinal = w.winner AND NOT w.deleted`
      : `SELECT * FROM ${rows}`;
  const files = [...own, ...(versioned ? resources : [])];
  if (definitions.length > 0 && table.name === 'medication') {
    const said = rowsWithOrdinal(definitions, definitionColumns);
    const sql = withDefinitions(table, counting(medicationRows(own, columns)), counting(said));
    return { sql, files: paths([...files, ...definitions]) };
  }
  const rows = `SELECT ${namesOf(table)} FROM (${counting(rowsWithOrdinal(own, columns))})`;
  const given = definitions.length > 0 ? of('medication') : [];
  if (given.length === 0) return { sql: rows, files: paths(files) };
  const sql = withBorrowed(rows, counting(medicationRows(given, givenColumns)));
  return { sql, files: paths([...files, ...given]) };
}

/**
 * Of each resource the version that counts: the newest `meta.lastUpdated`, of equal ones the later ingestion. A deletion
 * without a date takes away all that was ingested before it.
 */
function winners(resources: LocatedSegment[]): string {
  const rows = rowsWithOrdinal(resources, 'resource_type, resource_id, deleted, last_updated');
  const order = "{'at': coalesce(last_updated, TIMESTAMP '1900-01-01'), 'ordinal': _ordinal}";
  const removals = `(SELECT resource_type, resource_id, max(_ordinal) AS removal FROM ${rows}
    WHERE deleted AND last_updated IS NULL GROUP BY resource_type, resource_id)`;
  return `(SELECT resource_type, resource_id, arg_max(_ordinal, ${order}) AS winner, arg_max(deleted, ${order}) AS deleted
    FROM ${rows} LEFT JOIN ${removals} USING (resource_type, resource_id) WHERE removal IS NULL OR _ordinal >= removal
    GROUP BY resource_type, resource_id)`;
}

const noSamples = 'SELECT NULL::VARCHAR AS patient_id, NULL::VARCHAR AS id WHERE false';

/**
 * One row a sample. The patient is the one named at the ingestion, else the one that a Specimen or MolecularSequence with
 * the sample's name as id or identifier belongs to, whenever that arrived. Where these name several patients it is nobody's, and none of
 * what they say of the sample counts: a wrong patient is worse than none (docs/clarifications.md, "Samples and patients").
 */
function sequenceRelation(segments: LocatedSegment[]): Relation {
  const own = segments.filter((segment) => segment.table === 'sequence');
  const links = segments.filter((segment) => segment.table === '_sample_link');
  if (own.length === 0) return { sql: noSamples, files: [] };
  const resources = segments.filter((segment) => segment.table === '_resource');
  const rows = sequenceRows(own, resources);
  const samples = `SELECT id, ${ofOnePatient(['patient_id', 'specimen_id', 'test_type', 'sequence_type'])}, ${severalPatients}
    FROM ${rows} GROUP BY id`;
  if (links.length === 0) {
    return {
      sql: `SELECT ${sequenceColumns} FROM (${samples})`,
      files: paths([...own, ...resources]),
    };
  }
  const linkRows = rowsWithOrdinal(links, 'sample_name, patient_id, specimen_id, resource_type, resource_id');
  const valid =
    resources.length < 2
      ? `SELECT * FROM ${linkRows}`
      : `SELECT r.* FROM ${linkRows} AS r SEMI JOIN ${winners(resources)} AS w
    ON r.resource_type = w.resource_type AND r.resource_id = w.resource_id AND r._ordinal = w.winner AND NOT w.deleted`;
  const byName = `SELECT sample_name, ${ofOnePatient(['patient_id', 'specimen_id'])} FROM (${valid}) GROUP BY sample_name`;
  // What the ingestion told of a sample is not completed by what is said of another patient's.
  const isHis = 'NOT s.several AND (s.patient_id IS NULL OR s.patient_id = l.patient_id)';
  const sql = `SELECT coalesce(s.patient_id, CASE WHEN ${isHis} THEN l.patient_id END) AS patient_id, s.id,
      coalesce(s.specimen_id, CASE WHEN ${isHis} THEN l.specimen_id END) AS specimen_id, s.test_type, s.sequence_type
    FROM (${samples}) AS s LEFT JOIN (${byName}) AS l ON l.sample_name = s.id`;
  return { sql, files: paths([...own, ...links, ...resources]) };
}

const sequenceColumns = 'patient_id, id, specimen_id, test_type, sequence_type';

/** What files of samples say of them, and of each MolecularSequence (STU3: Sequence) the version that counts, if it was not removed. */
function sequenceRows(own: LocatedSegment[], resources: LocatedSegment[]): string {
  const clinical = new Set(resources.map(({ ordinal }) => ordinal));
  const [versions, samples] = [true, false].map((is) =>
    own.filter(({ ordinal }) => clinical.has(ordinal) === is),
  );
  if (!versions?.length || !samples || resources.length < 2) return rowsWithOrdinal(own, sequenceColumns);
  const counting = `SELECT r.* FROM ${rowsWithOrdinal(versions, sequenceColumns)} AS r SEMI JOIN ${winners(resources)} AS w
    ON w.resource_type IN ('MolecularSequence', 'Sequence') AND r.id = w.resource_id AND r._ordinal = w.winner AND NOT w.deleted`;
  if (samples.length === 0) return `(${counting})`;
  return `(SELECT * FROM ${rowsWithOrdinal(samples, sequenceColumns)} UNION ALL ${counting})`;
}

const severalPatients = 'count(DISTINCT patient_id) > 1 AS several';

/** The newest value of each column; NULL where the rows name several patients. */
function ofOnePatient(columns: readonly string[]): string {
  return columns
    .map(
      (column) =>
        `CASE WHEN count(DISTINCT patient_id) < 2 THEN arg_max(${column}, _ordinal) END AS ${column}`,
    )
    .join(', ');
}

function paths(segments: LocatedSegment[]): string[] {
  return [...new Set(segments.map(({ path }) => path))];
}
