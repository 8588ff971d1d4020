import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { importFrom, startChild } from '../../../../../test/support/child.ts';
import { diskBlobs } from './disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-blobs-crash-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Puts blobs without end and names each that was acknowledged; another never ends. */
const child = (store: string) => `
  const { Readable } = await import('node:stream');
  const { diskBlobs } = ${importFrom('./disk.ts', import.meta.url)};
  const blobs = diskBlobs({ folder: ${JSON.stringify(store)} });
  const endless = new Readable({ read() {} });
  endless.push(Buffer.alloc(2_000_000, 7));
  blobs.put(endless);
  for (;;) {
    const { key } = await blobs.put(Readable.from([Buffer.alloc(300_000, 7)]));
    process.send(key);
  }
`;

test('a put that is killed leaves nothing visible, what was acknowledged is whole, and a sweep cleans up', async (context) => {
  for (let round = 0; round < 4; round += 1) {
    const store = join(folder, String(round));
    mkdirSync(store);
    const writer = startChild(context, child(store));
    const acknowledged: string[] = [];
    while (acknowledged.length < 3 + round) acknowledged.push(String(await writer.message()));
    writer.process.on('message', (key) => acknowledged.push(String(key)));
    await writer.kill();

    const blobs = diskBlobs({ folder: store });
    assert.ok(readdirSync(join(store, 'scratch')).length >= 1, 'something was cut off');
    await blobs.sweep(-1000, async (keys) => new Set(keys.filter((key) => acknowledged.includes(key))));
    assert.deepEqual(readdirSync(join(store, 'scratch')), []);
    for (const key of acknowledged) {
      const bytes = await buffer(await blobs.open(key));
      assert.ok(bytes.equals(Buffer.alloc(300_000, 7)));
    }
    const kept = readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    assert.deepEqual(kept.map((entry) => entry.name).sort(), [...acknowledged].sort());
  }
});
