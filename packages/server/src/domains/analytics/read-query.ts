import { type Collection, collectionNamed, collections } from './fields.ts';
import { isObject, type JsonObject, Mistakes, type UnknownKeys } from './mistakes.ts';
import {
  domains,
  limits,
  type Metric,
  metricOps,
  type NamedField,
  type Options,
  type Query,
} from './query.ts';
import { fieldNamed, readText } from './read-text.ts';
import { readWhere } from './read-where.ts';

/** Reads the JSON form of a query. Problem 400 with the path of every mistake. */
export function readQuery(value: unknown, path: string, unknownKeys?: UnknownKeys): Query {
  const mistakes = new Mistakes(unknownKeys);
  const query = queryOf(isObject(value) ? value : {}, path, mistakes);
  mistakes.throwIfAny();
  return query as Query;
}

/** Reads the text form of a query; options stand beside it. */
export function readStringQuery(
  text: string,
  options: unknown,
  paths: { text: string; options: string },
): Query {
  const mistakes = new Mistakes();
  const read = readText(text, paths.text, mistakes);
  const target = read?.target ?? (collections.get('patient') as Collection);
  const given = readOptions(options ?? undefined, target, paths.options, mistakes);
  mistakes.throwIfAny();
  const { where, domain, limit } = read as NonNullable<typeof read>;
  return { target, ofGenes: false, domain, where, options: { ...given, limit: given.limit ?? limit } };
}

function queryOf(query: JsonObject, path: string, mistakes: Mistakes): Query | undefined {
  mistakes.requireKnown(query, ['target', 'domain', 'where', 'options'], path);
  const target = readTarget(query['target'], `${path}/target`, mistakes);
  const domain = query['domain'] ?? 'filter';
  const known = domains.find((name) => name === domain);
  if (!known) mistakes.add(`${path}/domain`, `must be one of ${domains.join(', ')}`);
  const where = readWhere(query['where'] ?? {}, `${path}/where`, mistakes);
  const options = readOptions(query['options'] ?? undefined, target, `${path}/options`, mistakes);
  if (!target || !known) return undefined;
  const ofGenes = isGenes(query['target']);
  return { target, ofGenes, domain: ofGenes && known === 'filter' ? 'genes' : known, where, options };
}

const isGenes = (target: unknown): boolean => target === 'gene' || target === 'genes';

/** A query for genes counts variants: its rows are those of `variant`. */
function readTarget(value: unknown, path: string, mistakes: Mistakes): Collection | undefined {
  if (isGenes(value)) return collections.get('variant');
  const target = typeof value === 'string' ? collectionNamed(value) : undefined;
  // The table of expression values is called gene as well.
  const there = new Set(['gene', 'expression', ...collections.keys()]);
  return target ?? mistakes.add(path, `must be one of ${[...there].join(', ')}`);
}

function readOptions(
  value: unknown,
  target: Collection | undefined,
  path: string,
  mistakes: Mistakes,
): Options {
  const options = isObject(value) ? value : {};
  if (value !== undefined && !isObject(value)) mistakes.add(path, 'must be an object');
  mistakes.requireKnown(options, ['fields', 'groupBy', 'metrics', 'limit', 'pageToken'], path);
  const given = (key: string): unknown => options[key] ?? undefined;
  const fields = (key: string, most: number) =>
    readFields(given(key), target, `${path}/${key}`, most, mistakes);
  return {
    fields: fields('fields', 100),
    groupBy: fields('groupBy', limits.groupByMax),
    metrics: readMetrics(given('metrics'), target, `${path}/metrics`, mistakes),
    limit: readLimit(given('limit'), `${path}/limit`, mistakes),
    pageToken: readToken(given('pageToken'), `${path}/pageToken`, mistakes),
  };
}

function readLimit(value: unknown, path: string, mistakes: Mistakes): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.rowsMax) return Number(value);
  return mistakes.add(path, `must be a whole number from 1 to ${limits.rowsMax}`);
}

function readToken(value: unknown, path: string, mistakes: Mistakes): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && value.length <= 8192) return value;
  return mistakes.add(path, 'must be the nextPageToken of the answer before');
}

function readFields(
  value: unknown,
  target: Collection | undefined,
  path: string,
  most: number,
  mistakes: Mistakes,
): NamedField[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return mistakes.add(path, 'must be a list of fields') ?? [];
  if (value.length > most) return mistakes.add(path, `must have at most ${most} fields`) ?? [];
  return value.flatMap((name, at) => readField(name, target, `${path}/${at}`, mistakes) ?? []);
}

/** A field of the target itself, or what there is once of each patient: `demographics.gender`, `patient.dob`. */
function readField(
  name: unknown,
  target: Collection | undefined,
  path: string,
  mistakes: Mistakes,
): NamedField | undefined {
  if (typeof name !== 'string') return mistakes.add(path, 'must be the name of a field');
  if (!target) return undefined;
  const own = target.fields.get(name);
  if (own) return { name, collection: target, field: own };
  const named = fieldNamed(name) ?? fieldNamed(`patient.${name}`) ?? fieldNamed(`demographics.${name}`);
  const reachable = named && (named.collection === target || oncePerPatient.has(named.collection.name));
  if (named && reachable) return { name, ...named };
  return mistakes.add(path, `is no field of ${target.plural}, nor of patients and their demographics`);
}

const oncePerPatient = new Set(['patient', 'demographic']);

function readMetrics(
  value: unknown,
  target: Collection | undefined,
  path: string,
  mistakes: Mistakes,
): Metric[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return mistakes.add(path, 'must be a list of {"op", "field"}') ?? [];
  if (value.length > limits.metricsMax) {
    return mistakes.add(path, `must have at most ${limits.metricsMax} metrics`) ?? [];
  }
  return value.flatMap((one, at) => readMetric(one, target, `${path}/${at}`, mistakes) ?? []);
}

function readMetric(
  value: unknown,
  target: Collection | undefined,
  path: string,
  mistakes: Mistakes,
): Metric | undefined {
  if (!isObject(value)) return mistakes.add(path, 'must be {"op", "field"}');
  mistakes.requireKnown(value, ['op', 'field', 'interval'], path);
  const op = metricOps.find((name) => name === value['op']);
  if (!op) return mistakes.add(`${path}/op`, `must be one of ${metricOps.join(', ')}`);
  const given = value['field'] ?? undefined;
  if (given === undefined && op === 'count') return { op, field: undefined, interval: undefined };
  const field = readField(given, target, `${path}/field`, mistakes);
  if (!field) return undefined;
  const { type } = field.field;
  const numeric = type === 'int' || type === 'float';
  if ((op === 'avg' || op === 'sum' || op === 'histogram') && !numeric) {
    return mistakes.add(`${path}/field`, `must be a number for ${op}`);
  }
  return { op, field, interval: readInterval(value['interval'] ?? undefined, `${path}/interval`, mistakes) };
}

function readInterval(value: unknown, path: string, mistakes: Mistakes): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  return mistakes.add(path, 'must be a number above 0');
}
