import type { BoundStatement, TableShape } from '../engine.ts';
import { headersOf, writtenNames } from '../task-runtime/column-names.ts';
import { identifier } from '../task-runtime/quote.ts';
import { refuseAmbiguousColumns } from './ambiguous-columns.ts';
import { inOwnWords } from './binder-words.ts';
import { keepDoubles } from './check.ts';
import { estimate, type PlanNode, planSteps } from './plan.ts';
import { Refusal, type RefusalKind } from './refusal.ts';
import { withRespelled } from './spelling/respell.ts';
import { refuseNumbersForTexts } from './text-comparisons.ts';

/** Engine without data or files: statements are planned in it, and never run. */
export interface Planner {
  run(sql: string): Promise<unknown>;
  columns(sql: string): Promise<{ name: string; type: { name: string } }[]>;
  /** The plan as JSON. */
  explain(sql: string): Promise<string>;
  /** The syntax tree as JSON. */
  serialize(sql: string): Promise<string>;
  close(): void;
}

/** Kinds of errors that the author of a statement can correct; others do not concern the statement. */
const mendable = new Set([
  'Binder',
  'Catalog',
  'Parser',
  'Syntax',
  'Not implemented',
  'Invalid Input',
  'Mismatch Type',
  'Expression',
  'Conversion',
  'Out of Range',
]);

/** Kinds of errors by the engine's names. */
const kinds: Readonly<Record<string, RefusalKind>> = {
  COLUMN_NOT_FOUND: 'column',
  NO_MATCHING_FUNCTION: 'function',
  SYNTAX_ERROR: 'syntax',
};

/** Statement that passed the guard: as it was sent, and as it will run, where functions of the dialect have their own names. */
interface SentStatement {
  sql: string;
  checked: string;
  /** Set if only an error is of interest, which takes half the time. */
  isOnlyProved: boolean;
}

/**
 * Describes the result of a statement that passed the guard. Refuses unknown columns and unfit types; other errors show only when it
 * runs.
 */
export async function bindStatement(
  sent: SentStatement,
  tables: readonly TableShape[],
  planner: Planner,
): Promise<BoundStatement | undefined> {
  return withRespelled(sent.sql, (sql) => bindRespelled({ ...sent, sql }, tables, planner));
}

async function bindRespelled(
  { sql, checked, isOnlyProved }: SentStatement,
  tables: readonly TableShape[],
  planner: Planner,
): Promise<BoundStatement | undefined> {
  // All accounts share the planner: the next statement must not find the tables of this one.
  await planner.run('BEGIN');
  try {
    for (const table of tables) await planner.run(emptyView(table));
    const bound = isOnlyProved
      ? void (await planner.columns(checked))
      : await bindText(checked, tables, planner);
    const [statement] = JSON.parse(keepDoubles(await planner.serialize(sql))).statements;
    refuseAmbiguousColumns(statement, tables);
    refuseNumbersForTexts(statement, tables);
    return bound;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const columns = tables.flatMap((table) => table.columns.map(({ name }) => name));
    throw (await placedRefusal(error, { sql, columns }, planner)) ?? error;
  } finally {
    await planner.run('ROLLBACK');
  }
}

/** Returns the refusal of the checked statement, with the offset of the same error in the text that was sent. */
async function placedRefusal(
  error: unknown,
  context: { sql: string; columns: readonly string[] },
  planner: Planner,
): Promise<Refusal | undefined> {
  const refusalFor = (failure: unknown) => refusalOf(failure, context);
  const refusal = refusalFor(error);
  if (!refusal) return undefined;
  const sent = await planner.columns(context.sql).then(() => undefined, refusalFor);
  const offset = sent?.message === refusal.message ? sent.offset : undefined;
  return refusal.at(offset);
}

async function bindText(
  sql: string,
  tables: readonly TableShape[],
  planner: Planner,
): Promise<BoundStatement> {
  const columns = await planner.columns(sql);
  const tree = JSON.parse(await planner.serialize(sql));
  const headers = headersOf(
    columns.map(({ name }) => name),
    writtenNames(tree),
  );
  const plan: PlanNode[] = JSON.parse(await planner.explain(sql));
  return {
    columns: columns.map(({ type }, index) => ({ name: headers[index] ?? '', type: type.name })),
    estimatedRows: Math.min(...plan.map(estimate), limitOf(tree)),
    plan: planSteps(plan, tables),
  };
}

/** Returns a view with these column types and row count. The planner has none of its values, and no row is computed. */
function emptyView({ name, columns, rowCount }: TableShape): string {
  const list = columns.map(
    (column) => `CAST(CAST(range AS VARCHAR) AS ${column.type}) AS ${identifier(column.name)}`,
  );
  return `CREATE VIEW ${identifier(name)} AS SELECT ${list.join(', ')} FROM range(${rowCount})`;
}

function refusalOf(
  error: unknown,
  context: { sql: string; columns: readonly string[] },
): Refusal | undefined {
  const [, json] = /^[^{]*(\{.*\})/s.exec(error instanceof Error ? error.message : '') ?? [];
  if (json === undefined) return undefined;
  const reported: Record<string, string | undefined> = JSON.parse(json);
  if (!mendable.has(reported['exception_type'] ?? '')) return undefined;
  const own = inOwnWords(reported['exception_message'] ?? '', context);
  const offset = reported['position'];
  const message = own.message.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  const kind =
    own.kind ??
    kinds[reported['error_subtype'] ?? ''] ??
    (reported['exception_type'] === 'Binder' ? 'type' : 'form');
  const place = offset === undefined ? own.offset : Number(offset);
  return new Refusal(message, place, kind, own.subject ?? reported['name']);
}

/** Returns the LIMIT of the whole statement, where it is a number. */
function limitOf(tree: {
  statements?: { node?: { modifiers?: { limit?: { value?: { value?: unknown } } | null }[] } }[];
}): number {
  const limits = (tree.statements?.[0]?.node?.modifiers ?? []).map(({ limit }) => limit?.value?.value);
  return Math.min(Number.POSITIVE_INFINITY, ...limits.filter((limit) => typeof limit === 'number'));
}
