import { literal } from '@ploidy/engine';
import type { Compiler } from '../analytics/index.ts';
import type { ColumnAttribute } from './attributes.ts';
import { isOfMoments, momentSql } from './timed/moments.ts';

/** Unit of which matching subjects are counted. */
export type Unit = 'sample' | 'patient';

/** Statement for which a relation is built. */
interface Of {
  compiler: Compiler;
  unit: Unit;
  /** Attributes that are columns, by id. */
  attributes: ReadonlyMap<string, ColumnAttribute>;
}

interface BaseRelation {
  sql: (of: Of) => string;
  /** Relations that its SQL reads. */
  reads: readonly BaseName[];
}

type BaseName =
  | '_subject'
  | '_sample'
  | '_alteration'
  | '_profile'
  | '_panel'
  | '_examined'
  | '_cover'
  | '_event'
  | '_filled';

/**
 * Relations of a project that depend on the unit, and not on a filter. Subjects, samples and patients are whole numbers there,
 * in the order of their ids.
 */
const baseRelations: Readonly<Record<BaseName, BaseRelation>> = {
  /** One row per subject. `digest`: of the patient's id, for small counts. */
  _subject: { sql: subjects, reads: [] },
  _sample: { sql: samples, reads: ['_subject'] },
  /** Changes of samples, with the subject of each. */
  _alteration: { sql: ({ compiler }) => alterationRows(compiler.relation('alteration')), reads: ['_sample'] },
  /** Kinds of changes that were looked for in a sample, with a row per panel. */
  _profile: {
    sql: ({ compiler }) => `SELECT s.sample, s.subject, r.kind, r.panel_id
      FROM ${compiler.relation('sample_profile')} AS r JOIN _sample AS s ON s.sample_id = r.sample_id`,
    reads: ['_sample'],
  },
  _panel: {
    sql: ({ compiler }) => `SELECT DISTINCT panel_id, gene FROM ${compiler.relation('gene_panel')}`,
    reads: [],
  },
  /** One row per subject and kind with the set of its panels, of which there are few; NULL: every gene. */
  _examined: {
    sql: () => `SELECT subject, kind, CASE WHEN count(*) = count(panel_id)
        THEN CAST(to_json(list_sort(list(DISTINCT panel_id))) AS VARCHAR) END AS panels
      FROM _profile WHERE subject IS NOT NULL GROUP BY subject, kind`,
    reads: ['_profile'],
  },
  /** Genes of the sets of panels. */
  _cover: {
    sql: () => `SELECT DISTINCT e.panels, p.gene
      FROM (SELECT panels, unnest(from_json(panels, '["VARCHAR"]')) AS panel_id FROM (SELECT DISTINCT panels FROM _examined)) AS e
      JOIN _panel AS p ON p.panel_id = e.panel_id`,
    reads: ['_examined', '_panel'],
  },
  /** Agents are values of events whose type is TREATMENT, as study folders have them. */
  _event: {
    sql: ({ compiler }) => `SELECT s.patient, r.type, r.start_day, r.stop_day,
        CASE WHEN upper(r.type) = 'TREATMENT' THEN json_extract_string(r.attributes, '$.AGENT') END AS agent
      FROM ${compiler.relation('timeline_event')} AS r
      JOIN (SELECT DISTINCT patient_id, patient FROM _subject) AS s ON s.patient_id = r.patient_id`,
    reads: ['_subject'],
  },
  /** Attributes of which a subject has a value. */
  _filled: { sql: filled, reads: ['_subject', '_sample'] },
};

function subjects({ compiler, unit }: Of): string {
  if (unit === 'patient')
    return `SELECT subject, subject AS patient, patient_id AS subject_id, patient_id, hash(patient_id) AS digest
      FROM (SELECT CAST(row_number() OVER (ORDER BY patient_id) AS INTEGER) AS subject, patient_id
        FROM (SELECT DISTINCT patient_id FROM universe))`;
  return `SELECT CAST(row_number() OVER (ORDER BY id) AS INTEGER) AS subject,
      CASE WHEN patient_id IS NOT NULL THEN CAST(dense_rank() OVER (ORDER BY patient_id) AS INTEGER) END AS patient,
      id AS subject_id, patient_id, CASE WHEN patient_id IS NOT NULL THEN hash(patient_id) END AS digest
    FROM (SELECT id, any_value(patient_id) AS patient_id FROM ${compiler.relation('sequence')} WHERE id IS NOT NULL GROUP BY id)`;
}

function samples({ compiler, unit }: Of): string {
  if (unit === 'sample') return 'SELECT subject AS sample, subject, subject_id AS sample_id FROM _subject';
  return `SELECT CAST(row_number() OVER (ORDER BY r.id) AS INTEGER) AS sample, s.subject, r.id AS sample_id
    FROM (SELECT id, any_value(patient_id) AS patient_id FROM ${compiler.relation('sequence')} WHERE id IS NOT NULL GROUP BY id) AS r
    LEFT JOIN _subject AS s ON s.patient_id = r.patient_id`;
}

function filled({ compiler, attributes: columns }: Of): string {
  const ofTables = [...Map.groupBy(columns.values(), ({ table }) => table)].flatMap(([table, attributes]) => {
    const ids = attributes.map(({ id, value }) => `CASE WHEN ${value} IS NOT NULL THEN ${literal(id)} END`);
    return (attributes[0]?.owners ?? []).map(({ level, id }) => {
      const rows = `SELECT ${id} AS ${level}_id, unnest([${ids.join(', ')}]) AS attribute FROM ${compiler.relation(table)}`;
      return `SELECT s.subject, r.attribute FROM (${rows}) AS r JOIN ${ownersOf(level)} WHERE r.attribute IS NOT NULL`;
    });
  });
  const ofStudies = (['sample', 'patient'] as const).map(
    (
      level,
    ) => `SELECT s.subject, r.attribute_id AS attribute FROM ${compiler.relation('attribute_value')} AS r JOIN ${ownersOf(level)}
      WHERE (r.value IS NOT NULL OR r.number IS NOT NULL) AND (r.sample_id IS NULL) = ${level === 'patient'}`,
  );
  return `SELECT DISTINCT attribute, subject FROM (${[...ofStudies, ...ofTables].join(' UNION ALL ')})`;
}

const alterationRows = (relation: string): string => `SELECT s.subject, r.* EXCLUDE (sample_id, _project)
  FROM ${relation} AS r JOIN _sample AS s ON s.sample_id = r.sample_id`;

const ofGenes = '_alteration ';
/** More genes are nearly all files. */
const genesMax = 200;

/** Returns the key of the relation of alterations: of all genes, or of some, which opens the files of these only. */
export const alterationsOf = (genes?: readonly string[]): string =>
  genes && genes.length <= genesMax ? ofGenes + JSON.stringify([...new Set(genes)].sort()) : '_alteration';

/** Returns the rows of a relation of some genes as a part of the whole one; undefined for others. */
export const partOfAlterations = (key: string): string | undefined =>
  key.startsWith(ofGenes) ? `SELECT * FROM _alteration WHERE ${hasGenes(genesOf(key))}` : undefined;

const genesOf = (key: string): string[] => JSON.parse(key.slice(ofGenes.length)) as string[];

const hasGenes = (genes: readonly string[]): string =>
  `gene IN (SELECT unnest([${genes.map((gene) => literal(gene)).join(', ')}]::VARCHAR[]))`;

/** Returns the SQL that is true for a number that is computed with: squares of others are no doubles. Others are texts. */
export const isMeasured = (sql: string): string => `(abs(${sql}) < 1e150)`;

/** Relation of the values of an attribute: `subject`, `value` (VARCHAR), `number` (DOUBLE or NULL) and `label`. */
const valuesPrefix = '_values ';

/** Returns the key of the relation of an attribute's values: one row per subject and distinct value. */
export const valuesOf = (attribute: string): string => `${valuesPrefix}${attribute}`;

/** Returns the relation of a key, and those that it reads. Its tables are noted in the compiler. */
export function relationSql(key: string, of: Of): string {
  if (isOfMoments(key)) return momentSql(key, of.compiler);
  if (key.startsWith(ofGenes)) {
    const genes = genesOf(key);
    return `${alterationRows(of.compiler.relation('alteration', [{ column: 'gene', among: genes }]))} WHERE r.${hasGenes(genes)}`;
  }
  if (!key.startsWith(valuesPrefix)) return baseRelations[key as BaseName].sql(of);
  const attribute = key.slice(valuesPrefix.length);
  const column = of.attributes.get(attribute);
  return `SELECT subject, coalesce(value, CASE WHEN NOT ${isMeasured('number')} THEN CAST(number AS VARCHAR) END) AS value,
    CASE WHEN ${isMeasured('number')} THEN number END AS number, label FROM (${column ? columnRows(column, of) : studyRows(attribute, of)})`;
}

/** Lists the relations that the relation of a key reads. */
export function readsOf(key: string): readonly string[] {
  if (key.startsWith(valuesPrefix)) return ['_sample', '_subject'];
  if (key.startsWith(ofGenes)) return ['_sample'];
  return isOfMoments(key) ? ['_subject'] : baseRelations[key as BaseName].reads;
}

function columnRows(
  { table, value, label, type, owners, asksClock }: ColumnAttribute,
  { compiler }: Of,
): string {
  compiler.asksClock ||= asksClock === true;
  const columns =
    type === 'number'
      ? `CAST(NULL AS VARCHAR) AS value, ${value} AS number`
      : `${value} AS value, CAST(NULL AS DOUBLE) AS number`;
  const words = label ?? 'CAST(NULL AS VARCHAR)';
  const rows = owners.map(
    ({
      level,
      id,
    }) => `SELECT s.subject, r.value, r.number, r.label FROM (SELECT ${id} AS ${level}_id, ${columns}, ${words} AS label
      FROM ${compiler.relation(table)}) AS r JOIN ${ownersOf(level)}`,
  );
  return `SELECT subject, value, number, any_value(label) AS label FROM (${rows.join(' UNION ALL ')})
    WHERE value IS NOT NULL OR number IS NOT NULL GROUP BY ALL`;
}

function studyRows(attribute: string, { compiler }: Of): string {
  const rows = (level: 'patient' | 'sample'): string => {
    const isOf = level === 'sample' ? 'sample_id IS NOT NULL' : 'sample_id IS NULL';
    return `SELECT s.subject, r.value, r.number FROM (SELECT ${level}_id, value, number
      FROM ${compiler.relation('attribute_value', [{ column: 'attribute_id', among: [attribute] }])}
      WHERE attribute_id = ${literal(attribute)} AND ${isOf}
        AND (value IS NOT NULL OR number IS NOT NULL)) AS r JOIN ${ownersOf(level)}`;
  };
  return `SELECT DISTINCT *, CAST(NULL AS VARCHAR) AS label FROM ((${rows('sample')}) UNION ALL (${rows('patient')}))`;
}

/** Joins rows `r` of samples or patients to their subjects `s`. */
const ownersOf = (level: 'patient' | 'sample'): string =>
  level === 'sample'
    ? `_sample AS l ON l.sample_id = r.sample_id JOIN _subject AS s ON s.subject = l.subject`
    : `_subject AS s ON s.patient_id = r.patient_id`;
