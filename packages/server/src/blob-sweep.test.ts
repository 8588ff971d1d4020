/** The sweep takes what is old, whatever was done to the clock, and never what may still be being made. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite } from '../../../test/support/records.ts';
import { blobSweep } from './blob-sweep.ts';
import { diskBlobs } from './platform/blobs/disk.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Files that are written under a clock that somebody sets. */
class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'ploidy-sweep-'));
  readonly clocks = { now: () => this.#now, steady: () => this.#steady };
  readonly #written = new Map<string, number>();
  #now = 1e12;
  #steady = 0;

  pass(ms: number): void {
    this.#now += ms;
    this.#steady += ms;
  }

  setClock(ms: number): void {
    this.#now += ms;
  }

  write(extension: string): void {
    const name = `${'0'.repeat(32)}.${extension}`;
    writeFileSync(join(this.path, 'scratch', name), '');
    this.#written.set(name, this.#now);
  }

  /** Sweeps; answers which are left. */
  async left(sweep: () => Promise<unknown>): Promise<string[]> {
    // The store looks at the clock of the system: to it they are as old as they are under ours.
    for (const name of this.#names) {
      const at = (Date.now() - (this.#now - (this.#written.get(name) ?? 0))) / 1000;
      utimesSync(join(this.path, 'scratch', name), at, at);
    }
    await sweep();
    return this.#names.map((name) => name.slice(33));
  }

  get #names(): string[] {
    return readdirSync(join(this.path, 'scratch')).sort();
  }
}

function testSweep(
  name: string,
  soleProcess: boolean,
  body: (folder: Folder, start: () => () => Promise<string[]>) => Promise<void>,
): void {
  test(name, () =>
    onSqlite(async ({ open }) => {
      const records = await open();
      const folder = new Folder();
      const blobs = diskBlobs({ folder: folder.path });
      try {
        await body(folder, () => {
          const sweep = blobSweep(records, blobs, soleProcess, folder.clocks);
          return () => folder.left(sweep);
        });
      } finally {
        await blobs.close();
        rmSync(folder.path, { recursive: true, force: true });
      }
    }),
  );
}

testSweep(
  'the only process sweeps what is older than itself, and its own after a day',
  true,
  async (folder, start) => {
    folder.write('before');
    folder.pass(minuteMs);
    const left = start();
    folder.pass(minuteMs);
    folder.write('own');
    folder.pass(minuteMs);
    assert.deepEqual(await left(), ['own']);
    folder.pass(dayMs);
    assert.deepEqual(await left(), []);
  },
);

testSweep('one of several processes sweeps what is older than a day', false, async (folder, start) => {
  const left = start();
  folder.write('early');
  folder.pass(hourMs);
  folder.write('late');
  folder.pass(dayMs - minuteMs);
  assert.deepEqual(await left(), ['late']);
});

for (const soleProcess of [true, false]) {
  const whose = soleProcess ? 'the only process' : 'one of several processes';
  testSweep(
    `${whose} sweeps nothing that is being written when the clock is set back`,
    soleProcess,
    async (folder, start) => {
      const left = start();
      folder.pass(minuteMs);
      folder.setClock(-hourMs);
      folder.write('new');
      folder.pass(minuteMs);
      assert.deepEqual(await left(), ['new']);
      folder.setClock(hourMs);
      assert.deepEqual(await left(), ['new'], 'nor when it is set right again');
      folder.pass(dayMs + 2 * hourMs);
      assert.deepEqual(await left(), [], 'and in the end it goes');
    },
  );

  testSweep(
    `${whose} sweeps nothing that is being written when the clock is set forward`,
    soleProcess,
    async (folder, start) => {
      const left = start();
      folder.pass(minuteMs);
      folder.write('new');
      folder.setClock(2 * dayMs);
      folder.pass(minuteMs);
      assert.deepEqual(await left(), ['new']);
    },
  );
}
