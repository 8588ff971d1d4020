/** Every statement of docs/dialect.md gives the result that stands beside it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../duckdb.ts';
import { openSql } from '../engine.fixture.ts';
import { checkStatement, type SyntaxTrees } from '../guard/check.ts';
import { engineDefaults } from '../index.ts';
import { headersOf } from '../worker/column-names.ts';
import { copyToCsv } from '../worker/csv.ts';
import { dialect } from './macros.ts';

const document = readFileSync(join(import.meta.dirname, '../../../../../../docs/dialect.md'), 'utf8');
const rows = [...document.matchAll(/^\| `(SELECT .*?)` \| (?:`(.*?)`)? ?\|/gm)];

let folder: string;
let sql: DuckdbSql;
let trees: SyntaxTrees;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dialect-'));
  sql = await openSql(folder);
  await sql.run("SET TimeZone = 'UTC'");
  await sql.run(dialect);
  trees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
});

after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

/** Lines of the result file, the names of the columns first. */
async function linesOf(statement: string): Promise<string[]> {
  const checked = await checkStatement(statement, [], engineDefaults.check, trees);
  const path = join(folder, 'out.csv');
  const columns = await sql.columns(checked.sql);
  const names = columns.map(({ name }) => name);
  await sql.run(
    copyToCsv(
      checked.sql,
      columns.map(({ type }) => type),
      headersOf(names, new Set()),
      path,
    ),
  );
  return (await readFile(path, 'utf8')).trimEnd().split('\n');
}

async function resultOf(statement: string): Promise<string> {
  const [, ...lines] = await linesOf(statement);
  return lines.join(';');
}

for (const [, statement = '', result = ''] of rows) {
  test(`${statement} gives ${result}`, async () => {
    assert.equal(await resultOf(statement.replaceAll('\\|', '|')), result.replaceAll('\\|', '|'));
  });
}

test('the document has statements', () => {
  assert.ok(rows.length > 60, String(rows.length));
});

test('a column without a name has that of the function which the engine has for it', async () => {
  const functions = "date_parse('2020', '%Y'), approx_distinct(1), regexp_like('a', 'b')";
  const [names] = await linesOf(`SELECT ${functions}`);
  assert.equal(names, 'strptime,approx_count_distinct,regexp_matches');
});
