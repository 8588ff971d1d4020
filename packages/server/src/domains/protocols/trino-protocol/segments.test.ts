import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { TrinoClient } from '../../../../../../test/support/trino.ts';
import { takesSegments } from './segments.ts';

test('segments are sent to clients that list their encoding', () => {
  for (const listed of ['json+zstd', 'json+lz4, json+zstd,json', 'JSON+ZSTD'])
    assert.ok(takesSegments({ 'x-trino-query-data-encoding': listed }), listed);
  for (const listed of ['json', 'json+lz4', 'json+zstd2', ''])
    assert.ok(!takesSegments({ 'x-trino-query-data-encoding': listed }), listed);
});

const inSegments = { 'x-trino-schema': 'trino_segments', 'x-trino-query-data-encoding': 'json+zstd,json' };
const rowsSql = (count: number): string =>
  `SELECT n, rpad('é', 500, 'y') AS t FROM (SELECT unnest(range(${count})) AS n) ORDER BY n`;

interface Described {
  uri: string;
  ackUri: string;
  metadata: { rowOffset: number; rowsCount: number; segmentSize: number; uncompressedSize: number };
}

describeApp('results of the Trino protocol in segments', (app) => {
  before(async () => {
    await TestProject.make(app.call, 'Trino segments');
  });

  const segmentsOf = async (client: TrinoClient, count: number): Promise<Described[]> => {
    const page = await client.firstRows(await client.send(rowsSql(count), inSegments));
    assert.equal(page.error, undefined);
    assert.equal(page.data.encoding, 'json+zstd');
    return page.data.segments;
  };

  test('the segments of a large result hold all rows in order, and their sizes are those described', async () => {
    const client = new TrinoClient(app.address, app.key);
    const segments = await segmentsOf(client, 40_000);
    assert.ok(segments.length > 1, `${segments.length} segments`);
    const rows: unknown[][] = [];
    for (const { uri, ackUri, metadata } of segments) {
      const bytes = Buffer.from(await (await fetch(uri)).arrayBuffer());
      const text = zstdDecompressSync(bytes);
      const part = JSON.parse(text.toString());
      assert.deepEqual(metadata, {
        ...{ rowOffset: rows.length, rowsCount: part.length },
        ...{ segmentSize: bytes.length, uncompressedSize: text.length },
      });
      rows.push(...part);
      const read = await fetch(ackUri);
      assert.deepEqual([read.status, await read.text()], [200, '']);
    }
    assert.deepEqual(
      rows.map(([n]) => n),
      Array.from({ length: 40_000 }, (_, n) => n),
    );
  });

  test('a small result is in the page itself', async () => {
    const client = new TrinoClient(app.address, app.key);
    const page = await client.firstRows(await client.send(rowsSql(2), inSegments));
    assert.equal(page.data.length, 2);
  });

  test('an address ends with its result and with the right to its rows, and a changed one is refused', async () => {
    const member = await app.people.member(app.account, ['readData']);
    const client = new TrinoClient(app.address, member.key);
    const [{ uri = '' } = {}] = await segmentsOf(client, 2000);
    assert.equal((await fetch(uri)).status, 200);
    assert.equal((await fetch(uri.replace('/0?', '/1?'))).status, 403);
    const gone = await client.send(rowsSql(2000), inSegments);
    const [{ uri: ofGone = '' } = {}] = (await client.firstRows(gone)).data.segments;
    assert.equal((await client.ask(gone, 'DELETE')).status, 204);
    assert.equal((await fetch(ofGone)).status, 404);
    await app.people.withdraw(member);
    assert.equal((await fetch(uri)).status, 403);
  });
});
