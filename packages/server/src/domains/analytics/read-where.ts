import { type Collection, collectionNamed, collections } from './fields.ts';
import { isObject, type Mistakes } from './mistakes.ts';
import { allOf, type PatientTest, type RowTest } from './query.ts';
import { readConditions } from './read-condition.ts';

/* The JSON form of conditions: objects AND their keys, lists OR their items, `and`, `or`, `xor` and `not` are groups. */

/** `where`: of patients and of what they have. */
export function readWhere(value: unknown, path: string, mistakes: Mistakes, depth = 0): PatientTest {
  if (!mistakes.enter(path, depth)) return { kind: 'all' };
  if (!isObject(value)) {
    mistakes.add(path, 'must be an object');
    return { kind: 'all' };
  }
  const tests = Object.entries(value).flatMap(([key, item]) => {
    const test = readKey(key, item, `${path}/${key}`, mistakes, depth + 1);
    return test ? [test] : [];
  });
  return allOf(tests);
}

function readKey(
  key: string,
  value: unknown,
  path: string,
  mistakes: Mistakes,
  depth: number,
): PatientTest | undefined {
  if (key === 'not') return { kind: 'not', of: readWhere(value, path, mistakes, depth) };
  if (key === 'and' || key === 'or' || key === 'xor') {
    const listed = listOf(value, path, mistakes);
    return (
      listed && {
        kind: key,
        of: listed.map((one, at) => readWhere(one, `${path}/${at}`, mistakes, depth)),
      }
    );
  }
  if (key === 'patient') return readPatient(value, path, mistakes, depth);
  const collection = collectionNamed(key);
  if (collection) return readCollection(collection, value, path, mistakes, depth);
  return mistakes.add(path, `is not known; what there is: ${scopeNames()}`);
}

const scopeNames = (): string => ['and', 'or', 'xor', 'not', ...collections.keys()].join(', ');

/** Of a patient: his own fields, what he has, and groups of both. */
function readPatient(
  value: unknown,
  path: string,
  mistakes: Mistakes,
  depth: number,
): PatientTest | undefined {
  if (Array.isArray(value)) return anyOf(value, path, mistakes, depth, readPatient);
  if (!isObject(value)) return mistakes.add(path, 'must be an object');
  const patient = collections.get('patient') as Collection;
  const own: Record<string, unknown> = {};
  const tests: PatientTest[] = [];
  for (const [key, item] of Object.entries(value)) {
    const at = `${path}/${key}`;
    const collection = collectionNamed(key);
    if (key === 'all') {
      const test = readAll(item, at, mistakes);
      if (test) tests.push(test);
    } else if (patient.fields.has(key)) own[key] = item;
    else if (isGroup(key)) tests.push(...present(readPatientGroup(key, item, at, mistakes, depth)));
    else if (collection) tests.push(...present(readCollection(collection, item, at, mistakes, depth)));
    else mistakes.add(at, `is neither a field of patients (${names(patient)}) nor something that they have`);
  }
  if (Object.keys(own).length > 0)
    tests.push(...present(readCollection(patient, own, path, mistakes, depth)));
  return allOf(tests);
}

const present = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

const isGroup = (key: string): key is 'and' | 'or' | 'xor' | 'not' => /^(and|or|xor|not)$/.test(key);

function readPatientGroup(
  key: 'and' | 'or' | 'xor' | 'not',
  value: unknown,
  path: string,
  mistakes: Mistakes,
  depth: number,
): PatientTest | undefined {
  if (!mistakes.enter(path, depth + 1)) return undefined;
  if (key === 'not') {
    const of = readPatient(value, path, mistakes, depth + 1);
    return of && { kind: 'not', of };
  }
  const listed = listOf(value, path, mistakes);
  if (!listed) return undefined;
  return {
    kind: key,
    of: listed.flatMap((one, at) => present(readPatient(one, `${path}/${at}`, mistakes, depth + 1))),
  };
}

/** `patient.all`: every patient, or none. */
function readAll(value: unknown, path: string, mistakes: Mistakes): PatientTest | undefined {
  const only = Array.isArray(value) ? value[0] : value;
  if (isObject(only)) mistakes.requireKnown(only, ['operator', 'value'], path);
  const wanted = isObject(only) ? only['value'] : only;
  if (wanted === true) return { kind: 'all' };
  if (wanted === false) return { kind: 'not', of: { kind: 'all' } };
  return mistakes.add(path, 'must be true or false');
}

function anyOf(
  list: unknown[],
  path: string,
  mistakes: Mistakes,
  depth: number,
  read: (value: unknown, path: string, mistakes: Mistakes, depth: number) => PatientTest | undefined,
): PatientTest | undefined {
  if (list.length === 0) return mistakes.add(path, 'must not be an empty list');
  return {
    kind: 'or',
    of: list.flatMap((one, at) => present(read(one, `${path}/${at}`, mistakes, depth + 1))),
  };
}

/** Conditions on the rows of a collection; those of one object hold for the same row. */
function readCollection(
  collection: Collection,
  value: unknown,
  path: string,
  mistakes: Mistakes,
  depth: number,
): PatientTest | undefined {
  if (Array.isArray(value)) {
    const read = (one: unknown, at: string) => readCollection(collection, one, at, mistakes, depth + 1);
    return anyOf(value, path, mistakes, depth, read);
  }
  const test = readRow(collection, value, path, mistakes, depth + 1);
  return test && { kind: 'rows', collection, test };
}

function readRow(
  collection: Collection,
  value: unknown,
  path: string,
  mistakes: Mistakes,
  depth: number,
): RowTest | undefined {
  if (!mistakes.enter(path, depth)) return undefined;
  if (!isObject(value)) return mistakes.add(path, 'must be an object of fields');
  const of = Object.entries(value).flatMap(([key, item]) =>
    present(readRowKey(collection, key, item, `${path}/${key}`, mistakes, depth)),
  );
  return of.length === 1 ? of[0] : { kind: 'and', of };
}

function readRowKey(
  collection: Collection,
  key: string,
  value: unknown,
  path: string,
  mistakes: Mistakes,
  depth: number,
): RowTest | undefined {
  const field = collection.fields.get(key);
  if (field) return readConditions(value, field, path, mistakes);
  const row = (one: unknown, at: string): RowTest[] =>
    present(readRow(collection, one, at, mistakes, depth + 1));
  if (key === 'not') {
    const [of] = row(value, path);
    return of && { kind: 'not', of };
  }
  if (key === 'and' || key === 'or') {
    const listed = listOf(value, path, mistakes);
    return listed && { kind: key, of: listed.flatMap((one, at) => row(one, `${path}/${at}`)) };
  }
  if (key === 'components' && collection.name === 'observation') {
    const listed = Array.isArray(value) ? value : [value];
    const tests = listed.flatMap((one, at) => row(one, Array.isArray(value) ? `${path}/${at}` : path));
    const [only, second] = tests;
    if (only === undefined) return mistakes.add(path, 'needs at least one object of fields');
    return { kind: 'component', test: second === undefined ? only : { kind: 'or', of: tests } };
  }
  return mistakes.add(path, `is no field of ${collection.plural}; they have ${names(collection)}`);
}

const names = (collection: Collection): string => [...collection.fields.keys()].join(', ');

function listOf(value: unknown, path: string, mistakes: Mistakes): readonly unknown[] | undefined {
  if (Array.isArray(value) && value.length > 0) return value;
  return mistakes.add(path, 'must be a list of conditions');
}
