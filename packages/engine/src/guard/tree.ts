/** Node of the engine's syntax tree. */
export type TreeNode = Record<string, unknown>;

/** Place in a tree that holds a node, so that another can replace it. */
export interface Place {
  holder: Record<string | number, unknown>;
  key: string | number;
  node: TreeNode;
}

/** Reads a tree without losing a digit: numbers that JavaScript would round stay as written. */
export function readTree(text: string): TreeNode {
  const keep = (_: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value;
  };
  return JSON.parse(text, keep) as TreeNode;
}

export function printTree(tree: TreeNode): string {
  return JSON.stringify(tree);
}

/** Visits every node, the outer before the inner ones; `visit` returns whether to look inside. */
export function walk(tree: TreeNode, visit: (place: Place) => boolean): void {
  const stack: Place[] = [{ holder: { tree }, key: 'tree', node: tree }];
  for (let place = stack.pop(); place; place = stack.pop()) {
    if (visit(place)) stack.push(...inside(place.node).reverse());
  }
}

function inside(node: TreeNode | unknown[]): Place[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    if (Array.isArray(value)) return inside(value);
    return [{ holder: node as Record<string, unknown>, key, node: value as TreeNode }];
  });
}

/** Creates the fields that every expression has. */
export const expression = (kind: string, type: string): TreeNode => ({
  class: kind,
  type,
  alias: '',
  query_location: 0,
});

/** Builds a whole number as a literal. */
export function constantOf(value: number): TreeNode {
  const type = { id: 'INTEGER', type_info: null };
  return { ...expression('CONSTANT', 'VALUE_CONSTANT'), value: { type, is_null: false, value } };
}

/** Joins parts under AND or OR; a single one remains unchanged. */
export function conjunction(word: 'AND' | 'OR', parts: TreeNode[]): TreeNode {
  const [only = {}, ...more] = parts;
  return more.length === 0 ? only : { ...expression('CONJUNCTION', `CONJUNCTION_${word}`), children: parts };
}

/** Builds `CASE WHEN condition THEN value ELSE otherwise END`. */
export function caseOf(condition: TreeNode, value: TreeNode, otherwise: TreeNode): TreeNode {
  const checks = [{ when_expr: condition, then_expr: value }];
  return { ...expression('CASE', 'CASE_EXPR'), case_checks: checks, else_expr: otherwise };
}
