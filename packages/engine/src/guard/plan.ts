import type { BoundStatement, TableShape } from '../engine.ts';

/** Step of a plan as the engine prints it. */
export interface PlanNode {
  name: string;
  children?: PlanNode[];
  extra_info?: Record<string, unknown>;
}

/** Steps of the engine by the ends of their names, in words. */
const words: readonly [name: RegExp, step: string][] = [
  [/GROUP_BY$|AGGREGATE$/, 'Groups rows'],
  [/JOIN$|PRODUCT$/, 'Joins'],
  [/^FILTER$/, 'Keeps rows that satisfy a condition'],
  [/^TOP_N$/, 'Sorts, and keeps the first rows'],
  [/^ORDER_BY$/, 'Sorts'],
  [/LIMIT/, 'Keeps the first rows'],
  [/WINDOW$/, 'Computes windows'],
  [/^UNION$/, 'Appends rows'],
  [/^UNNEST$/, 'Makes a row of each item'],
];

/** Lists the steps of a plan, the last one first, each before those that it reads. Projections, which change no row, are left out. */
export function planSteps(
  nodes: readonly PlanNode[],
  tables: readonly TableShape[],
  depth = 0,
): BoundStatement['plan'] {
  return nodes.flatMap((node) => {
    const name = node.name.trim();
    const children = node.children ?? [];
    if (name === 'PROJECTION') return planSteps(children, tables, depth);
    const rows = rowsOf(node);
    const step = { depth, step: phraseOf(name, node, tables), ...(rows > 0 && { estimatedRows: rows }) };
    return [step, ...planSteps(children, tables, depth + 1)];
  });
}

/** Reads the planner's estimate of the topmost step that has one. */
export function estimate(node: PlanNode): number {
  const { name, children = [] } = node;
  const expected = rowsOf(node);
  if (expected > 0) return expected;
  if (name.trim() === 'UNGROUPED_AGGREGATE') return 1;
  if (name.trim() === 'EMPTY_RESULT') return 0;
  if (name.trim() === 'UNION') return children.reduce((sum, child) => sum + estimate(child), 0);
  const [first] = children;
  return first ? estimate(first) : 1;
}

const rowsOf = ({ extra_info }: PlanNode): number => Number(extra_info?.['Estimated Cardinality'] ?? 0);

function phraseOf(name: string, node: PlanNode, tables: readonly TableShape[]): string {
  if (name === 'RANGE') return `Reads ${sourceOf(node, tables)}`;
  const step = words.find(([pattern]) => pattern.test(name))?.[1];
  if (step === undefined) return `Takes the step ${name.toLowerCase().replaceAll('_', ' ')}`;
  const { 'Join Type': type, Conditions: conditions } = node.extra_info ?? {};
  if (step !== 'Joins') return step;
  const kind = typeof type === 'string' ? ` (${type.toLowerCase()})` : '';
  const by = [conditions].flat().filter((one) => typeof one === 'string' && !one.includes('range'));
  return `${step}${kind}${by.length > 0 ? ` where ${by.join(' and ')}` : ''}`;
}

/** Finds a table by its number of rows: the planner has a range of numbers in its place. Tables of one length are all named. */
function sourceOf(node: PlanNode, tables: readonly TableShape[]): string {
  const names = tables.filter(({ rowCount }) => rowCount === rowsOf(node)).map(({ name }) => name);
  return names.join(' or ') || 'numbers';
}
