import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRemotely, TrinoRefused } from '../../../packages/engine/src/cluster/client.ts';
import { rowsOfPages } from '../../../packages/engine/src/cluster/pages.ts';
import type { Signatures } from '../../../packages/engine/src/cluster/proof.ts';
import { translateStatement } from '../../../packages/engine/src/cluster/translate.ts';
import { trinoType } from '../../../packages/engine/src/cluster/types.ts';
import { dialect } from '../../../packages/engine/src/dialect/macros.ts';
import type { DuckdbSql } from '../../../packages/engine/src/duckdb.ts';
import { openSql } from '../../../packages/engine/src/engine.fixture.ts';
import type { RemoteView } from '../../../packages/engine/src/engine.ts';
import { checkStatement, type SyntaxTrees } from '../../../packages/engine/src/guard/check.ts';
import { engineDefaults } from '../../../packages/engine/src/index.ts';
import { columnsOf, planResult } from '../../../packages/engine/src/task-runtime/result-file.ts';
import { TrinoClient } from '../../support/trino.ts';
import {
  edges,
  furtherDoubles,
  groupsOf,
  groupsOfEdges,
  isHuge,
  literalOf,
  manyDoubles,
  tableOf,
} from './edges.ts';

/** Column of a result, as the local engine names its type. */
interface ResultColumn {
  name: string;
  type: string;
}

/** Rows of a result as the lines of its CSV file. */
export type Lines = readonly string[];

/** Both engines over the same tables of edges. */
export class Engines {
  readonly views: RemoteView[];
  readonly #folder: string;
  readonly #sql: DuckdbSql;
  readonly #trees: SyntaxTrees;
  readonly #port: number;
  readonly #client: TrinoClient;

  private constructor(folder: string, sql: DuckdbSql, port: number) {
    this.#folder = folder;
    this.#sql = sql;
    this.#port = port;
    this.#trees = {
      serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
      deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
    };
    this.#client = new TrinoClient(`http://127.0.0.1:${port}`, 'none', {
      'x-trino-catalog': 'ploidy',
      'x-trino-schema': 'default',
      'x-trino-time-zone': 'UTC',
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
    });
    this.views = Object.keys(edges).flatMap((type) => [
      viewOf(tableOf(type), [
        { name: 'i', type: 'BIGINT' },
        { name: 'v', type },
      ]),
      viewOf(groupsOf(type), [
        { name: 'g', type: 'BIGINT' },
        { name: 'v', type },
      ]),
    ]);
    this.views.push(
      viewOf(manyDoubles, [
        { name: 'i', type: 'BIGINT' },
        { name: 'v', type: 'DOUBLE' },
      ]),
    );
  }

  /** `port`: of a Trino whose catalogue `ploidy` keeps tables in memory. */
  static async open(port: number): Promise<Engines> {
    const folder = mkdtempSync(join(tmpdir(), 'ploidy-equality-'));
    const sql = await openSql(folder);
    await sql.run("SET TimeZone = 'UTC'; SET disabled_optimizers = 'common_subexpressions'");
    const engines = new Engines(folder, sql, port);
    for (const type of Object.keys(edges)) await engines.#fill(type);
    await sql.run(`CREATE TABLE ${manyDoubles} AS ${furtherDoubles('range(1, 4001) AS t(n)')}`);
    await engines.trino(`DROP TABLE IF EXISTS ${manyDoubles}`);
    const numbers = "UNNEST(sequence(BIGINT '1', BIGINT '4000')) AS t(n)";
    await engines.trino(`CREATE TABLE ${manyDoubles} AS ${furtherDoubles(numbers)}`);
    await sql.run(dialect);
    return engines;
  }

  /** Rows are in another order in Trino: what depends on it is not proven. */
  async #fill(type: string): Promise<void> {
    const values = edges[type] ?? [];
    const groups = groupsOfEdges(values.length);
    const rowsOf = (nameOf: (type: string) => string) => {
      const literals = values.map((edge) => literalOf(type, edge, nameOf));
      const missing = `CAST(NULL AS ${nameOf(type)})`;
      return {
        [tableOf(type)]: [...literals, missing].map((value, at) => `(${at + 1}, ${value})`),
        [groupsOf(type)]: groups.flatMap((group, at) =>
          (group.length > 0 ? group : [-1])
            .filter((edge) => !isHuge(type, values[edge] ?? ''))
            .map((edge) => `(${at + 1}, ${literals[edge] ?? missing})`),
        ),
      };
    };
    for (const [table, rows] of Object.entries(rowsOf((name) => name)))
      await this.#sql.run(
        `CREATE TABLE "${table}" AS SELECT CAST(column0 AS BIGINT) AS ${table[0] === 'e' ? 'i' : 'g'}, column1 AS v FROM (VALUES ${rows.join(', ')}) AS t(column0, column1)`,
      );
    for (const [table, rows] of Object.entries(rowsOf(trinoType))) {
      await this.trino(`DROP TABLE IF EXISTS "${table}"`);
      await this.trino(
        `CREATE TABLE "${table}" AS SELECT CAST(n AS BIGINT) AS ${table[0] === 'e' ? 'i' : 'g'}, v FROM (VALUES ${rows.toReversed().join(', ')}) AS t(n, v)`,
      );
    }
  }

  /** Runs a statement of Trino's own; returns its rows and the types of its columns. */
  async trino(sql: string): Promise<{ rows: unknown[][]; types: string[] }> {
    const { rows, columns, error } = await this.#client.run(sql);
    if (error) throw new TrinoRefused(String(error.errorName));
    return { rows, types: columns.map(({ type }) => type) };
  }

  /** Returns the columns of a statement that the guard lets pass, and its text for the local engine. */
  async bound(statement: string): Promise<{ sql: string; columns: ResultColumn[] }> {
    const names = this.views.map(({ name }) => name);
    const { sql } = await checkStatement(statement, names, engineDefaults.check, this.#trees);
    const columns = await columnsOf(this.#sql, sql);
    return { sql, columns: columns.map(({ header, type }) => ({ name: header, type: type.name })) };
  }

  /** Returns the type of the first column of a statement, without asking the guard. */
  async typeOf(statement: string): Promise<string | undefined> {
    return this.#sql.columns(statement).then(
      ([column]) => column?.type.name,
      () => undefined,
    );
  }

  /** Returns a statement in Trino's SQL. */
  translated(statement: string, types: string[], signatures: Signatures): Promise<string> {
    const task = { sql: statement, isMasked: false, views: this.views, namespace: 'default', types };
    return translateStatement(task, this.#trees, signatures);
  }

  /** Runs a statement that passed the guard. */
  async local(sql: string): Promise<Lines> {
    const path = join(this.#folder, 'local.csv');
    await (await planResult(this.#sql, sql, path)).write();
    return linesOf(readFileSync(path, 'utf8'));
  }

  /**
   * Runs a statement of Trino's, and reads its rows as the service does. `isLenient`: columns are pairs of a state and a
   * value, and values that cannot be read have the state of failures.
   */
  async remote(sql: string, columns: ResultColumn[], isLenient = false): Promise<Lines> {
    const pages = join(this.#folder, 'pages.json');
    writeFileSync(pages, '');
    const address = {
      url: new URL(`http://127.0.0.1:${this.#port}`),
      catalog: 'ploidy',
      user: 'test',
      password: '',
    };
    const statement = {
      sql,
      name: 'test',
      token: 'none',
      rowCount: 0,
      runTimeMaxMs: 600_000,
      bytesMax: 2 ** 31,
    };
    const read = await runRemotely(address, statement, pages, new AbortController().signal);
    const { relation, list } = rowsOfPages(pages, read, columns);
    const path = join(this.#folder, 'remote.csv');
    const written = async (columnsText: string): Promise<void> => {
      await (await planResult(this.#sql, `SELECT ${columnsText} FROM (${relation}) AS _rows`, path)).write();
    };
    // The service runs a statement itself whose rows it cannot read.
    await written(list).catch(async (error) => {
      if (!isLenient) throw new TrinoRefused(String(error).slice(0, 80));
      await written(readableOf(columns));
    });
    return linesOf(readFileSync(path, 'utf8'));
  }

  close(): void {
    this.#sql.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns pairs of states and values, where values that cannot be read are failures. */
function readableOf(columns: ResultColumn[]): string {
  return columns
    .map(({ type }, at) => {
      if (at % 2 === 1) return `TRY_CAST(r[${at + 1}] AS ${type}) AS c${at}`;
      const value = `r[${at + 2}]`;
      const isUnreadable = `${value} IS NOT NULL AND TRY_CAST(${value} AS ${columns[at + 1]?.type}) IS NULL`;
      return `CASE WHEN NOT (${isUnreadable}) THEN r[${at + 1}] END AS s${at}`;
    })
    .join(', ');
}

const viewOf = (name: string, columns: ResultColumn[]): RemoteView => ({
  name,
  sql: `SELECT ${columns.map((column) => `"${column.name}"`).join(', ')} FROM lake."${name}"`,
  columns,
});

/** Splits a file of CSV into rows, the names of the columns left out. */
function linesOf(text: string): Lines {
  const lines: string[] = [];
  let line = '';
  for (const part of text.split('\n')) {
    line = line === '' ? part : `${line}\n${part}`;
    // A field in quotes may hold the end of a line.
    if ((line.split('"').length - 1) % 2 === 1) continue;
    lines.push(line);
    line = '';
  }
  return lines.slice(1, -1);
}

/** Splits a row of CSV into its fields. */
export function fieldsOf(line: string): string[] {
  return Array.from(`,${line}`.matchAll(/,((?:"(?:[^"]|"")*")|[^,]*)/gs), ([, field = '']) => field);
}
