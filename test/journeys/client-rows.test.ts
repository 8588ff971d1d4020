/** Rows of the client library, and that it loads where there is no Node. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import { PloidyClient } from '../../packages/client/src/index.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: PloidyClient;
let project: string;

before(async () => {
  server = await startServer();
  const { baseUrl: address, apiKey, account } = server;
  client = new PloidyClient({ address, apiKey, account });
  project = (await client.createProject('Rows')).id;
});
after(() => server.stop());

test('rows are typed, any number of them, and leave no file', async () => {
  const sql = `SELECT i, 'a' || i AS t, i = 1 AS b, NULL AS x FROM range(30000) r(i) ORDER BY i`;
  const rows = await Array.fromAsync(client.rows<{ i: number }>(project, sql));
  assert.deepEqual([rows.length, rows[1]], [30_000, { i: 1, t: 'a1', b: true, x: null }]);
  const table = tableFromIPC(await client.toArrow(project, sql));
  assert.deepEqual([table.numRows, table.schema.fields[1]?.name], [30_000, 't']);
  assert.deepEqual(await Array.fromAsync(client.files(project)), []);
});

test('a statement that fails throws with its code', async () => {
  const rows = client.rows(project, 'SELECT nothing FROM nowhere');
  await assert.rejects(async () => rows.next(), { code: 'INVALID_QUERY' });
});

test('a browser sends a Blob', async () => {
  const id = await client.upload(project, 'blob.txt', new Blob(['from a browser']));
  const chunks = await Array.fromAsync(client.bytes(id));
  assert.equal(Buffer.concat(chunks).toString(), 'from a browser');
});

test('no module that loads at once imports one of Node', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(path, 'utf8').replace(/^(?:import|export) type [^;]+;/gm, '');
    for (const [, from = ''] of text.matchAll(/^(?:import|export) [^;]*? from '([^']+)';/gm)) {
      assert.doesNotMatch(from, /^node:/, path);
      if (from.startsWith('.')) visit(join(dirname(path), from));
    }
  };
  visit(join(import.meta.dirname, '../../packages/client/src/index.ts'));
  assert.ok(seen.size > 8);
});
