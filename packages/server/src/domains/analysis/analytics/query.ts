import type { Collection, Field } from './fields.ts';

/**
 * Comparisons of a field with values, and the types of fields that each takes: all, those with an order, or texts.
 * The values are a list for `in` and `notIn`, two for `between`, a boolean for `exists`.
 */
export const comparisons = {
  eq: 'all',
  ne: 'all',
  lt: 'ordered',
  lte: 'ordered',
  gt: 'ordered',
  gte: 'ordered',
  in: 'all',
  notIn: 'all',
  between: 'ordered',
  contains: 'text',
  startsWith: 'text',
  endsWith: 'text',
  exists: 'all',
} as const;

export type Operator = keyof typeof comparisons;
export const operators = Object.keys(comparisons) as readonly Operator[];

/** Reports whether fields of a type can be compared by an operator. */
export function takesType(operator: Operator, type: Field['type']): boolean {
  const takes = comparisons[operator];
  return takes === 'all' || (takes === 'text' ? type === 'string' : type !== 'boolean');
}

export type Value = string | number | boolean;

/** Condition on one row. A comparison with a missing value is false, so its `not` is true. */
export type RowTest =
  | { kind: 'and' | 'or'; of: RowTest[] }
  | { kind: 'not'; of: RowTest }
  | { kind: 'field'; field: Field; operator: Operator; values: Value[] }
  /** Matches if a component of the same observation passes the test. */
  | { kind: 'component'; test: RowTest };

/** Condition on a patient. */
export type PatientTest =
  | { kind: 'all' }
  | { kind: 'and' | 'or' | 'xor'; of: PatientTest[] }
  | { kind: 'not'; of: PatientTest }
  /** Matches if the patient has a row that passes the test. */
  | { kind: 'rows'; collection: Collection; test: RowTest }
  | { kind: 'cohort'; id: string }
  /** Matches if the patient is one of these. */
  | { kind: 'named'; ids: string[] };

export const domains = ['filter', 'count', 'samples', 'genes', 'aggregate'] as const;
export type Domain = (typeof domains)[number];

export const metricOps = ['count', 'countDistinct', 'min', 'max', 'avg', 'sum', 'histogram'] as const;

/** Field with its collection. */
export interface NamedField {
  /** Name in the query and the answer. */
  name: string;
  collection: Collection;
  field: Field;
}

export interface Metric {
  op: (typeof metricOps)[number];
  field: NamedField | undefined;
  /** Width of a histogram's bars; absent: a tenth of the range. */
  interval: number | undefined;
}

export interface Options {
  /** Fields shown per row; empty: the default ones. */
  fields: NamedField[];
  groupBy: NamedField[];
  metrics: Metric[];
  limit: number | undefined;
  pageToken: string | undefined;
}

/** Validated DSL query. */
export interface Query {
  /** Collection whose rows are the answer. */
  target: Collection;
  /** True if the target is genes: those of the variants are counted. */
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
  cohortsMax: 20,
} as const;

export const everybody: PatientTest = { kind: 'all' };

/** Combines tests with AND; without any, matches all patients. */
export function allOf(tests: PatientTest[]): PatientTest {
  const [only, second] = tests;
  if (second !== undefined) return { kind: 'and', of: tests };
  return only ?? everybody;
}
