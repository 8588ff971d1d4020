/** A group of conditions of an analytics query (docs/analytics.md). */
export type Where = Record<string, unknown>;

/** Joins groups of conditions; `undefined` where there are none. */
export function both(...groups: (Where | undefined)[]): Where | undefined {
  const given = groups.filter((one) => one !== undefined);
  return given.length > 1 ? { and: given } : given[0];
}

/** A condition that a field has one of the values. */
export const isOneOf = (values: readonly unknown[]): Where[] => [{ operator: 'in', value: values }];
