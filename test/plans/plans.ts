import { DatabaseSync } from 'node:sqlite';

/** SQLite's plan of a statement. */
export interface Plan {
  statement: string;
  /** One line a step, as `EXPLAIN QUERY PLAN` prints them (https://www.sqlite.org/eqp.html). */
  steps: string[];
}

/** A step whose cost grows with rows outside the result. */
export interface Fault {
  statement: string;
  step: string;
}

export interface Schema {
  tables: ReadonlySet<string>;
  /** Partial indexes. */
  partialIndexes: ReadonlySet<string>;
}

/** Schema of a database file, and plans of the statements that read or change rows. */
export function explain(path: string, statements: readonly string[]): { schema: Schema; plans: Plan[] } {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const plans = statements
      .map((statement) => statement.replace(/\s+/g, ' ').trim())
      .filter((statement) => /^(with|select|update|delete) /i.test(statement))
      .map((statement) => ({ statement, steps: stepsOf(database, statement) }));
    return { schema: schemaOf(database), plans };
  } finally {
    database.close();
  }
}

function stepsOf(database: DatabaseSync, statement: string): string[] {
  const rows = database.prepare(`explain query plan ${statement}`).all();
  return rows.map((row) => String(row['detail']));
}

function schemaOf(database: DatabaseSync): Schema {
  const rows = database.prepare('select type, name, sql from sqlite_master').all();
  const named = (kind: string, text: RegExp): Set<string> =>
    new Set(
      rows.filter(({ type, sql }) => type === kind && text.test(`${sql}`)).map(({ name }) => `${name}`),
    );
  return { tables: named('table', /./), partialIndexes: named('index', /\bwhere\b/i) };
}

/** Scans of whole tables, sorts for the sake of one page, and searches with fewer conditions than the statement. */
export function faultsOf({ statement, steps }: Plan, { tables, partialIndexes }: Schema): Fault[] {
  const isFault = (step: string, at: number): boolean => {
    const [, scanned, index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step) ?? [];
    if (scanned !== undefined) return tables.has(tableOf(statement, scanned)) && !partialIndexes.has(index);
    if (step === 'USE TEMP B-TREE FOR ORDER BY') return wantsPart(statement);
    return at === 0 && isRemoval(statement)
      ? isOfWholeOwner(statement, step)
      : forgetsProject(statement, step);
  };
  return steps.filter(isFault).map((step) => ({ statement, step }));
}

/** Steps name tables as the statement does. */
function tableOf(statement: string, name: string): string {
  const [, table = name] = new RegExp(`"?(\\w+)"? as "?${name}"?\\b`, 'i').exec(statement) ?? [];
  return table;
}

/** A statement for all rows may sort them. */
const wantsPart = (statement: string): boolean => /\blimit (\?|\d+)$/i.test(statement);

/** Steps of a walk: some rows at a time. */
const isRemoval = (statement: string): boolean => /^delete .*\blimit (\?|\d+)/i.test(statement);

/** Returns whether a search covers all of a project or account instead of the rows with these keys. */
function isOfWholeOwner(statement: string, step: string): boolean {
  const [, owner] = /\(((?:project|account)_id)=\?\)$/.exec(step) ?? [];
  return owner !== undefined && !statement.includes(`"${owner}" in (`);
}

/** Returns whether a search covers all of an account although the project is named. */
function forgetsProject(statement: string, step: string): boolean {
  const [, table] = /^SEARCH (\w+) .*\(account_id=\?/.exec(step) ?? [];
  return table !== undefined && new RegExp(`(^|[ (])("${table}"\\.)?"project_id" = \\?`).test(statement);
}
