import { headersOf } from '../../task-runtime/column-names.ts';
import { Refusal } from '../refusal.ts';
import { caseOf, conjunction, constantOf, expression, type Place, type TreeNode, walk } from '../tree.ts';
import { revealingAggregates, revealingFunctions, summaries } from './aggregates.ts';

/** Column with the patient of a row, by table. */
const patient = '_patient';
const advice = 'masked data are given as counts and sums over many patients only, so';

/**
 * Makes a statement leave out results about fewer than `countsMin` patients, or refuses it: it must be one SELECT over joined
 * tables. A group of too few patients is omitted from the result; a count, sum or mean of too few is NULL. So are those in
 * which one patient has more than half of the rows: joins can repeat them until a mean is that of one person. Each table of a
 * join needs as many patients; otherwise one person's rows, joined with all others, would pass. Remaining disclosures:
 * docs/privacy.md.
 */
export function leaveOutSmallCounts(statement: TreeNode, countsMin: number): void {
  const query = statement['node'] as TreeNode;
  if (query['type'] !== 'SELECT_NODE') throw refused('one SELECT is needed, without UNION or the like');
  const named = (query['cte_map'] as TreeNode)['map'] as unknown[];
  if (named.length > 0) throw refused('WITH cannot be used');
  if (query['qualify'] !== null) throw refused('QUALIFY cannot be used');
  if (query['sample'] !== null) throw refused('samples cannot be taken');
  const tables = tablesOf(query['from_table'] as TreeNode);
  const summarised = checkExpressions(statement);
  if (tables.length === 0) return;
  tryCasts(statement);
  nameColumns(query['select_list'] as TreeNode[], summarised);
  for (const { holder, key, node } of summarised) {
    const enough = tables.flatMap((table) => manyPatients(table, contributing(node), countsMin));
    holder[key] = orNothing(all(enough), node);
  }
  const own = query['having'] as TreeNode | null;
  const enough = tables.flatMap((table) => manyPatients(table, null, countsMin));
  query['having'] = all(own === null ? enough : [own, ...enough]);
}

/** Names that qualify the columns of the joined tables. */
function tablesOf(from: TreeNode): string[] {
  const kind = from['type'];
  if (kind === 'EMPTY') return [];
  if (from['sample'] !== null) throw refused('samples cannot be taken');
  if (kind === 'JOIN') {
    if (from['ref_type'] !== 'REGULAR' && from['ref_type'] !== 'CROSS') {
      throw refused('NATURAL, POSITIONAL and ASOF joins cannot be used');
    }
    if (from['join_type'] === 'SEMI' || from['join_type'] === 'ANTI') {
      throw refused('SEMI and ANTI joins cannot be used');
    }
    return [...tablesOf(from['left'] as TreeNode), ...tablesOf(from['right'] as TreeNode)];
  }
  if (kind !== 'BASE_TABLE') throw refused('FROM may only name tables');
  if ((from['column_name_alias'] as unknown[]).length > 0)
    throw refused('columns of a table keep their names');
  const alias = from['alias'];
  return [typeof alias === 'string' && alias !== '' ? alias : String(from['table_name'])];
}

/** Refuses expressions that disclose single rows; returns the aggregates. */
function checkExpressions(statement: TreeNode): Place[] {
  const found: Place[] = [];
  walk(statement, (place) => {
    const { node } = place;
    switch (node['class']) {
      case 'SUBQUERY':
        throw refused('a statement inside the statement cannot be used');
      case 'WINDOW':
        throw refused('window functions cannot be used');
      case 'STAR':
        throw refused('* is possible in count(*) alone');
      case 'COLUMN_REF':
        checkColumn(node);
        return true;
      case 'FUNCTION':
        if (isSummary(node)) found.push(place);
        return true;
      default:
        return true;
    }
  });
  return found;
}

function checkColumn(node: TreeNode): void {
  const names = node['column_names'] as string[];
  if (names.some((name) => name.toLowerCase() === patient)) throw refused(`there is no column "${patient}"`);
}

function isSummary(node: TreeNode): boolean {
  const name = String(node['function_name']).toLowerCase();
  if (revealingAggregates.has(name) || revealingFunctions.has(name)) {
    throw refused(`${name} cannot be used; there are count, sum, avg, stddev, variance`);
  }
  if (!summaries.has(name)) return false;
  const children = node['children'] as TreeNode[];
  if (children.length > 1 || children.some((child) => child['class'] !== 'COLUMN_REF')) {
    throw refused(`${name} takes a column as it is; conditions belong into FILTER (WHERE …)`);
  }
  return true;
}

/** Names an aggregate, which would otherwise have the whole surrounding expression as its name. */
function nameColumns(columns: TreeNode[], summarised: readonly Place[]): void {
  const aggregates = new Set(summarised.map(({ node }) => node));
  for (const column of columns) {
    if (!aggregates.has(column) || column['alias'] !== '') continue;
    [column['alias']] = headersOf([calledBy(column)], new Set());
  }
}

/** Returns the engine's spelling of a call, as far as headers need it. */
function calledBy({ schema, function_name, distinct }: TreeNode): string {
  const name = schema === '' ? function_name : `${schema}.${function_name}`;
  return `${name}(${distinct === true ? 'DISTINCT ' : ''})`;
}

/** Returns the condition of the rows that count in an aggregate: they pass its filter, and its argument is not NULL. */
function contributing(aggregate: TreeNode): TreeNode | null {
  const [argument] = aggregate['children'] as TreeNode[];
  const filter = aggregate['filter'] as TreeNode | null;
  const isThere = argument && {
    ...expression('OPERATOR', 'OPERATOR_IS_NOT_NULL'),
    children: [argument],
  };
  const parts = [filter, isThere].filter((part) => part !== null && part !== undefined);
  return parts.length === 0 ? null : all(parts);
}

/** Conditions that a table has enough patients, without one who has more than half of the rows (a dominance rule). */
function manyPatients(table: string, filter: TreeNode | null, countsMin: number): TreeNode[] {
  const ofPatients = { children: [column(table, patient)], filter };
  const rowsOfOne = call('list_max', {
    children: [call('map_values', { children: [call('histogram', ofPatients)] })],
  });
  const rows = call('count', ofPatients);
  const patients = call('count', { ...ofPatients, distinct: true });
  const doubled = call('*', { children: [constantOf(2), rowsOfOne], is_operator: true });
  return [minOf(patients, constantOf(countsMin)), minOf(rows, doubled)];
}

function column(table: string, name: string): TreeNode {
  return { ...expression('COLUMN_REF', 'COLUMN_REF'), column_names: [table, name] };
}

function minOf(left: TreeNode, right: TreeNode): TreeNode {
  return { ...expression('COMPARISON', 'COMPARE_GREATERTHANOREQUALTO'), left, right };
}

function call(name: string, fields: TreeNode): TreeNode {
  return {
    ...expression('FUNCTION', 'FUNCTION'),
    function_name: name,
    schema: '',
    filter: null,
    order_bys: { type: 'ORDER_MODIFIER', orders: [] },
    distinct: false,
    is_operator: false,
    export_state: false,
    catalog: '',
    ...fields,
  };
}

/** Turns casts into TRY_CAST: the failure of a statement would reveal a bit about the row that a condition selects. */
function tryCasts(statement: TreeNode): void {
  walk(statement, ({ node }) => {
    if (node['class'] === 'CAST') node['try_cast'] = true;
    return true;
  });
}

const all = (parts: TreeNode[]): TreeNode => conjunction('AND', parts);

function orNothing(condition: TreeNode, value: TreeNode): TreeNode {
  const missing = { type: { id: 'NULL', type_info: null }, is_null: true };
  const nothing = { ...expression('CONSTANT', 'VALUE_CONSTANT'), value: missing };
  return { ...caseOf(condition, { ...value, alias: '' }, nothing), alias: value['alias'] };
}

const refused = (what: string): Refusal => new Refusal(`${advice} ${what}`);
