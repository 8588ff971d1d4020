import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeOnSqlite } from '../../../../../../test/support/app.ts';
import { TrinoClient } from '../../../../../../test/support/trino.ts';
import { takesGzip } from './pages.ts';

test('gzip is taken where a client names it, unless with the weight 0', () => {
  for (const taken of ['gzip', 'gzip, deflate, br', 'br;q=1.0, GZIP ; q=0.8', 'x-gzip'])
    assert.ok(takesGzip({ 'accept-encoding': taken }), taken);
  for (const other of [undefined, '', 'identity', 'gzip;q=0', 'br, gzip; q=0.000', 'gzipped', '*'])
    assert.ok(!takesGzip(other === undefined ? {} : { 'accept-encoding': other }), `${other}`);
});

describeOnSqlite('compressed pages of the Trino protocol', (app) => {
  let client: TrinoClient;

  before(async () => {
    await TestProject.make(app.call, 'Trino gzip');
    client = new TrinoClient(app.address, app.key);
  });

  /** Waits for the rows of a statement; answers the page with an encoding and without. */
  async function pagesOf(
    rows: number,
  ): Promise<Record<'gzip' | 'identity', IncomingMessage & { bytes: Buffer }>> {
    const sql = `SELECT n, rpad('x', 100, 'y') FROM (SELECT unnest(range(${rows})) AS n) ORDER BY n`;
    const uri = await client.send(sql, { 'x-trino-schema': 'trino_gzip' });
    await client.read(uri);
    const page = async (accepted: string) => {
      const headers = { authorization: `Bearer ${app.key}`, 'accept-encoding': accepted };
      const [answer] = (await once(get(uri, { headers }), 'response')) as [IncomingMessage];
      return Object.assign(answer, { bytes: await buffer(answer) });
    };
    return { gzip: await page('gzip, deflate'), identity: await page('identity') };
  }

  test('a large page is compressed for a client that accepts gzip, and holds the same bytes', async () => {
    const { gzip, identity } = await pagesOf(5000);
    assert.deepEqual([gzip.headers['content-encoding'], gzip.headers.vary], ['gzip', 'Accept-Encoding']);
    assert.equal(identity.headers['content-encoding'], undefined);
    assert.ok(gzip.bytes.length < identity.bytes.length / 4, `${gzip.bytes.length}`);
    assert.deepEqual(gunzipSync(gzip.bytes), identity.bytes);
  });

  test('a small page is sent as it is', async () => {
    const { gzip } = await pagesOf(3);
    assert.equal(gzip.headers['content-encoding'], undefined);
    assert.equal(JSON.parse(gzip.bytes.toString()).data.length, 3);
  });
});
