import type { Shape } from '../api/lists.ts';

/** Filter of a study as the service reads it. */
export type Node = Shape<'StudyNode'>;
/** One test on subjects, without groups. */
export type Leaf = Exclude<Node, { and: unknown } | { or: unknown } | { not: unknown }>;
type Range = Shape<'StudyRange'>;
type AttributeTest = Extract<Leaf, { attribute: unknown }>;

/** One test of the bar, or a group of them. `or`: joined to the one before it, of which one has to hold. */
export interface Condition {
  is: Node;
  not?: boolean;
  or?: boolean;
}

/** Conditions of a study; all groups that `or` joins have to hold. */
export type Conditions = readonly Condition[];

const leafKeys = [
  'and',
  'or',
  'not',
  'attribute',
  'alteration',
  'profiled',
  'event',
  'timed',
  'treatment',
  'region',
  'list',
  'samples',
  'patients',
  'cohort',
  'where',
];

/** Reads conditions from an address; an address that was cut off filters nothing. */
export function readConditions(text: string | undefined): Conditions {
  try {
    const list: unknown = JSON.parse(text || '[]');
    return Array.isArray(list) ? list.filter(isCondition) : [];
  } catch {
    return [];
  }
}

function isCondition(value: unknown): value is Condition {
  const leaf: unknown = Object(value).is;
  return typeof leaf === 'object' && leaf !== null && leafKeys.some((key) => Object.hasOwn(leaf, key));
}

/** Reports whether a filter names a cohort anywhere. */
export function namesCohort(node: Node): boolean {
  if ('and' in node) return node.and.some(namesCohort);
  if ('or' in node) return node.or.some(namesCohort);
  return 'not' in node ? namesCohort(node.not) : 'cohort' in node;
}

/** Writes conditions for an address; empty where there are none. */
export function writeConditions(conditions: Conditions): string {
  return conditions.length === 0 ? '' : JSON.stringify(conditions);
}

/** Returns the filter of conditions. A test outside of alternatives gets its place as pill, so that a chart may leave it out. */
export function nodeOf(conditions: Conditions): Node {
  const groups: { at: number; parts: Node[] }[] = [];
  for (const [at, { is, not, or }] of conditions.entries()) {
    const part: Node = not ? { not: is } : is;
    const last = groups.at(-1);
    if (or && last) last.parts.push(part);
    else groups.push({ at, parts: [part] });
  }
  return {
    and: groups.map(({ at, parts: [first, ...rest] }): Node => {
      if (first === undefined) return { and: [] };
      return rest.length > 0 ? { or: [first, ...rest] } : { ...first, pill: pillAt(at) };
    }),
  };
}

const pillAt = (at: number): string => `p${at}`;

/** Reports whether a condition is alone: neither joined to the one before it nor to the one behind it. */
const isAlone = (conditions: Conditions, at: number): boolean =>
  !conditions[at]?.or && !conditions[at + 1]?.or && !conditions[at]?.not;

/** Returns the place of the condition that the chart of an attribute changes; -1 where there is none. */
function placeOf(conditions: Conditions, attribute: string): number {
  return conditions.findIndex(
    ({ is }, at) => 'attribute' in is && is.attribute === attribute && isAlone(conditions, at),
  );
}

/** Returns the pill that the chart of an attribute leaves out, so that its other bars keep their counts. */
export function ownPill(conditions: Conditions, attribute: string): string | undefined {
  const at = placeOf(conditions, attribute);
  return at < 0 ? undefined : pillAt(at);
}

/** Returns what the chart of an attribute has chosen. */
export function chosenIn(conditions: Conditions, attribute: string): AttributeTest | undefined {
  const leaf = conditions[placeOf(conditions, attribute)]?.is;
  return leaf && 'attribute' in leaf ? leaf : undefined;
}

/** Choice that a bar of a chart stands for. */
export type Choice = { value: string } | { range: Range } | { na: true };

/** Adds what a bar stands for to the choice of its chart, or removes it. */
export function toggle(conditions: Conditions, attribute: string, choice: Choice): Conditions {
  const at = placeOf(conditions, attribute);
  const { in: values = [], ranges = [], na = false } = chosenIn(conditions, attribute) ?? {};
  const next = {
    in: 'value' in choice ? switched(values, choice.value) : values,
    ranges: 'range' in choice ? switched(ranges, choice.range) : ranges,
    na: 'na' in choice ? !na : na,
  };
  const leaf: AttributeTest = {
    attribute,
    ...(next.in.length > 0 && { in: next.in }),
    ...(next.ranges.length > 0 && { ranges: next.ranges }),
    ...(next.na && { na: true }),
  };
  const isEmpty = Object.keys(leaf).length === 1;
  if (at < 0) return [...conditions, { is: leaf }];
  return isEmpty ? removed(conditions, at) : changed(conditions, at, { is: leaf });
}

function switched<T>(list: readonly T[], item: T): T[] {
  const key = JSON.stringify(item);
  const others = list.filter((one) => JSON.stringify(one) !== key);
  return others.length < list.length ? others : [...list, item];
}

/** Adds a test, or removes the one that asks the same. */
export function toggleLeaf(conditions: Conditions, is: Node): Conditions {
  const at = placeOfLeaf(conditions, is);
  return at < 0 ? [...conditions, { is }] : removed(conditions, at);
}

/** Returns the place of a test that asks the same; -1 where there is none. */
export function placeOfLeaf(conditions: Conditions, is: Node): number {
  const key = JSON.stringify(is);
  return conditions.findIndex((one) => JSON.stringify(one.is) === key);
}

/** Changes one condition. */
export function changed(conditions: Conditions, at: number, part: Partial<Condition>): Conditions {
  return conditions.map((one, place) => {
    if (place !== at) return one;
    const { is, not, or } = { ...one, ...part };
    return { is, ...(not && { not }), ...(or && { or }) };
  });
}

/** Joins a condition and the one behind it to a group, which can be negated and joined as one. */
export function grouped(conditions: Conditions, at: number): Conditions {
  const [first, second] = [conditions[at], conditions[at + 1]];
  if (!first || !second) return conditions;
  const key = second.or ? 'or' : 'and';
  const parts = [first, second].flatMap(({ is, not }): Node[] => {
    if (not) return [{ not: is }];
    const inner = key === 'or' ? 'or' in is && is.or : 'and' in is && is.and;
    return inner || [is];
  });
  const is: Node = key === 'or' ? { or: parts } : { and: parts };
  return conditions.toSpliced(at, 2, { is, ...(first.or && { or: true }) });
}

/** Takes a group apart into conditions that mean the same; `undefined` where none do. */
export function ungrouped(conditions: Conditions, at: number): Conditions | undefined {
  const { is, not, or } = conditions[at] ?? { is: { and: [] } };
  if (not) return undefined;
  const isAnd = 'and' in is;
  const parts = isAnd ? is.and : 'or' in is ? is.or : [];
  // All of a group cannot be alternatives to others one by one.
  if (parts.length === 0 || (isAnd && !isAlone(conditions, at))) return undefined;
  const apart = parts.map((part, place): Condition => {
    const isOr = place === 0 ? or : !isAnd;
    return { ...('not' in part ? { is: part.not, not: true } : { is: part }), ...(isOr && { or: true }) };
  });
  return conditions.toSpliced(at, 1, ...apart);
}

/** Removes one condition; the one behind it takes its place in the group. */
export function removed(conditions: Conditions, at: number): Conditions {
  const or = conditions[at]?.or === true && conditions[at + 1]?.or === true;
  const next =
    conditions[at + 1]?.or === true && !or ? changed(conditions, at + 1, { or: false }) : conditions;
  return next.toSpliced(at, 1);
}
