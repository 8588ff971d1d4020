import type { Condition, TableConditions } from '@ploidy/engine';
import { type Collection, type Field, sqlTypeOf } from './fields.ts';
import { neededOf } from './needed-rows.ts';
import type { Operator, PatientTest, RowTest, Value } from './query.ts';
import type { Parameters } from './sql-text.ts';

/*
 * Compiles conditions to SQL. A cohort may span projects with patients of their own, so a patient is the pair
 * (_project, patient_id): every relation has a column `_project`. A set of patients is a SELECT of distinct
 * pairs.
 */

/** Records the tables that a statement reads, so that only those are opened. */
export class Compiler {
  readonly parameters: Parameters;
  readonly tables = new Set<string>();
  /** True if a condition depends on the clock. */
  asksClock = false;
  /** Conditions of the rows that matter, for each place where a table is read. */
  readonly #places = new Map<string, Condition[][]>();

  constructor(parameters: Parameters) {
    this.parameters = parameters;
  }

  /** Returns the relation of a table and records it as read. `needed`: holds on every row that matters there. */
  relation(table: string, needed: Condition[] = []): string {
    this.tables.add(table);
    this.#places.set(table, [...(this.#places.get(table) ?? []), needed]);
    return `"${table}"`;
  }

  /** Returns the conditions of the tables of which not all rows matter. */
  get conditions(): TableConditions {
    const some = [...this.#places].filter(([, places]) => places.every(({ length }) => length > 0));
    return Object.fromEntries(some);
  }

  /** Builds a SELECT of the patients who pass the test. */
  patients(test: PatientTest): string {
    switch (test.kind) {
      case 'all':
        return 'SELECT _project, patient_id FROM universe';
      case 'and':
        return test.of.map((one) => `(${this.patients(one)})`).join(' INTERSECT ');
      case 'or':
        return test.of.map((one) => `(${this.patients(one)})`).join(' UNION ');
      case 'xor':
        return this.#oddTimes(test.of);
      case 'not':
        return `(${this.patients({ kind: 'all' })}) EXCEPT (${this.patients(test.of)})`;
      case 'rows':
        return this.#having(test.collection, test.test);
      case 'cohort':
        return `SELECT DISTINCT _project, patient_id FROM ${this.relation('cohort', [{ column: 'cohort_id', among: [test.id] }])}
          WHERE cohort_id = ${this.parameters.add(test.id, 'VARCHAR')}`;
      case 'named':
        // A single parameter, since there may be many ids.
        return `SELECT _project, patient_id FROM universe WHERE patient_id IN (
          SELECT unnest(from_json(${this.parameters.add(JSON.stringify(test.ids), 'JSON')}, '["VARCHAR"]')))`;
    }
  }

  /** Builds the symmetric difference: patients in an odd number of the sets, each set written once. */
  #oddTimes(tests: PatientTest[]): string {
    const sets = tests.map((one) => `(${this.patients(one)})`).join(' UNION ALL ');
    return `SELECT _project, patient_id FROM (${sets}) GROUP BY ALL HAVING count(*) % 2 = 1`;
  }

  #having(collection: Collection, test: RowTest): string {
    const row = this.row(test, 'r', collection);
    const from = `${this.relation(collection.table.name, neededOf(test))} AS r`;
    if (collection.ofPatient) return `SELECT DISTINCT r._project, r.patient_id FROM ${from} WHERE ${row}`;
    return `SELECT DISTINCT s._project, s.patient_id FROM ${this.relation('sequence')} AS s
      SEMI JOIN (SELECT r._project, r.sample_id FROM ${from} WHERE ${row}) AS v
      ON v._project = s._project AND v.sample_id = s.id WHERE s.patient_id IS NOT NULL`;
  }

  /**
   * Builds the condition on a target row: tests of its own collection apply to the row, others to its
   * patient. `patient`: SQL of the row's patient id.
   */
  targetRow(test: PatientTest, target: Collection, row: string, patient: string): string {
    const each = (of: PatientTest[]) => of.map((one) => `(${this.targetRow(one, target, row, patient)})`);
    switch (test.kind) {
      case 'all':
        return 'true';
      case 'and':
        return each(test.of).join(' AND ') || 'true';
      case 'or':
        return each(test.of).join(' OR ') || 'false';
      case 'not':
        return `NOT coalesce((${this.targetRow(test.of, target, row, patient)}), false)`;
      case 'xor':
        return `(${each(test.of)
          .map((one) => `CAST(coalesce(${one}, false) AS INTEGER)`)
          .join(' + ')}) % 2 = 1`;
      case 'rows':
        if (test.collection === target) return this.row(test.test, row, target);
        break;
      case 'cohort':
      case 'named':
        break;
    }
    return `(${row}._project, ${patient}) IN (${this.patients(test)})`;
  }

  row(test: RowTest, row: string, collection: Collection, ofComponent = false): string {
    switch (test.kind) {
      case 'and':
      case 'or': {
        const of = test.of.map((one) => `(${this.row(one, row, collection, ofComponent)})`);
        return of.join(test.kind === 'and' ? ' AND ' : ' OR ') || (test.kind === 'and' ? 'true' : 'false');
      }
      case 'not':
        return `NOT coalesce((${this.row(test.of, row, collection, ofComponent)}), false)`;
      case 'component': {
        const inner = this.row(test.test, 'c', collection, true);
        return `(${row}._project, ${row}.id) IN (SELECT c._project, c.id FROM ${this.relation(collection.table.name)} AS c
          WHERE c.component_index IS NOT NULL AND (${inner}))`;
      }
      case 'field':
        return this.#field(test, row, collection, ofComponent);
    }
  }

  /**
   * Compares a field. A code also matches if it is not the first coding of its concept; components of an
   * observation match by their first coding only.
   */
  #field(
    test: RowTest & { kind: 'field' },
    row: string,
    collection: Collection,
    ofComponent: boolean,
  ): string {
    const { field, operator, values } = test;
    this.asksClock ||= field.asksClock === true;
    const plain = this.#comparison(field.sql(row), field, operator, values);
    const { codings } = field;
    if (!codings || ofComponent || (operator !== 'eq' && operator !== 'in')) return plain;
    const listed = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');
    const others = `SELECT k._project, k.resource_id FROM ${this.relation('coding')} AS k
      WHERE k.path IN (${listed(codings.elements)}) AND k.resource_type IN (${listed(codings.resourceTypes)})
      AND ${this.#comparison('k.code', field, operator, values)}`;
    const whole = collection.name === 'observation' ? `${row}.component_index IS NULL AND ` : '';
    return `(${plain} OR (${whole}(${row}._project, ${row}.id) IN (${others})))`;
  }

  #comparison(value: string, field: Field, operator: Operator, values: Value[]): string {
    const type = sqlTypeOf(field);
    const bound = (at = 0): string => this.parameters.add(values[at] ?? '', type);
    const list = (): string => values.map((_, at) => bound(at)).join(', ');
    switch (operator) {
      case 'eq':
        return `${value} = ${bound()}`;
      case 'ne':
        return `${value} <> ${bound()}`;
      case 'lt':
        return `${value} < ${bound()}`;
      case 'lte':
        return `${value} <= ${bound()}`;
      case 'gt':
        return `${value} > ${bound()}`;
      case 'gte':
        return `${value} >= ${bound()}`;
      case 'in':
        return `${value} IN (${list()})`;
      case 'notIn':
        return `${value} NOT IN (${list()})`;
      case 'between':
        return `${value} BETWEEN ${bound(0)} AND ${bound(1)}`;
      case 'contains':
        return `contains(${value}, ${bound()})`;
      case 'startsWith':
        return `starts_with(${value}, ${bound()})`;
      case 'endsWith':
        return `ends_with(${value}, ${bound()})`;
      case 'exists':
        return `${value} IS ${values[0] === true ? 'NOT NULL' : 'NULL'}`;
    }
  }
}
