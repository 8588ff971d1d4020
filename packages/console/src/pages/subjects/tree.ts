import type { Where } from '../../api/ask.ts';
import { type Facet, type Filter, whereOf } from '../../facets/facets.ts';

/** One condition: values of a facet, or the two ends of its range. */
export interface Condition {
  facet: string;
  values: string[];
}

/** Conditions and groups of which all, any or none hold. */
export interface Group {
  holds: 'all' | 'any' | 'none';
  of: Node[];
}

export type Node = Group | Condition;

export const isGroup = (node: Node): node is Group => 'of' in node;
const isCondition = (node: Node): node is Condition => !isGroup(node);

/** Reads a tree from an address; `undefined` where there is none. */
export function readTree(text: string | undefined): Group | undefined {
  if (!text) return undefined;
  try {
    const tree = JSON.parse(text) as Node;
    return isGroup(tree) ? tree : undefined;
  } catch {
    // An address that was cut off chooses nothing.
    return undefined;
  }
}

/** Returns the tree of a filter: all of its choices. */
export function treeOf(filter: Filter): Group {
  return { holds: 'all', of: Object.entries(filter).map(([facet, values]) => ({ facet, values })) };
}

/** Returns the filter that chooses the same subjects; `undefined` for a tree that no filter can express. */
export function filterOf({ holds, of }: Group): Filter | undefined {
  const conditions = of.filter(isCondition);
  const facets = new Set(conditions.map(({ facet }) => facet));
  if (holds !== 'all' || facets.size < of.length) return undefined;
  return Object.fromEntries(conditions.map(({ facet, values }) => [facet, values]));
}

/**
 * Returns the conditions of a tree; unfinished ones are left out. Conditions of an `all` group on one collection hold for the
 * same row, as in a filter.
 */
export function whereOfNode(node: Node, facets: readonly Facet[]): Where | undefined {
  if (!isGroup(node)) return whereOf({ [node.facet]: node.values }, facets);
  const { holds, of } = node;
  const together = holds === 'all' ? firstOfFacets(of) : [];
  const parts = [
    whereOf(Object.fromEntries(together.map(({ facet, values }) => [facet, values])), facets),
    ...of.filter((one) => !together.includes(one as Condition)).map((one) => whereOfNode(one, facets)),
  ].filter((one) => one !== undefined);
  if (parts.length === 0) return undefined;
  if (holds === 'all') return { and: parts };
  return holds === 'any' ? { or: parts } : { not: { or: parts } };
}

/** Returns the first condition of each facet. */
function firstOfFacets(nodes: Node[]): Condition[] {
  const conditions = nodes.filter(isCondition);
  return conditions.filter(({ facet }, at) => conditions.findIndex((one) => one.facet === facet) === at);
}

/** Lists the facets that the conditions of a tree name. */
export function facetsIn(node: Node): string[] {
  return isGroup(node) ? node.of.flatMap(facetsIn) : [node.facet];
}
