import { meantName } from '@ploidy/formats/nearest';
import { allowedFunctions, allowedTableFunctions } from './functions.ts';
import { type Family, grammar, type Rule } from './grammar.ts';
import { Refusal } from './refusal.ts';
import { dialectNames } from './rewrite/dialect-names.ts';

export interface InspectionLimits {
  nodesMax: number;
  /** Counts mentions of tables in the whole statement. */
  tablesMax: number;
}

type Node = Record<string, unknown>;

/** WITH queries that may be read at a place, the last one first; names in lower case. */
type Scope = { name: string; earlier: Scope } | undefined;

interface Visit {
  value: unknown;
  rule: Rule;
  scope: Scope;
}

const namedQueryName = /^[a-z_][a-z0-9_]*$/;
/** The engine's own catalogue views; a WITH query of such a name could hide the view outside its scope. */
const catalogueName = /^(duckdb_|pg_|pragma_|sqlite_|information_schema)/;
const anonymous = new Set(['', 'main']);

/**
 * Walks a syntax tree and refuses everything that the grammar, the functions or the tables do not allow.
 *
 * @param tables The project's tables: name in lower case → its spelling. @returns Spellings of the tables that the statement
 * names.
 */
export function inspect(
  statement: unknown,
  tables: ReadonlyMap<string, string>,
  limits: InspectionLimits,
): Set<string> {
  const used = new Set<string>();
  const visits: Visit[] = [{ value: statement, rule: 'statement', scope: undefined }];
  let nodes = 0;
  let mentions = 0;
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    const { value, rule, scope } = visit;
    if (Array.isArray(value)) {
      if (rule === 'empty' && value.length > 0) throw unsupported();
      visits.push(...visitsOf(value, rule, scope));
    } else if (isNode(value)) {
      nodes += 1;
      if (nodes > limits.nodesMax) throw new Refusal(tooLarge(limits));
      if (rule === 'data') {
        visitData(value, visits, scope);
      } else if (rule === 'plain' || rule === 'empty') {
        throw unsupported();
      } else {
        if (rule === 'table' && value['type'] === 'BASE_TABLE') {
          mentions += 1;
          if (mentions > limits.tablesMax) throw new Refusal(tooLarge(limits), offsetOf(value));
          const table = resolveTable(value, tables, scope);
          if (table !== undefined) used.add(table);
        }
        visitNode(value, rule, visits, scope);
      }
    } else if (!isScalarAllowed(value, rule)) {
      throw unsupported();
    }
  }
  return used;
}

/** Backwards, so that the reported error is the first in the text. */
function visitsOf(list: readonly unknown[], rule: Rule, scope: Scope): Visit[] {
  const scopes = rule === 'namedQuery' ? scopesInTurn(list, scope) : [];
  return list.map((value, index) => ({ value, rule, scope: scopes[index] ?? scope })).toReversed();
}

function visitNode(node: Node, family: Family, visits: Visit[], outer: Scope): void {
  const { discriminator, kinds } = grammar[family];
  const kind = discriminator === null ? '' : node[discriminator];
  const fields = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (fields === undefined) throw refusedKind(String(kind), node);
  if (family === 'expression' && (kind === 'FUNCTION' || kind === 'WINDOW')) {
    checkFunction(node, allowedFunctions);
  } else if (family === 'tableFunction') {
    checkFunction(node, allowedTableFunctions);
  }
  const inner = family === 'query' ? withNamedQueries(node, outer) : outer;
  for (const [name, value] of Object.entries(node).toReversed()) {
    const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (rule === undefined) throw unsupported(offsetOf(node));
    visits.push({ value, rule, scope: scopeOf(name, node, outer, inner) });
  }
}

/** Constants and types hold objects of many shapes, but never a node in them. */
function visitData(value: Node, visits: Visit[], scope: Scope): void {
  for (const [name, item] of Object.entries(value)) {
    if (name === 'class' || name === 'node' || name === 'function_name' || name === 'table_name') {
      throw unsupported();
    }
    visits.push({ value: item, rule: 'data', scope });
  }
}

function isScalarAllowed(value: unknown, rule: Rule): boolean {
  if (rule === 'plain' || rule === 'data' || value === null) return true;
  return rule === 'empty' && (value === '' || value === false);
}

function resolveTable(node: Node, tables: ReadonlyMap<string, string>, scope: Scope): string | undefined {
  const written = text(node, 'table_name');
  const schema = text(node, 'schema_name').toLowerCase();
  if (text(node, 'catalog_name') !== '' || !anonymous.has(schema)) {
    throw new Refusal(
      `"${written}" must be written without a schema or catalogue in front of it`,
      offsetOf(node),
      'schema',
      schema,
    );
  }
  const name = written.toLowerCase();
  // A WITH query precedes the table of its name.
  if (schema === '' && isNamed(name, scope)) return undefined;
  const table = tables.get(name);
  if (table === undefined) {
    const near = meant(written, [...tables.values()]);
    const hint = near || '; GET /v1/analytics/data-lake/schema lists its tables';
    const message = `there is no table "${written}" in this project${hint}`;
    throw new Refusal(message, offsetOf(node), 'table', written);
  }
  return table;
}

/**
 * Returns the relations that the part of a query in the field `name` may read. A WITH query reads those before it, and itself
 * only in the repeated part of WITH RECURSIVE: elsewhere its name is a table's.
 */
function scopeOf(name: string, node: Node, outer: Scope, inner: Scope): Scope {
  if (name === 'cte_map') return outer;
  if (node['type'] === 'RECURSIVE_CTE_NODE' && name === 'right')
    return withName(text(node, 'cte_name'), inner);
  return inner;
}

/** Extends the outer scope of a query by the names of its own WITH. */
function withNamedQueries(node: Node, outer: Scope): Scope {
  const map = isNode(node['cte_map']) ? node['cte_map']['map'] : undefined;
  return Array.isArray(map) ? scopesInTurn(map, outer).at(-1) : outer;
}

/** Returns the scope of each WITH query of a list, and the one after the last. */
function scopesInTurn(entries: readonly unknown[], outer: Scope): Scope[] {
  const scopes = [outer];
  for (const entry of entries) scopes.push(withName(isNode(entry) ? text(entry, 'key') : '', scopes.at(-1)));
  return scopes;
}

function withName(written: string, earlier: Scope): Scope {
  const name = written.toLowerCase();
  if (!namedQueryName.test(name) || catalogueName.test(name)) {
    throw new Refusal(
      `the name "${written}" of a WITH query must be made of letters, digits and _, and be no catalogue name`,
    );
  }
  return { name, earlier };
}

function isNamed(name: string, scope: Scope): boolean {
  for (let place = scope; place; place = place.earlier) if (place.name === name) return true;
  return false;
}

function checkFunction(node: Node, allowed: ReadonlySet<string>): void {
  const written = text(node, 'function_name');
  const name = written.toLowerCase();
  if (allowed.has(name) || (allowed === allowedFunctions && dialectNames.has(name))) return;
  if (written.includes('`')) throw new Refusal('names stand in double quotes, not in `', offsetOf(node));
  const place = allowed === allowedTableFunctions ? ' in FROM' : '';
  const near = meant(written, [...allowed, ...(allowed === allowedFunctions ? dialectNames : [])]);
  const message = `the function "${written}" does not exist or may not be used${place}${near}`;
  throw new Refusal(message, offsetOf(node), 'function', written);
}

/** Proposes the known name that was probably meant. */
function meant(written: string, known: readonly string[]): string {
  const near = meantName(written, known);
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}

function refusedKind(kind: string, node: Node): Refusal {
  if (kind === 'PARAMETER') {
    return new Refusal('parameters (? and $1) cannot be used: write the values');
  }
  if (kind === 'SHOW_REF') {
    return new Refusal(
      'DESCRIBE, SHOW and SUMMARIZE cannot be used: GET /v1/analytics/data-lake/schema lists tables and columns',
    );
  }
  return unsupported(offsetOf(node));
}

function unsupported(offset?: number): Refusal {
  return new Refusal('the statement uses a form of SQL that is not supported here', offset);
}

function tooLarge(limits: InspectionLimits): string {
  return `the statement is too large: at most ${limits.nodesMax} elements and ${limits.tablesMax} tables`;
}

function offsetOf(node: Node): number | undefined {
  const location = node['query_location'];
  // The engine writes 2^64-1 for "unknown".
  return typeof location === 'number' && Number.isSafeInteger(location) ? location : undefined;
}

function text(node: Node, field: string): string {
  const value = node[field];
  if (typeof value !== 'string') throw unsupported(offsetOf(node));
  return value;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
