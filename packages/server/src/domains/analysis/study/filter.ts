import { type Compiler, type KnownCollections, readConditions } from '../analytics/index.ts';
import { alteredSamples, eventPatients, knownSamples, profiledSamples } from './alterations.ts';
import { type ColumnAttribute, columnAttributes } from './attributes.ts';
import type { Leaf, LeafOf, Node, Range } from './node.ts';

/** Unit of which matching subjects are counted. */
export type Unit = 'sample' | 'patient';

/**
 * Builds one statement about the subjects of a project: each leaf of the filters is evaluated once for all subjects, and
 * each distinct filter selects from these flags. Relations: `_sample` (sample_id, patient_id), `_subject` and `_flagged`
 * (subject, patient_id).
 */
export class StudyStatement {
  readonly compiler: Compiler;
  readonly unit: Unit;
  readonly #known: KnownCollections;
  readonly #flags = new Relations('_flag');
  readonly #sets = new Relations('_set');
  readonly #values = new Relations('_values');
  readonly #named = new Relations('_part');

  constructor(compiler: Compiler, unit: Unit, known: KnownCollections) {
    this.compiler = compiler;
    this.unit = unit;
    this.#known = known;
  }

  /** Returns the relation of the subjects that pass the filter: `subject` and `patient_id`. */
  set(filter: Node): string {
    const passes = this.#passes(filter, false, false);
    return this.#sets.named(passes, () => `SELECT subject, patient_id FROM _flagged WHERE ${passes}`);
  }

  /**
   * Returns the relation of an attribute's values: `subject`, `patient_id`, `value` (VARCHAR), `number` (DOUBLE or NULL) and
   * `label`, one row per subject and distinct value.
   */
  values(attribute: string): string {
    return this.#values.named(attribute, () => {
      const column = columnAttributes.get(attribute);
      return column ? this.#columnRows(column) : this.#studyRows(attribute);
    });
  }

  /** Returns the name of a relation that aggregates share; `key` identifies it. */
  relation(key: string, sql: () => string): string {
    return this.#named.named(key, sql);
  }

  /** Joins the samples of rows under the alias `r` to the subjects of a set under the alias `s`. */
  joinSamples(set: string): string {
    return this.unit === 'sample'
      ? `${set} AS s ON s.subject = r.sample_id`
      : `_sample AS l ON l.sample_id = r.sample_id JOIN ${set} AS s ON s.subject = l.patient_id`;
  }

  /** Returns the SELECT of listed texts: one parameter, since there may be many. */
  listed(texts: readonly string[]): string {
    const json = this.compiler.parameters.add(JSON.stringify(texts), 'JSON');
    return `SELECT unnest(from_json(${json}, '["VARCHAR"]'))`;
  }

  /** Returns the whole statement that selects rows from these relations. */
  sql(select: string): string {
    const flags = [...this.#flags.all].map(([name, sql]) => `coalesce(${sql}, false) AS ${name}`);
    const relations: (readonly [string, string])[] = [
      ['_sample', this.#samples()],
      ['_subject', this.#subjects()],
      ...this.#values.all,
      ['_flagged', `SELECT ${['subject', 'patient_id', ...flags].join(', ')} FROM _subject`],
      ...this.#sets.all,
      ...this.#named.all,
    ];
    const list = relations.map(([name, sql]) => `${name} AS MATERIALIZED (${sql})`);
    return `SELECT * FROM (WITH ${list.join(',\n')}\n${select})`;
  }

  #samples(): string {
    return `SELECT id AS sample_id, any_value(patient_id) AS patient_id FROM ${this.compiler.relation('sequence')}
      WHERE id IS NOT NULL GROUP BY id`;
  }

  #subjects(): string {
    return this.unit === 'sample'
      ? 'SELECT sample_id AS subject, patient_id FROM _sample'
      : 'SELECT DISTINCT patient_id AS subject, patient_id FROM universe';
  }

  /** Builds the condition on the flags. Negation is pushed to the leaves: a test of an alteration is also unknown. */
  #passes(node: Node, negated: boolean, withUnprofiled: boolean): string {
    if ('and' in node || 'or' in node) {
      const isAnd = 'and' in node;
      const of = isAnd ? node.and : node.or;
      const parts = of.map((part) => `(${this.#passes(part, negated, withUnprofiled)})`);
      const joinsAll = isAnd !== negated;
      return parts.join(joinsAll ? ' AND ' : ' OR ') || String(joinsAll);
    }
    if ('not' in node)
      return this.#passes(node.not, !negated, withUnprofiled || node.unprofiled === 'include');
    const { pill: _, ...leaf } = node;
    const flag = this.#flags.named(JSON.stringify(leaf), () => this.#leaf(node));
    if (!negated) return flag;
    if (withUnprofiled || !('alteration' in node)) return `NOT ${flag}`;
    const { genes, kinds } = node.alteration;
    const isKnown = this.#flags.named(JSON.stringify(['known', genes, kinds]), () =>
      this.#ofSamples(knownSamples(this, node.alteration)),
    );
    return `${isKnown} AND NOT ${flag}`;
  }

  #leaf(leaf: Leaf): string {
    if ('attribute' in leaf) return this.#attribute(leaf);
    if ('alteration' in leaf) return this.#ofSamples(alteredSamples(this, leaf.alteration));
    if ('profiled' in leaf) return this.#ofSamples(profiledSamples(this, leaf.profiled));
    if ('event' in leaf) return `patient_id IN (${eventPatients(this, leaf.event)})`;
    if ('samples' in leaf) return this.#ofSamples(this.listed(leaf.samples));
    if ('patients' in leaf) return `patient_id IN (${this.listed(leaf.patients)})`;
    const test =
      'cohort' in leaf
        ? ({ kind: 'cohort', id: leaf.cohort } as const)
        : readConditions(leaf.where, 'body/filter', this.#known);
    return `patient_id IN (SELECT patient_id FROM (${this.compiler.patients(test)}))`;
  }

  #attribute({ attribute, in: listed, ranges = [], na }: LeafOf<'attribute'>): string {
    const values = this.values(attribute);
    const tests = [
      ...(listed ? [`value IN (${this.listed(listed)})`] : []),
      ...ranges.map((range) => this.#inRange(range)),
    ];
    const either: string[] = [];
    if (tests.length > 0)
      either.push(`subject IN (SELECT subject FROM ${values} WHERE ${tests.join(' OR ')})`);
    if (na === true) either.push(`subject NOT IN (SELECT subject FROM ${values})`);
    return `(${either.join(' OR ')})`;
  }

  #inRange(range: Range): string {
    const tests = rangeEnds.flatMap(([key, sign]) => {
      const end = range[key];
      return end === undefined ? [] : [`number ${sign} ${this.compiler.parameters.add(end, 'DOUBLE')}`];
    });
    return `(${tests.join(' AND ')})`;
  }

  /** Builds the test that a subject is, or has, one of the samples that a SELECT lists. */
  #ofSamples(samples: string): string {
    return this.unit === 'sample'
      ? `subject IN (${samples})`
      : `subject IN (SELECT patient_id FROM _sample WHERE patient_id IS NOT NULL AND sample_id IN (${samples}))`;
  }

  #columnRows({ table, value, label, type, level, asksClock }: ColumnAttribute): string {
    this.compiler.asksClock ||= asksClock === true;
    const columns =
      type === 'number'
        ? `CAST(NULL AS VARCHAR) AS value, ${value} AS number`
        : `${value} AS value, CAST(NULL AS DOUBLE) AS number`;
    const owner = level === 'sample' ? 'id AS sample_id' : 'patient_id';
    const words = label ?? 'CAST(NULL AS VARCHAR)';
    const rows = `SELECT ${owner}, ${columns}, ${words} AS label FROM ${this.compiler.relation(table)}`;
    return this.#ofSubjects(rows, level);
  }

  #studyRows(attribute: string): string {
    const relation = this.compiler.relation('attribute_value');
    const id = this.compiler.parameters.add(attribute, 'VARCHAR');
    const columns = `value, number, CAST(NULL AS VARCHAR) AS label FROM ${relation} WHERE attribute_id = ${id}`;
    const ofSamples = this.#ofSubjects(`SELECT sample_id, ${columns} AND sample_id IS NOT NULL`, 'sample');
    const ofPatients = this.#ofSubjects(`SELECT patient_id, ${columns} AND sample_id IS NULL`, 'patient');
    return `SELECT DISTINCT * FROM ((${ofSamples}) UNION ALL (${ofPatients}))`;
  }

  /** Joins rows of samples or patients to the subjects. */
  #ofSubjects(rows: string, level: 'patient' | 'sample'): string {
    const subjects =
      level === 'sample' ? this.joinSamples('_subject') : '_subject AS s ON s.patient_id = r.patient_id';
    return `SELECT s.subject, s.patient_id, r.value, r.number, any_value(r.label) AS label FROM (${rows}) AS r JOIN ${subjects}
      WHERE r.value IS NOT NULL OR r.number IS NOT NULL GROUP BY ALL`;
  }
}

/** Returns the SELECT (_project, patient_id) of the patients that pass a filter, or have a sample that does. */
export function patientsOf(filter: Node, unit: Unit, known: KnownCollections) {
  return (compiler: Compiler): string => {
    const statement = new StudyStatement(compiler, unit, known);
    const set = statement.set(filter);
    return statement.sql(
      `SELECT DISTINCT 0 AS _project, patient_id FROM ${set} WHERE patient_id IS NOT NULL`,
    );
  };
}

/** Relations by a key: equal ones are computed once. */
class Relations {
  readonly #prefix: string;
  readonly #names = new Map<string, string>();
  readonly #sql: [string, string][] = [];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Names and texts, in the order in which one may read another. */
  get all(): readonly (readonly [name: string, sql: string])[] {
    return this.#sql;
  }

  named(key: string, sql: () => string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const text = sql();
    const name = `${this.#prefix}${this.#names.size}`;
    this.#names.set(key, name);
    this.#sql.push([name, text]);
    return name;
  }
}

const rangeEnds = [
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
] as const;

/** Removes the parts of a filter with a pill: an own selection does not change the counts beside it. */
export function withoutPill(filter: Node, pill: string): Node {
  return without(filter, pill) ?? { and: [] };
}

function without(node: Node, pill: string): Node | undefined {
  if (node.pill === pill) return undefined;
  if ('not' in node) {
    const not = without(node.not, pill);
    return not && { ...node, not };
  }
  if (!('and' in node || 'or' in node)) return node;
  const isAnd = 'and' in node;
  const parts = isAnd ? node.and : node.or;
  const kept = parts.flatMap((part) => without(part, pill) ?? []);
  // A group of which nothing is left selects nothing and excludes nothing.
  if (kept.length === 0 && parts.length > 0) return undefined;
  return isAnd ? { ...node, and: kept } : { ...node, or: kept };
}
