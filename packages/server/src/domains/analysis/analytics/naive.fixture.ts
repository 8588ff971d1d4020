import type { PatientTest, RowTest } from './query.ts';
import type { Cell, LakeRow, LakeRows } from './random-lake.fixture.ts';

/** Independent, simple evaluation of conditions, row by row, without the compiler. */
export class Naive {
  readonly #rows: LakeRows;
  readonly #today: string;

  constructor(rows: LakeRows, today: string) {
    this.#rows = rows;
    this.#today = today;
  }

  /** Returns the sorted ids of the patients who pass a test. */
  patients(test: PatientTest): string[] {
    return this.#everybody()
      .filter((patient) => this.#holds(test, patient))
      .sort();
  }

  /** Returns the rows of a table that pass a test; tests on that table apply to the row itself. */
  targetRows(test: PatientTest, table: string): LakeRow[] {
    return this.#of(table).filter((row) => this.#holdsForRow(test, table, row));
  }

  #of(table: string): LakeRow[] {
    return this.#rows[table] ?? [];
  }

  #everybody(): string[] {
    const ids = [...this.#of('patient'), ...this.#of('sequence')].map((row) => row['patient_id']);
    return [...new Set(ids.filter((id) => typeof id === 'string'))];
  }

  #patientOf(table: string, row: LakeRow): Cell {
    if (table !== 'variant') return row['patient_id'] ?? null;
    return this.#of('sequence').find((sample) => sample['id'] === row['sample_id'])?.['patient_id'] ?? null;
  }

  #holdsForRow(test: PatientTest, table: string, row: LakeRow): boolean {
    const inner = (one: PatientTest) => this.#holdsForRow(one, table, row);
    switch (test.kind) {
      case 'all':
        return true;
      case 'and':
        return test.of.every(inner);
      case 'or':
        return test.of.some(inner);
      case 'xor':
        return test.of.filter(inner).length % 2 === 1;
      case 'not':
        return !inner(test.of);
      default: {
        if (test.kind === 'rows' && test.collection.name === table) return this.#row(test.test, table, row);
        const patient = this.#patientOf(table, row);
        return typeof patient === 'string' && this.#holds(test, patient);
      }
    }
  }

  #holds(test: PatientTest, patient: string): boolean {
    switch (test.kind) {
      case 'all':
        return true;
      case 'and':
        return test.of.every((one) => this.#holds(one, patient));
      case 'or':
        return test.of.some((one) => this.#holds(one, patient));
      case 'xor':
        return test.of.filter((one) => this.#holds(one, patient)).length % 2 === 1;
      case 'not':
        return !this.#holds(test.of, patient);
      case 'named':
        return test.ids.includes(patient);
      case 'cohort':
        return false;
      case 'rows': {
        const { name } = test.collection;
        return this.#of(name).some(
          (row) => this.#patientOf(name, row) === patient && this.#row(test.test, name, row),
        );
      }
    }
  }

  #row(test: RowTest, table: string, row: LakeRow, ofComponent = false): boolean {
    switch (test.kind) {
      case 'and':
        return test.of.every((one) => this.#row(one, table, row, ofComponent));
      case 'or':
        return test.of.some((one) => this.#row(one, table, row, ofComponent));
      case 'not':
        return !this.#row(test.of, table, row, ofComponent);
      case 'component':
        return this.#of(table).some(
          (other) =>
            other['id'] === row['id'] &&
            typeof other['component_index'] === 'number' &&
            this.#row(test.test, table, other, true),
        );
      case 'field':
        return this.#valuesOf(test, table, row, ofComponent).some((value) => compare(value, test));
    }
  }

  /** Returns the row's value, and the concept's other codes if a code is compared. */
  #valuesOf(test: RowTest & { kind: 'field' }, table: string, row: LakeRow, ofComponent: boolean): Cell[] {
    const { name, column = name } = test.field;
    if (name === 'age') return [this.#age(row)];
    const own = row[column] ?? null;
    if (table !== 'condition' || name !== 'code' || ofComponent || !/^(eq|in)$/.test(test.operator))
      return [own];
    const others = this.#of('coding').filter((coding) => coding['resource_id'] === row['id']);
    return [own, ...others.map((coding) => coding['code'] ?? null)];
  }

  #age(row: LakeRow): Cell {
    const birth = row['birth_date'];
    const end = row['deceased_date'] ?? this.#today;
    if (typeof birth !== 'string' || typeof end !== 'string') return null;
    const years = Number(end.slice(0, 4)) - Number(birth.slice(0, 4));
    return end.slice(5) < birth.slice(5) ? years - 1 : years;
  }
}

function compare(value: Cell, { operator, values }: RowTest & { kind: 'field' }): boolean {
  const [first, second] = values;
  if (operator === 'exists') return (value !== null) === first;
  if (value === null || first === undefined) return false;
  switch (operator) {
    case 'eq':
      return value === first;
    case 'ne':
      return value !== first;
    case 'lt':
      return value < first;
    case 'lte':
      return value <= first;
    case 'gt':
      return value > first;
    case 'gte':
      return value >= first;
    case 'in':
      return values.includes(value);
    case 'notIn':
      return !values.includes(value);
    case 'between':
      return value >= first && value <= (second ?? first);
    case 'contains':
      return String(value).includes(String(first));
    case 'startsWith':
      return String(value).startsWith(String(first));
    case 'endsWith':
      return String(value).endsWith(String(first));
  }
}
