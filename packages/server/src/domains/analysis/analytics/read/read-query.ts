import { type Collection, collections, type KnownCollections } from '../fields.ts';
import {
  domains,
  limits,
  type Metric,
  metricOps,
  type NamedField,
  type Options,
  type PatientTest,
  type Query,
} from '../query.ts';
import { InputErrors, isObject, type JsonObject, type UnknownKeys } from './input-errors.ts';
import { fieldNamed, readText } from './read-text.ts';
import { readWhere } from './read-where.ts';

/** Parses the JSON form of a query. Problem 400 with the path of every error. */
export function readQuery(
  value: unknown,
  path: string,
  unknownKeys?: UnknownKeys,
  known?: KnownCollections,
): Query {
  const errors = new InputErrors(unknownKeys, known);
  const query = queryOf(isObject(value) ? value : {}, path, errors);
  errors.throwIfAny();
  return query as Query;
}

/** Parses the text form of a query, with options beside it. */
export function readStringQuery(
  text: string,
  options: unknown,
  paths: { text: string; options: string },
  known?: KnownCollections,
): Query {
  const errors = new InputErrors(undefined, known);
  const read = readText(text, paths.text, errors);
  const target = read?.target ?? (collections.get('patient') as Collection);
  const given = readOptions(options ?? undefined, target, paths.options, errors);
  errors.throwIfAny();
  const { where, domain, limit } = read as NonNullable<typeof read>;
  return { target, ofGenes: false, domain, where, options: { ...given, limit: given.limit ?? limit } };
}

/** Parses conditions on patients. Problem 400 with the path of every error. */
export function readConditions(value: unknown, path: string, known: KnownCollections): PatientTest {
  const errors = new InputErrors(undefined, known);
  const test = readWhere(value, path, errors);
  errors.throwIfAny();
  return test;
}

function queryOf(query: JsonObject, path: string, errors: InputErrors): Query | undefined {
  errors.requireKnown(query, ['target', 'domain', 'where', 'options'], path);
  const target = readTarget(query['target'], `${path}/target`, errors);
  const domain = query['domain'] ?? 'filter';
  const known = domains.find((name) => name === domain);
  if (!known) errors.add(`${path}/domain`, `must be one of ${domains.join(', ')}`);
  const where = readWhere(query['where'] ?? {}, `${path}/where`, errors);
  const options = readOptions(query['options'] ?? undefined, target, `${path}/options`, errors);
  if (!target || !known) return undefined;
  const ofGenes = isGenes(query['target']);
  return { target, ofGenes, domain: ofGenes && known === 'filter' ? 'genes' : known, where, options };
}

const isGenes = (target: unknown): boolean => target === 'gene' || target === 'genes';

/** Parses the target; a query for genes reads the rows of `variant`. */
function readTarget(value: unknown, path: string, errors: InputErrors): Collection | undefined {
  if (isGenes(value)) return collections.get('variant');
  const target = typeof value === 'string' ? errors.known.named(value) : undefined;
  // The table of expression values is also called gene.
  const there = new Set(['gene', 'expression', ...errors.known.all.keys()]);
  return target ?? errors.add(path, `must be one of ${[...there].join(', ')}`);
}

function readOptions(
  value: unknown,
  target: Collection | undefined,
  path: string,
  errors: InputErrors,
): Options {
  const options = isObject(value) ? value : {};
  if (value !== undefined && !isObject(value)) errors.add(path, 'must be an object');
  errors.requireKnown(options, ['fields', 'groupBy', 'metrics', 'limit', 'pageToken'], path);
  const given = (key: string): unknown => options[key] ?? undefined;
  const fields = (key: string, countMax: number) =>
    readFields(given(key), target, `${path}/${key}`, countMax, errors);
  return {
    fields: fields('fields', 100),
    groupBy: fields('groupBy', limits.groupByMax),
    metrics: readMetrics(given('metrics'), target, `${path}/metrics`, errors),
    limit: readLimit(given('limit'), `${path}/limit`, errors),
    pageToken: readToken(given('pageToken'), `${path}/pageToken`, errors),
  };
}

function readLimit(value: unknown, path: string, errors: InputErrors): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.rowsMax) return Number(value);
  return errors.add(path, `must be a whole number from 1 to ${limits.rowsMax}`);
}

function readToken(value: unknown, path: string, errors: InputErrors): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && value.length <= 8192) return value;
  return errors.add(path, 'must be the nextPageToken of the answer before');
}

function readFields(
  value: unknown,
  target: Collection | undefined,
  path: string,
  countMax: number,
  errors: InputErrors,
): NamedField[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return errors.add(path, 'must be a list of fields') ?? [];
  if (value.length > countMax) return errors.add(path, `must have at most ${countMax} fields`) ?? [];
  return value.flatMap((name, at) => readField(name, target, `${path}/${at}`, errors) ?? []);
}

/**
 * Parses a field of the target, or of a table with one row per patient: `demographics.gender`, `patient.dob`.
 */
function readField(
  name: unknown,
  target: Collection | undefined,
  path: string,
  errors: InputErrors,
): NamedField | undefined {
  if (typeof name !== 'string') return errors.add(path, 'must be the name of a field');
  if (!target) return undefined;
  const own = target.fields.get(name);
  if (own) return { name, collection: target, field: own };
  const { known } = errors;
  const named =
    fieldNamed(name, known) ??
    fieldNamed(`patient.${name}`, known) ??
    fieldNamed(`demographics.${name}`, known);
  const reachable = named && (named.collection === target || oncePerPatient.has(named.collection.name));
  if (named && reachable) return { name, ...named };
  return errors.add(path, `is no field of ${target.plural}, nor of patients and their demographics`);
}

const oncePerPatient = new Set(['patient', 'demographic']);

function readMetrics(
  value: unknown,
  target: Collection | undefined,
  path: string,
  errors: InputErrors,
): Metric[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return errors.add(path, 'must be a list of {"op", "field"}') ?? [];
  if (value.length > limits.metricsMax) {
    return errors.add(path, `must have at most ${limits.metricsMax} metrics`) ?? [];
  }
  return value.flatMap((one, at) => readMetric(one, target, `${path}/${at}`, errors) ?? []);
}

function readMetric(
  value: unknown,
  target: Collection | undefined,
  path: string,
  errors: InputErrors,
): Metric | undefined {
  if (!isObject(value)) return errors.add(path, 'must be {"op", "field"}');
  errors.requireKnown(value, ['op', 'field', 'interval'], path);
  const op = metricOps.find((name) => name === value['op']);
  if (!op) return errors.add(`${path}/op`, `must be one of ${metricOps.join(', ')}`);
  const given = value['field'] ?? undefined;
  if (given === undefined && op === 'count') return { op, field: undefined, interval: undefined };
  const field = readField(given, target, `${path}/field`, errors);
  if (!field) return undefined;
  const { type } = field.field;
  const numeric = type === 'int' || type === 'float';
  if ((op === 'avg' || op === 'sum' || op === 'histogram') && !numeric) {
    return errors.add(`${path}/field`, `must be a number for ${op}`);
  }
  return { op, field, interval: readInterval(value['interval'] ?? undefined, `${path}/interval`, errors) };
}

function readInterval(value: unknown, path: string, errors: InputErrors): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  return errors.add(path, 'must be a number above 0');
}
