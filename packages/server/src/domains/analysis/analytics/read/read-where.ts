import { type Collection, collections, type Field } from '../fields.ts';
import { allOf, type PatientTest, type RowTest } from '../query.ts';
import { InputErrors, isObject } from './input-errors.ts';
import { readConditions } from './read-condition.ts';

/*
 * Parses the JSON form of conditions: objects AND their keys, lists OR their items; `and`, `or`, `xor` and
 * `not` are groups.
 */

/** Parses `where`: conditions on patients and their rows. */
export function readWhere(value: unknown, path: string, errors: InputErrors, depth = 0): PatientTest {
  if (!errors.enter(path, depth)) return { kind: 'all' };
  if (!isObject(value)) {
    errors.add(path, 'must be an object');
    return { kind: 'all' };
  }
  const tests = Object.entries(value).flatMap(([key, item]) => {
    const test = readKey(key, item, `${path}/${key}`, errors, depth + 1);
    return test ? [test] : [];
  });
  return allOf(tests);
}

function readKey(
  key: string,
  value: unknown,
  path: string,
  errors: InputErrors,
  depth: number,
): PatientTest | undefined {
  if (key === 'not') return { kind: 'not', of: readWhere(value, path, errors, depth) };
  if (key === 'and' || key === 'or' || key === 'xor') {
    const listed = listOf(value, path, errors);
    return (
      listed && {
        kind: key,
        of: listed.map((one, at) => readWhere(one, `${path}/${at}`, errors, depth)),
      }
    );
  }
  if (key === 'patient') return readPatient(value, path, errors, depth);
  const collection = errors.known.named(key);
  if (collection) return readCollection(collection, value, path, errors, depth);
  return errors.add(path, `is not known; what there is: ${scopeNames(errors)}`);
}

const scopeNames = ({ known }: InputErrors): string =>
  ['and', 'or', 'xor', 'not', ...known.all.keys()].join(', ');

/** Parses conditions on a patient: own fields, collections, and groups of both. */
function readPatient(
  value: unknown,
  path: string,
  errors: InputErrors,
  depth: number,
): PatientTest | undefined {
  if (Array.isArray(value)) return anyOf(value, path, errors, depth, readPatient);
  if (!isObject(value)) return errors.add(path, 'must be an object');
  const patient = collections.get('patient') as Collection;
  const own: Record<string, unknown> = {};
  const tests: PatientTest[] = [];
  for (const [key, item] of Object.entries(value)) {
    const at = `${path}/${key}`;
    const collection = errors.known.named(key);
    if (key === 'all') {
      const test = readAll(item, at, errors);
      if (test) tests.push(test);
    } else if (key === 'cohort') tests.push(...present(readMembership(item, at, errors)));
    else if (patient.fields.has(key)) own[key] = item;
    else if (isGroup(key)) tests.push(...present(readPatientGroup(key, item, at, errors, depth)));
    else if (collection) tests.push(...present(readCollection(collection, item, at, errors, depth)));
    else errors.add(at, `is neither a field of patients (${names(patient)}) nor something that they have`);
  }
  if (Object.keys(own).length > 0) tests.push(...present(readCollection(patient, own, path, errors, depth)));
  return allOf(tests);
}

const present = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

const isGroup = (key: string): key is 'and' | 'or' | 'xor' | 'not' => /^(and|or|xor|not)$/.test(key);

function readPatientGroup(
  key: 'and' | 'or' | 'xor' | 'not',
  value: unknown,
  path: string,
  errors: InputErrors,
  depth: number,
): PatientTest | undefined {
  if (!errors.enter(path, depth + 1)) return undefined;
  if (key === 'not') {
    const of = readPatient(value, path, errors, depth + 1);
    return of && { kind: 'not', of };
  }
  const listed = listOf(value, path, errors);
  if (!listed) return undefined;
  return {
    kind: key,
    of: listed.flatMap((one, at) => present(readPatient(one, `${path}/${at}`, errors, depth + 1))),
  };
}

/** Lists the cohorts that a query names, whatever else may be wrong with it. */
export function cohortsNamed(query: unknown): string[] {
  const errors = new InputErrors();
  readWhere((isObject(query) && query['where']) || {}, '', errors);
  return [...errors.cohorts];
}

const cohortId: Field = { name: 'cohort', type: 'string', sql: (row) => `${row}."cohort_id"` };

/** Parses `patient.cohort`: membership of one of the cohorts. */
function readMembership(value: unknown, path: string, errors: InputErrors): PatientTest | undefined {
  const read = readConditions(value, cohortId, path, errors);
  const tests = read?.kind === 'or' ? read.of : present(read);
  const ids = tests.flatMap((test) => {
    if (test.kind === 'field' && (test.operator === 'eq' || test.operator === 'in')) return test.values;
    return errors.add(path, 'is compared with eq and in only; use not') ?? [];
  });
  for (const id of ids) errors.cohorts.add(String(id));
  return { kind: 'or', of: ids.map((id) => ({ kind: 'cohort', id: String(id) })) };
}

/** Parses `patient.all`: every patient, or none. */
function readAll(value: unknown, path: string, errors: InputErrors): PatientTest | undefined {
  const only = Array.isArray(value) ? value[0] : value;
  if (isObject(only)) errors.requireKnown(only, ['operator', 'value'], path);
  const wanted = isObject(only) ? only['value'] : only;
  if (wanted === true) return { kind: 'all' };
  if (wanted === false) return { kind: 'not', of: { kind: 'all' } };
  return errors.add(path, 'must be true or false');
}

function anyOf(
  list: unknown[],
  path: string,
  errors: InputErrors,
  depth: number,
  read: (value: unknown, path: string, errors: InputErrors, depth: number) => PatientTest | undefined,
): PatientTest | undefined {
  if (list.length === 0) return errors.add(path, 'must not be an empty list');
  return {
    kind: 'or',
    of: list.flatMap((one, at) => present(read(one, `${path}/${at}`, errors, depth + 1))),
  };
}

/** Parses conditions on a collection; those of one object apply to the same row. */
function readCollection(
  collection: Collection,
  value: unknown,
  path: string,
  errors: InputErrors,
  depth: number,
): PatientTest | undefined {
  if (Array.isArray(value)) {
    const read = (one: unknown, at: string) => readCollection(collection, one, at, errors, depth + 1);
    return anyOf(value, path, errors, depth, read);
  }
  const test = readRow(collection, value, path, errors, depth + 1);
  return test && { kind: 'rows', collection, test };
}

function readRow(
  collection: Collection,
  value: unknown,
  path: string,
  errors: InputErrors,
  depth: number,
): RowTest | undefined {
  if (!errors.enter(path, depth)) return undefined;
  if (!isObject(value)) return errors.add(path, 'must be an object of fields');
  const of = Object.entries(value).flatMap(([key, item]) =>
    present(readRowKey(collection, key, item, `${path}/${key}`, errors, depth)),
  );
  return of.length === 1 ? of[0] : { kind: 'and', of };
}

function readRowKey(
  collection: Collection,
  key: string,
  value: unknown,
  path: string,
  errors: InputErrors,
  depth: number,
): RowTest | undefined {
  const field = collection.fields.get(key);
  if (field) return readConditions(value, field, path, errors);
  const row = (one: unknown, at: string): RowTest[] =>
    present(readRow(collection, one, at, errors, depth + 1));
  if (key === 'not') {
    const [of] = row(value, path);
    return of && { kind: 'not', of };
  }
  if (key === 'and' || key === 'or') {
    const listed = listOf(value, path, errors);
    return listed && { kind: key, of: listed.flatMap((one, at) => row(one, `${path}/${at}`)) };
  }
  if (key === 'components' && collection.name === 'observation') {
    const listed = Array.isArray(value) ? value : [value];
    const tests = listed.flatMap((one, at) => row(one, Array.isArray(value) ? `${path}/${at}` : path));
    const [only, second] = tests;
    if (only === undefined) return errors.add(path, 'needs at least one object of fields');
    return { kind: 'component', test: second === undefined ? only : { kind: 'or', of: tests } };
  }
  return errors.add(path, `is no field of ${collection.plural}; they have ${names(collection)}`);
}

const names = (collection: Collection): string => [...collection.fields.keys()].join(', ');

function listOf(value: unknown, path: string, errors: InputErrors): readonly unknown[] | undefined {
  if (Array.isArray(value) && value.length > 0) return value;
  return errors.add(path, 'must be a list of conditions');
}
