/** A node of the engine's syntax tree. */
export type TreeNode = Record<string, unknown>;

/** A place in a tree that holds a node, so that another can be put there. */
export interface Place {
  holder: Record<string | number, unknown>;
  key: string | number;
  node: TreeNode;
}

/** Reads a tree without losing a digit: numbers that JavaScript would round stay as they are written. */
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

/** Every node, the outer before the inner ones; `visit` says whether to look inside. */
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
