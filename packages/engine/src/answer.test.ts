import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLake, openEngine } from './engine.fixture.ts';

test('an answer that the service could not hold ends with a clear error, and the next one works', async (context) => {
  const lake = await makeLake();
  const engine = await openEngine(lake.folder, {});
  context.after(async () => {
    await engine.close();
    await lake.remove();
  });
  const rows = async (count: number): Promise<number> => {
    const sql = `SELECT rpad('', 10000, 'x') AS t, i FROM range(${count}) r(i)`;
    return (await engine.answer({ sql, parameters: [] }, new AbortController().signal)).length;
  };
  await assert.rejects(rows(4000), { code: 'RESULT_SIZE', message: /larger than 33554432 bytes/ });
  assert.equal(await rows(3000), 3000);
  const lists = "SELECT list(rpad('', 10000, 'x')) AS texts FROM range(4000) r(i)";
  await assert.rejects(engine.answer({ sql: lists, parameters: [] }, new AbortController().signal), {
    code: 'RESULT_SIZE',
  });
});
