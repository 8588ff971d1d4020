// Does with the Trino client for Node what services do. ADDRESS, KEY, PROJECT and CLIENT (a folder) are in the environment.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { ADDRESS: server, KEY: key, PROJECT: schema, CLIENT: folder = '.' } = process.env;
const { BasicAuth, Trino } = createRequire(join(folder, 'package.json'))('trino-client');
const client = Trino.create({ server, catalog: 'ploidy', schema, auth: new BasicAuth('service', key) });

async function rowsOf(sql) {
  const rows = [];
  for await (const page of await client.query(sql)) {
    if (page.error) throw new Error(page.error.message);
    rows.push(...(page.data ?? []));
  }
  return rows;
}

assert.deepEqual(await rowsOf("SELECT 1, 'a', ARRAY[1, 2]"), [[1, 'a', [1, 2]]]);
const [[count]] = await rowsOf('SELECT count(*) FROM patient');
assert.ok(count > 0);
await rowsOf('PREPARE counted FROM SELECT count(*) FROM patient WHERE patient_id <> ?');
assert.deepEqual(await rowsOf("EXECUTE counted USING 'nobody'"), [[count]]);
await rowsOf(`USE ploidy.${schema}`);
await assert.rejects(rowsOf('SELECT nope FROM patient'), /line 1:8: Column 'nope' cannot be resolved/);
const query = await client.query('SELECT count(*) FROM patient');
const { value } = await query.next();
assert.equal((await client.queryInfo(value.id)).queryId, value.id);
