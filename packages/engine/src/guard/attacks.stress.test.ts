import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { secret, useEngine } from '../engine.fixture.ts';
import { StatementRefused } from '../engine.ts';
import { attacks, harmless } from './attacks.fixture.ts';
import { excesses, redTeam } from './red-team.fixture.ts';

const opened = useEngine();

const tableNames = ['variant', 'patient'];

for (const attack of [...attacks, ...redTeam]) {
  test(`refused: ${attack}`, async () => {
    const sql = attack.replaceAll('FILE', opened.lake.secretPath);
    await assert.rejects(opened.engine.check(sql, tableNames), (problem) => {
      assert.ok(problem instanceof StatementRefused);
      assert.ok(!problem.message.includes('scratch'));
      return true;
    });
  });
}

for (const [what, sql] of excesses) {
  test(`refused in few words: ${what}`, async () => {
    await assert.rejects(opened.engine.check(sql, tableNames), (problem) => {
      assert.ok(problem instanceof StatementRefused, String(problem));
      assert.ok(problem.message.length < 700);
      return true;
    });
    assert.equal((await opened.engine.check('SELECT 1', [])).sql, 'SELECT 1');
  });
}

test('strange statements that pass the guard reveal nothing and leave nothing behind', async () => {
  const before = await readdir(opened.lake.folder);
  for (const [index, text] of harmless.entries()) {
    const sql = text.replaceAll('FILE', opened.lake.secretPath);
    const outputPath = join(opened.lake.folder, `harmless-${index}.csv`);
    const run = async (): Promise<string> => {
      const statement = await opened.engine.check(sql, tableNames);
      await opened.engine.query(
        { statement, tables: opened.lake.tables, outputPath },
        AbortSignal.timeout(20_000),
      );
      return await readFile(outputPath, 'utf8');
    };
    const seen = await run().catch((error: Error) => error.message);
    assert.ok(!seen.includes(secret), sql);
    assert.ok(!seen.includes('.parquet'), sql);
  }
  const added = (await readdir(opened.lake.folder)).filter((name) => !before.includes(name));
  assert.ok(
    added.every((name) => name.startsWith('harmless-')),
    added.join(),
  );
  assert.match(await readFile(opened.lake.secretPath, 'utf8'), new RegExp(secret));
});
