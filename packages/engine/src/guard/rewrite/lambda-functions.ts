import { Refusal } from '../refusal.ts';
import { expression, type TreeNode, walk } from '../tree.ts';

/**
 * Rewrites functions of Presto's with a function of several values, which the engine lacks, into calls of its `list_transform`.
 * A macro cannot do it: it accepts no lambda. `list_transform([value], x -> body)[1]` binds a name to a value.
 */
export function rewriteLambdaFunctions(tree: TreeNode): void {
  let names = 0;
  const fresh = (): string => {
    names += 1;
    return `_ploidy_${names}`;
  };
  walk(tree, ({ node }) => {
    const name = node['class'] === 'FUNCTION' ? String(node['function_name']).toLowerCase() : '';
    const rewrite = rewrites.get(name);
    const children = Array.isArray(node['children']) ? (node['children'] as TreeNode[]) : [];
    const context = { name, offset: node['query_location'], fresh };
    if (isReduction(name, children)) {
      const other = reduceWithCaptures(children, context);
      if (other) become(node, other);
    } else if (rewrite) become(node, rewrite(children, context));
    return true;
  });
}

interface Context {
  name: string;
  offset: unknown;
  fresh(): string;
}

const rewrites: ReadonlyMap<string, (children: TreeNode[], context: Context) => TreeNode> = new Map([
  ['any_match', match],
  ['all_match', match],
  ['none_match', match],
  ['zip_with', zipWith],
  ['map_filter', mapFilter],
  ['transform_values', transformValues],
  ['reduce', reduce],
]);

/** Names of functions that only `rewriteLambdaFunctions` replaces. */
export const lambdaFunctions: ReadonlySet<string> = new Set(rewrites.keys());

/** Macros of these names, which combine the values for each element. */
function match(children: TreeNode[], context: Context): TreeNode {
  const [list, test] = take(children, 2, context, 'a list and x -> …');
  parametersOf(test, 1, context);
  return call(context.name, [call('list_transform', [list, test])]);
}

function zipWith(children: TreeNode[], context: Context): TreeNode {
  const [left, right, combine] = take(children, 3, context, 'two lists and (x, y) -> …');
  const [x, y] = parametersOf(combine, 2, context);
  const [a, b, i] = [context.fresh(), context.fresh(), context.fresh()];
  const body = bind(
    x,
    extract(column(a), column(i)),
    bind(y, extract(column(b), column(i)), bodyOf(combine)),
  );
  // `greatest` is the dialect's: NULL when one list is NULL.
  const length = call('greatest', [call('len', [column(a)]), call('len', [column(b)])]);
  const places = call('range', [integer(1), call('+', [length, integer(1)], true)]);
  return bind(a, left, bind(b, right, call('list_transform', [places, lambda(i, body)])));
}

function mapFilter(children: TreeNode[], context: Context): TreeNode {
  const [map, keep] = take(children, 2, context, 'a map and (k, v) -> …');
  const entry = context.fresh();
  const kept = lambda(entry, ofEntry(entry, keep, context));
  return call('map_from_entries', [call('list_filter', [call('map_entries', [map]), kept])]);
}

function transformValues(children: TreeNode[], context: Context): TreeNode {
  const [map, change] = take(children, 2, context, 'a map and (k, v) -> …');
  const entry = context.fresh();
  const pair = call('struct_pack', [
    { ...field(column(entry), 'key'), alias: 'key' },
    { ...ofEntry(entry, change, context), alias: 'value' },
  ]);
  return call('map_from_entries', [
    call('list_transform', [call('map_entries', [map]), lambda(entry, pair)]),
  ]);
}

/** Builds the body of `(k, v) -> …` with the key and the value of an entry. */
function ofEntry(entry: string, of: TreeNode, context: Context): TreeNode {
  const [key, value] = parametersOf(of, 2, context);
  return bind(key, field(column(entry), 'key'), bind(value, field(column(entry), 'value'), bodyOf(of)));
}

/**
 * Rewrites `reduce(list, start, (s, x) -> step, s -> end)`. The engine's own reduction has states of the type of the elements,
 * so both pass through it as one struct.
 */
function reduce(children: TreeNode[], context: Context): TreeNode {
  const [list, start, step, end] = take(children, 4, context, 'a list, a start, (s, x) -> … and s -> …');
  const [state, element] = parametersOf(step, 2, context);
  const [last] = parametersOf(end, 1, context);
  const first = context.fresh();
  // Never the start, but of its type.
  const none = {
    ...expression('CASE', 'CASE_EXPR'),
    case_checks: [{ when_expr: constant('BOOLEAN', false), then_expr: column(first) }],
    else_expr: constant('NULL', undefined),
  };
  const reduced = reduction(list, () => none, bodyOf(step), [state, element], column(first), context);
  return bind(first, start, bind(last, reduced, bodyOf(end)));
}

function isReduction(name: string, { length }: TreeNode[]): boolean {
  return name === 'list_reduce' || name === 'array_reduce' || (name === 'reduce' && length !== 4);
}

/** Rewrites the engine's own reduction if its function names anything but its parameters. */
function reduceWithCaptures([list, step, start]: TreeNode[], context: Context): TreeNode | undefined {
  const names = step && namesOf(step);
  if (!list || !names || names.length < 2 || capturesIn(bodyOf(step), names).length === 0) return undefined;
  return reduction(list, column, bodyOf(step), names, start, context);
}

/**
 * Reduces a list of structs: the state, the element, and the other names in the step. In `list_reduce` with a start, the engine
 * mixes up the rows of other columns where lists differ in length; in `list_transform` it does not.
 */
function reduction(
  list: TreeNode,
  stateOf: (item: string) => TreeNode,
  step: TreeNode,
  [state = '', element = '', ...index]: string[],
  start: TreeNode | undefined,
  { fresh }: Context,
): TreeNode {
  const [item, left, right] = [fresh(), fresh(), fresh()];
  const captures = capturesIn(step, [state, element, ...index]).map((node) => {
    const from = structuredClone({ ...node, alias: '' }) as TreeNode;
    const name = fresh();
    become(node, column(name));
    return { name, from };
  });
  const struct = (
    s: TreeNode,
    x: TreeNode,
    others: (capture: { name: string; from: TreeNode }) => TreeNode,
  ) =>
    call('struct_pack', [
      { ...s, alias: 's' },
      { ...x, alias: 'x' },
      ...captures.map((one) => ({ ...others(one), alias: one.name })),
    ]);
  const outside = ({ from }: { from: TreeNode }) => structuredClone(from);
  const carried = ({ name }: { name: string }) => field(column(right), name);
  const inner = captures.reduce((body, one) => bind(one.name, carried(one), body), step);
  const next = bind(state, field(column(left), 's'), bind(element, field(column(right), 'x'), inner));
  const structs = call('list_transform', [list, lambda(item, struct(stateOf(item), column(item), outside))]);
  const both = lambda([left, right, ...index], struct(next, field(column(right), 'x'), carried));
  const begin = start && struct(start, constant('NULL', undefined), outside);
  return field(call('list_reduce', [structs, both, ...(begin ? [begin] : [])]), 's');
}

/** Finds the columns and outer parameters that the body of a function names. */
function capturesIn(body: TreeNode, parameters: readonly string[]): TreeNode[] {
  if (body['class'] === 'LAMBDA') return capturesIn(bodyOf(body), [...parameters, ...namesOf(body)]);
  if (body['class'] === 'COLUMN_REF') {
    const [first = ''] = (body['column_names'] as string[] | undefined) ?? [];
    const isOwn = parameters.some((one) => one.toLowerCase() === first.toLowerCase());
    return isOwn ? [] : [body];
  }
  return childrenOf(body).flatMap((child) => capturesIn(child, parameters));
}

const childrenOf = (node: object): TreeNode[] =>
  Object.values(node).flatMap((part) =>
    typeof part === 'object' && part !== null ? [part as TreeNode] : [],
  );

function take(
  children: TreeNode[],
  count: number,
  { name, offset }: Context,
  wanted: string,
): TreeNode[] & Full {
  if (children.length !== count) throw new Refusal(`${name} takes ${wanted}`, Number(offset));
  return children as TreeNode[] & Full;
}

/** Asserts the requested number of nodes. */
type Full = [TreeNode, TreeNode, TreeNode, TreeNode];

/** Names of the parameters of a function. */
function namesOf(node: TreeNode): string[] {
  const lhs = node['lhs'] as TreeNode | undefined;
  const list = lhs?.['class'] === 'FUNCTION' ? (lhs['children'] as TreeNode[]) : lhs ? [lhs] : [];
  return list.map((one) => (one['column_names'] as string[] | undefined)?.join('.') ?? '');
}

function parametersOf(node: TreeNode, count: number, { name, offset }: Context): [string, string] {
  const names = namesOf(node);
  if (names.length !== count)
    throw new Refusal(
      `${name} takes a function of ${count} value${count > 1 ? 's' : ''}, like ${count > 1 ? '(x, y)' : 'x'} -> …`,
      Number(offset),
    );
  return names as [string, string];
}

const bodyOf = (node: TreeNode): TreeNode => node['expr'] as TreeNode;

/** Builds `list_transform([value], name -> body)[1]`. */
function bind(name: string, value: TreeNode, body: TreeNode): TreeNode {
  const list = call('list_value', [{ ...value, alias: '' }]);
  return extract(call('list_transform', [list, lambda(name, body)]), integer(1));
}

/** Builds `lambda names: body`. */
export function lambda(names: string | string[], body: TreeNode): TreeNode {
  const lhs = Array.isArray(names) ? { ...call('row', names.map(column)), schema: 'main' } : column(names);
  return { ...expression('LAMBDA', 'LAMBDA'), lhs, expr: body };
}

/** Names a column or a parameter. */
export const column = (name: string): TreeNode => ({
  ...expression('COLUMN_REF', 'COLUMN_REF'),
  column_names: [name],
});

const constant = (type: string, value: unknown): TreeNode => ({
  ...expression('CONSTANT', 'VALUE_CONSTANT'),
  value: {
    type: { id: type, type_info: null },
    is_null: value === undefined,
    ...(value !== undefined && { value }),
  },
});

const integer = (value: number): TreeNode => constant('INTEGER', value);

const extract = (list: TreeNode, place: TreeNode): TreeNode => ({
  ...expression('OPERATOR', 'ARRAY_EXTRACT'),
  children: [list, place],
});

const field = (struct: TreeNode, name: string): TreeNode => ({
  ...expression('OPERATOR', 'STRUCT_EXTRACT'),
  children: [struct, constant('VARCHAR', name)],
});

/** Builds a call of a function. */
export function call(name: string, children: TreeNode[], isOperator = false): TreeNode {
  return {
    ...expression('FUNCTION', 'FUNCTION'),
    function_name: name,
    schema: '',
    children,
    filter: null,
    order_bys: { type: 'ORDER_MODIFIER', orders: [] },
    distinct: false,
    is_operator: isOperator,
    export_state: false,
    catalog: '',
  };
}

/** Replaces a node by another, under its alias. */
function become(node: TreeNode, other: TreeNode): void {
  const { alias } = node;
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, other, { alias });
}
