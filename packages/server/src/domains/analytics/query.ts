import type { Collection, Field } from './fields.ts';

/** Comparisons of a field with values; `in` and `notIn` with a list, `between` with two, `exists` with true or false. */
export const operators = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'notIn',
  'between',
  'contains',
  'startsWith',
  'endsWith',
  'exists',
] as const;

export type Operator = (typeof operators)[number];
export type Value = string | number | boolean;

/** What has to hold for one row. What a row does not say holds for no comparison, so that `not` of one holds for it. */
export type RowTest =
  | { kind: 'and' | 'or'; of: RowTest[] }
  | { kind: 'not'; of: RowTest }
  | { kind: 'field'; field: Field; operator: Operator; values: Value[] }
  /** A component of the same observation for which the test holds. */
  | { kind: 'component'; test: RowTest };

/** What has to hold for a patient. */
export type PatientTest =
  | { kind: 'all' }
  | { kind: 'and' | 'or' | 'xor'; of: PatientTest[] }
  | { kind: 'not'; of: PatientTest }
  /** He has a row for which the test holds. */
  | { kind: 'rows'; collection: Collection; test: RowTest }
  | { kind: 'cohort'; id: string }
  /** He is one of those. */
  | { kind: 'named'; ids: string[] };

export const domains = ['filter', 'count', 'samples', 'genes', 'aggregate'] as const;
export type Domain = (typeof domains)[number];

export const metricOps = ['count', 'countDistinct', 'min', 'max', 'avg', 'sum', 'histogram'] as const;

/** A field together with the collection that it is of. */
export interface NamedField {
  /** As the query wrote it, and as the answer calls it. */
  name: string;
  collection: Collection;
  field: Field;
}

export interface Metric {
  op: (typeof metricOps)[number];
  field: NamedField | undefined;
  /** Width of the bars of a histogram; absent: a tenth of the range. */
  interval: number | undefined;
}

export interface Options {
  /** What to tell of each row; empty: what is told by default. */
  fields: NamedField[];
  groupBy: NamedField[];
  metrics: Metric[];
  limit: number | undefined;
  pageToken: string | undefined;
}

/** A DSL query that has been read and found to be right. */
export interface Query {
  /** Whose rows the answer is about. */
  target: Collection;
  /** The target is genes: what is counted are the genes of the variants. */
  ofGenes: boolean;
  domain: Domain;
  where: PatientTest;
  options: Options;
}

/** Limits of a query. */
export const limits = {
  nodesMax: 500,
  depthMax: 32,
  valuesMax: 1000,
  textMaxCharacters: 65_536,
  rowsMax: 10_000,
  groupByMax: 8,
  metricsMax: 16,
} as const;

export const everybody: PatientTest = { kind: 'all' };

/** All of the tests; without any, everybody. */
export function allOf(tests: PatientTest[]): PatientTest {
  const [only, second] = tests;
  if (second !== undefined) return { kind: 'and', of: tests };
  return only ?? everybody;
}
