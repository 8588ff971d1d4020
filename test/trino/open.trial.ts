/** Trino, as an organisation runs it, reads the tables of a project through the Iceberg catalogue for people. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { type Cluster, restCatalog, startCluster, trinoSkip } from './cluster.ts';

const samples = join(import.meta.dirname, '../../samples/data');
/** Credentials are part of each table; these are only the region and the form of addresses. */
const fileSystem = [
  'iceberg.rest-catalog.vended-credentials-enabled=true',
  'fs.native-s3.enabled=true',
  's3.path-style-access=true',
  's3.region=us-east-1',
];

describe('Trino over the Iceberg catalogue', { skip: trinoSkip }, () => {
  let app: TestApp;
  let cluster: Cluster;
  let port: number;
  let project: TestProject;

  before(async () => {
    app = await openTestApp();
    project = await TestProject.make(app.call, 'Open');
    const { files } = JSON.parse(readFileSync(join(samples, 'manifest.json'), 'utf8'));
    for (const { path } of files as { path: string }[])
      await project.take(basename(path), readFileSync(join(samples, path)));
    port = await freePort();
    const catalog = [
      ...restCatalog(`${app.address}/iceberg`, app.key),
      ...fileSystem,
      `s3.endpoint=${app.address}`,
    ];
    cluster = await startCluster({ port, nodes: 1, catalog });
  });
  after(async () => {
    await cluster?.stop();
    await app?.stop();
  });

  /** Rows of a statement over the protocol that Trino and the service share, as sorted lines. */
  async function rows(address: string, sql: string): Promise<string[]> {
    const headers = {
      authorization: `Bearer ${app.key}`,
      'x-trino-user': 'reader',
      'x-trino-catalog': 'ploidy',
      'x-trino-schema': 'open',
    };
    const found: string[] = [];
    let page = await ask(`${address}/v1/statement`, { method: 'POST', headers, body: sql });
    for (;;) {
      assert.equal(page.error, undefined, `${sql}: ${JSON.stringify(page.error)?.slice(0, 500)}`);
      for (const row of page.data ?? []) found.push(JSON.stringify(row));
      if (page.nextUri === undefined) return found.sort();
      page = await ask(page.nextUri, { headers });
    }
  }

  test('every table has the rows of a query', async () => {
    const trino = `http://127.0.0.1:${port}`;
    const tables = (await rows(app.address, 'SHOW TABLES')).map((row) => String(JSON.parse(row)[0]));
    assert.ok(tables.length >= 14, tables.join());
    assert.deepEqual((await rows(trino, 'SHOW TABLES')).length, tables.length);
    for (const table of tables) {
      const ours = await rows(app.address, `SELECT * FROM "${table}"`);
      assert.deepEqual(await rows(trino, `SELECT * FROM "${table}"`), ours, table);
    }
    const groups = 'SELECT gene, count(*) FROM variant GROUP BY gene';
    assert.deepEqual(await rows(trino, groups), await rows(app.address, groups));
  });
});

interface Page {
  data?: unknown[][];
  nextUri?: string;
  error?: unknown;
}

async function ask(address: string, options: RequestInit): Promise<Page> {
  const answer = await fetch(address, options);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Page;
}
