import { literal } from '@ploidy/engine';
import { type Compiler, type KnownCollections, readConditions } from '../analytics/index.ts';
import {
  alteredSubjects,
  eventPatients,
  knownSubjects,
  profiledSubjects,
  treatedPatients,
} from './alterations.ts';
import { attributesIn, type ColumnAttribute } from './attributes.ts';
import { regionSubjects } from './axes.ts';
import type { Leaf, LeafOf, Node } from './node.ts';
import { alterationsOf, partOfAlterations, readsOf, relationSql, type Unit, valuesOf } from './relations.ts';
import type { Range } from './shapes.ts';
import { timedPatients } from './timed/timed.ts';

/**
 * Builds one statement about the subjects of a project: each leaf of the filters is evaluated once for all subjects, and
 * each distinct filter selects from these flags. Sets have `subject`, `patient` and `digest`.
 */
export class StudyStatement {
  readonly compiler: Compiler;
  readonly unit: Unit;
  /** Attributes that are columns, by id. */
  readonly attributes: ReadonlyMap<string, ColumnAttribute>;
  readonly #known: KnownCollections;
  readonly #base = new Map<string, string>();
  readonly #flags = new Relations('_flag');
  readonly #sets = new Relations('_set');
  readonly #named = new Relations('_part');

  constructor(compiler: Compiler, unit: Unit, known: KnownCollections) {
    this.compiler = compiler;
    this.unit = unit;
    this.#known = known;
    this.attributes = attributesIn(known);
    this.base('_subject');
  }

  /** Keys of the relations without a filter that it reads. Each follows those that it is made of. */
  get bases(): readonly string[] {
    return [...this.#base.keys()].filter((key) => this.#wholeOf(key) === undefined);
  }

  /** Returns the rows of a relation that is a part of another one which this statement reads anyway. */
  #wholeOf(key: string): string | undefined {
    return this.#base.has(alterationsOf()) ? partOfAlterations(key) : undefined;
  }

  /** Returns the name of a relation that depends on no filter. */
  base(key: string): string {
    const known = this.#base.get(key);
    if (known !== undefined) return known;
    for (const one of readsOf(key)) this.base(one);
    const name = key.includes(' ') ? `_base${this.#base.size}` : key;
    this.#base.set(key, name);
    return name;
  }

  /** Returns the relation of the subjects that pass the filter. */
  set(filter: Node): string {
    return this.#setOf(this.#passes(filter, false, false));
  }

  /** Returns the relation of the subjects in a group that pass the filter. Subjects of the groups `without` are left out. */
  group(filter: Node, group: Node, without: readonly Node[]): string {
    const [all, own, ...others] = [filter, group, ...without].map((one) => this.#passes(one, false, false));
    return this.#setOf(`(${all}) AND (${own})${others.map((one) => ` AND NOT (${one})`).join('')}`);
  }

  /** Returns the relation of the subjects that pass the filter and are in several groups. */
  overlap(filter: Node, groups: readonly Node[]): string {
    const all = this.#passes(filter, false, false);
    const times = groups.map((one) => `CAST((${this.#passes(one, false, false)}) AS INTEGER)`);
    return this.#setOf(`(${all}) AND ${times.join(' + ')} > 1`);
  }

  /**
   * Returns the relation of an attribute's values: `subject`, `value` (VARCHAR), `number` (DOUBLE or NULL) and `label`, one row
   * per subject and distinct value.
   */
  values(attribute: string): string {
    return this.base(valuesOf(attribute));
  }

  /** Returns the name of a relation that aggregates share; `key` identifies it. */
  relation(key: string, sql: () => string): string {
    return this.#named.named(key, sql);
  }

  /** Returns the SELECT of listed texts: one parameter, since there may be many. */
  listed(texts: readonly string[]): string {
    const json = this.compiler.parameters.add(JSON.stringify(texts), 'JSON');
    return `SELECT unnest(from_json(${json}, '["VARCHAR"]'))`;
  }

  /** Returns the whole statement that selects rows from these relations. `files`: Parquet files of relations that are made. */
  sql(select: string, files: ReadonlyMap<string, string> = new Map()): string {
    const flags = [...this.#flags.all].map(([name, sql]) => `coalesce(${sql}, false) AS ${name}`);
    const parts = [...this.#base].flatMap(([key, name]) => {
      const sql = this.#wholeOf(key);
      return sql === undefined ? [] : [`${name} AS MATERIALIZED (${sql})`];
    });
    const bases = this.bases.map((key) => {
      const [name, path] = [this.base(key), files.get(key)];
      const isMade = path !== undefined;
      const sql = isMade ? `SELECT * FROM read_parquet(${literal(path)})` : relationSql(key, this);
      return `${name} AS ${isMade ? 'NOT ' : ''}MATERIALIZED (${sql})`;
    });
    const relations: (readonly [string, string])[] = [
      ...(this.#sets.all.length === 0
        ? []
        : [
            [
              '_flagged',
              `SELECT ${['subject', 'patient', 'digest', ...flags].join(', ')} FROM _subject`,
            ] as const,
          ]),
      ...this.#sets.all,
      ...this.#named.all,
    ];
    const list = [...bases, ...parts, ...relations.map(([name, sql]) => `${name} AS MATERIALIZED (${sql})`)];
    return `SELECT * FROM (WITH ${list.join(',\n')}\n${select})`;
  }

  #setOf(passes: string): string {
    return this.#sets.named(passes, () => `SELECT subject, patient, digest FROM _flagged WHERE ${passes}`);
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
    const isKnown = this.#flags.named(
      JSON.stringify(['known', genes, kinds]),
      () => `subject IN (${knownSubjects(this, node.alteration)})`,
    );
    return `${isKnown} AND NOT ${flag}`;
  }

  #leaf(leaf: Leaf): string {
    if ('attribute' in leaf) return this.#attribute(leaf);
    if ('alteration' in leaf) return `subject IN (${alteredSubjects(this, leaf.alteration)})`;
    if ('profiled' in leaf) return `subject IN (${profiledSubjects(this, leaf.profiled)})`;
    if ('event' in leaf) return `patient IN (${eventPatients(this, leaf.event)})`;
    if ('timed' in leaf) return `patient IN (${timedPatients(this, leaf.timed)})`;
    if ('treatment' in leaf) return `patient IN (${treatedPatients(this, leaf.treatment)})`;
    if ('region' in leaf) return `subject IN (${regionSubjects(this, leaf.region)})`;
    if ('list' in leaf) return this.#listedIn(leaf.list);
    if ('samples' in leaf)
      return `subject IN (SELECT subject FROM ${this.base('_sample')} WHERE sample_id IN (${this.listed(leaf.samples)}))`;
    if ('patients' in leaf) return `patient_id IN (${this.listed(leaf.patients)})`;
    const test =
      'cohort' in leaf
        ? ({ kind: 'cohort', id: leaf.cohort } as const)
        : readConditions(leaf.where, 'body/filter', this.#known);
    return `patient_id IN (SELECT patient_id FROM (${this.compiler.patients(test)}))`;
  }

  #listedIn(ids: readonly string[]): string {
    const either = ['sample_id', 'patient_id'].map((id) => `${id} IN (${this.listed(ids)})`);
    return `(subject IN (SELECT subject FROM ${this.base('_sample')} WHERE ${either[0]}) OR ${either[1]})`;
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
}

/** Returns the SELECT (_project, patient_id) of the patients that pass a filter, or have a sample that does. */
export function patientsOf(filter: Node, unit: Unit, known: KnownCollections) {
  return (compiler: Compiler): string => {
    const statement = new StudyStatement(compiler, unit, known);
    const set = statement.set(filter);
    return statement.sql(
      `SELECT DISTINCT 0 AS _project, patient_id FROM _subject SEMI JOIN ${set} AS m USING (subject) WHERE patient_id IS NOT NULL`,
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
