import type { TableShape } from '../engine.ts';
import { Refusal } from './refusal.ts';
import { type TreeNode, walk } from './tree.ts';

/** Names of columns in lower case, repeated ones twice. Unknown columns (of functions or PIVOT) are left out. */
type Names = readonly string[];

/** Relations that FROM may name: tables, and WITH queries declared before. */
type Relations = ReadonlyMap<string, Names>;

/** One of the relations that FROM joins. */
interface Source {
  alias: string;
  names: Names;
}

/**
 * Refuses a column that a query in FROM or WITH has twice. The engine would silently read the first, because it renames the
 * second to `status_1`, and return wrong values. Only certain ambiguities are refused; columns of outer queries are not
 * checked.
 */
export function refuseAmbiguousColumns(statement: TreeNode, tables: readonly TableShape[]): void {
  const relations = tables.map(
    ({ name, columns }) => [lower(name), columns.map((column) => lower(column.name))] as const,
  );
  namesOf(nodeOf(statement), new Map(relations));
}

/** Returns the names of the columns of a query, and checks all of it. */
function namesOf(query: TreeNode, outer: Relations): Names {
  const relations = new Map(outer);
  for (const { key, value } of (query['cte_map'] as { map: { key: string; value: TreeNode }[] }).map) {
    // The columns of a recursive reference are still unknown.
    const names = namesOf(nodeOf(value['query']), new Map(relations).set(lower(key), []));
    relations.set(lower(key), renamed(names, value['aliases']));
  }
  if (query['type'] !== 'SELECT_NODE') {
    const [left] = [query['left'], query['right']].map((side) => namesOf(side as TreeNode, relations));
    lookInside(query['modifiers'], relations);
    return query['setop_type'] === 'UNION_BY_NAME' ? [] : (left ?? []);
  }
  const { from_table, select_list, where_clause, cte_map: _, ...rest } = query;
  const sources: Source[] = [];
  const given = namesFrom(from_table as TreeNode, relations, sources);
  const columns = select_list as TreeNode[];
  lookFor([select_list, where_clause], sources);
  // In other clauses a name may mean a column of the result.
  lookFor(rest, sources, new Set(columns.map((column) => lower(column['alias']))));
  lookInside([select_list, where_clause, rest], relations);
  return cappedAtTwo(columns.flatMap((column) => namesOfColumn(column, sources, given)));
}

/** Returns the names that `*` expands to; adds joined relations to `sources`. */
function namesFrom(from: TreeNode, relations: Relations, sources: Source[]): Names {
  if (from['type'] === 'JOIN') return namesOfJoin(from, relations, sources);
  const named = lower(from['table_name'] ?? '');
  let names: Names = [];
  if (from['type'] === 'SUBQUERY') names = namesOf(nodeOf(from['subquery']), relations);
  else if (from['type'] === 'PIVOT') namesFrom(from['source'] as TreeNode, relations, []);
  else if (from['type'] === 'BASE_TABLE' && from['schema_name'] === '') names = relations.get(named) ?? [];
  else lookInside(from, relations);
  const seen = renamed(names, from['column_name_alias']);
  sources.push({ alias: lower(from['alias']) || named, names: seen });
  return seen;
}

function namesOfJoin(join: TreeNode, relations: Relations, sources: Source[]): Names {
  const joined: Source[] = [];
  const left = namesFrom(join['left'] as TreeNode, relations, joined);
  const right = namesFrom(join['right'] as TreeNode, relations, joined);
  lookFor(join['condition'], joined);
  lookInside(join['condition'], relations);
  sources.push(...joined);
  if (join['join_type'] === 'SEMI' || join['join_type'] === 'ANTI') return left;
  const shared = join['ref_type'] === 'NATURAL' ? left : (join['using_columns'] as string[]).map(lower);
  return cappedAtTwo([...left, ...right.filter((name) => !shared.includes(name))]);
}

function namesOfColumn(column: TreeNode, sources: readonly Source[], given: Names): Names {
  if (column['class'] === 'STAR') {
    const { relation_name, exclude_list, qualified_exclude_list, rename_list, columns } = column;
    if (columns === true || [qualified_exclude_list, rename_list].some((list) => (list as []).length > 0))
      return [];
    const alias = lower(relation_name);
    const all =
      alias === '' ? given : sources.flatMap((source) => (source.alias === alias ? source.names : []));
    const excluded = (exclude_list as string[]).map(lower);
    return all.filter((name) => !excluded.includes(name));
  }
  if (column['alias'] !== '') return [lower(column['alias'])];
  return column['class'] === 'COLUMN_REF' ? [lower((column['column_names'] as string[]).at(-1))] : [];
}

/** Returns the names after column aliases; some may be missing, so that their order is unknown. */
function renamed(names: Names, aliases: unknown): Names {
  return Array.isArray(aliases) && aliases.length > 0 ? cappedAtTwo(aliases.map(lower)) : names;
}

/** Refuses columns of a part of a query that one of its sources has twice, unless `answered` contains them. */
function lookFor(part: unknown, sources: readonly Source[], answered?: ReadonlySet<string>): void {
  const twice = sources.filter(({ names }) => new Set(names).size < names.length);
  if (twice.length === 0) return;
  walk({ part }, ({ node }) => {
    if (node['class'] === 'COLUMN_REF') refuseTwice(node, twice, answered);
    // Variables of a lambda and columns of a subquery have their own scope.
    return node['class'] !== 'LAMBDA' && node['class'] !== 'SUBQUERY';
  });
}

function refuseTwice(column: TreeNode, sources: readonly Source[], answered?: ReadonlySet<string>): void {
  const written = column['column_names'] as string[];
  const [name = '', alias] = written.map(lower).reverse();
  if (written.length > 2 || (alias === undefined && answered?.has(name))) return;
  const found = sources.find(
    (source) =>
      (alias === undefined || alias === source.alias) &&
      source.names.indexOf(name) < source.names.lastIndexOf(name),
  );
  if (!found) return;
  const query = found.alias === '' ? 'a query in FROM' : `"${found.alias}"`;
  const location = column['query_location'];
  throw new Refusal(
    `the column "${written.at(-1)}" is ambiguous: ${query} has two of this name; give them names of their own there, with AS`,
    typeof location === 'number' && Number.isSafeInteger(location) ? location : undefined,
  );
}

/** Checks the subqueries of expressions. */
function lookInside(part: unknown, relations: Relations): void {
  walk({ part }, ({ node }) => {
    if (node['class'] === 'SUBQUERY') namesOf(nodeOf(node['subquery']), relations);
    if (node['class'] === 'SUBQUERY') lookInside(node['child'], relations);
    return node['class'] !== 'SUBQUERY';
  });
}

/** Limits repetitions to two: their number could double with every WITH query. */
function cappedAtTwo(names: Names): Names {
  const counts = new Map<string, number>();
  return names.filter((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= 2;
  });
}

const nodeOf = (statement: unknown): TreeNode => (statement as TreeNode)['node'] as TreeNode;

const lower = (name: unknown): string => String(name).toLowerCase();
