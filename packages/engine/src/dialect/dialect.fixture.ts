import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { DuckdbSql } from '../duckdb.ts';
import { openSql } from '../engine.fixture.ts';
import { checkStatement, type SyntaxTrees } from '../guard/check.ts';
import { readTree, type TreeNode } from '../guard/tree.ts';
import { engineDefaults } from '../index.ts';
import { planResult } from '../task-runtime/result-file.ts';
import { dialectFor } from './macros.ts';

/** Engine with the dialect, for the tests of a file, and results of statements as lines of a file. */
export interface Speaker {
  /** Lines of the result file, the names of the columns first. */
  linesOf(statement: string): Promise<string[]>;
  /** The rows alone, with `;` between them. */
  resultOf(statement: string): Promise<string>;
  /** Syntax tree of the statement as it runs. */
  treeOf(statement: string): Promise<TreeNode>;
}

export function useDialect(): Speaker {
  let folder: string;
  let sql: DuckdbSql;
  let trees: SyntaxTrees;
  let spoken = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dialect-'));
    sql = await openSql(folder);
    await sql.run("SET TimeZone = 'UTC'");
    trees = {
      serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
      deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
    };
  });

  after(async () => {
    sql.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Settings of the process that runs one statement. */
  async function speakFor(statement: string): Promise<void> {
    const ends = Array.from(spoken.matchAll(/CREATE MACRO (\w+)/g), ([, name]) => `DROP MACRO ${name};`);
    spoken = dialectFor(statement);
    await sql.run(ends.join('') + spoken);
  }

  async function linesOf(statement: string): Promise<string[]> {
    const checked = await checkStatement(statement, [], engineDefaults.check, trees);
    const path = join(folder, 'out.csv');
    await speakFor(checked.sql);
    await (await planResult(sql, checked.sql, path)).write();
    return (await readFile(path, 'utf8')).trimEnd().split('\n');
  }

  async function resultOf(statement: string): Promise<string> {
    const [, ...lines] = await linesOf(statement);
    return lines.join(';');
  }

  async function treeOf(statement: string): Promise<TreeNode> {
    const checked = await checkStatement(statement, [], engineDefaults.check, trees);
    return readTree(await trees.serialize(checked.sql));
  }

  return { linesOf, resultOf, treeOf };
}
