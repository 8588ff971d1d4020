import type { Comparison, Json, Rule } from '@ploidy/policy';

/** Separator between the values of a key: attributes hold no control characters. */
export const separator = '\u001f';
/** Maximum of combinations that a rule with lists is expanded into. */
const combinationsMax = 1000;

/** Rules that require fixed values of the same attributes, as keys that each grant access. */
export interface KeyList {
  paths: readonly string[];
  keys: Set<string>;
}

/** Groups rules that require fixed values into one list for each set of attributes. */
export function groupedRules(rules: readonly Rule[]): { lists: KeyList[]; others: Rule[] } {
  const lists = new Map<string, KeyList>();
  const others: Rule[] = [];
  for (const rule of rules) {
    const paths = Object.keys(rule).sort();
    const keys = paths.includes('resource')
      ? undefined
      : keysOf(paths.map((path) => acceptedValues(rule[path])));
    if (keys === undefined) {
      others.push(rule);
      continue;
    }
    const name = paths.join(separator);
    const list = lists.get(name) ?? { paths, keys: new Set() };
    lists.set(name, list);
    for (const key of keys) list.keys.add(key);
  }
  return { lists: [...lists.values()], others };
}

/** Lists every combination of values; `undefined` if one is unrestricted or there are too many. */
function keysOf(values: readonly (Json[] | undefined)[]): string[] | undefined {
  let keys: string[] | undefined;
  for (const list of values) {
    if (list === undefined) return undefined;
    // Attributes are strings and never equal anything else.
    const texts = list.filter((value): value is string => typeof value === 'string');
    if (keys && keys.length * texts.length > combinationsMax) return undefined;
    keys = keys ? keys.flatMap((key) => texts.map((text) => key + separator + text)) : texts;
  }
  return keys;
}

export function acceptedValues(comparison: Comparison | boolean | undefined): Json[] | undefined {
  if (typeof comparison !== 'object' || !('value' in comparison)) return undefined;
  if (comparison.comparison === 'equals') return [comparison.value];
  return comparison.comparison === 'in' && Array.isArray(comparison.value) ? comparison.value : undefined;
}
