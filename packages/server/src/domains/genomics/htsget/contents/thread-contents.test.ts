import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { bamBytes } from '../../../../../../../test/support/bam.ts';
import { Problem } from '../../../../base/problem.ts';
import type { Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';
import { ThreadContents } from './thread-contents.ts';

const sequences = 50_000;
const bytes = bamBytes({
  references: Array.from({ length: sequences }, (_, at): [string, number] => [`s${at}`, 1000]),
  reads: [],
});
const blob = { key: 'reads', size: bytes.length, sha256: '' };

/** Contents of one BAM in a thread; `failing`: error of its store. */
function contentsOf(context: TestContext, failing?: Error): ThreadContents {
  // The thread does not hold the process, as the server of a service does.
  const alive = setInterval(() => undefined, 60_000);
  context.after(() => clearInterval(alive));
  const open = async (_key: string, range?: ByteRange): Promise<Readable> => {
    if (failing) throw failing;
    return Readable.from([bytes.subarray(range?.start, range?.end)]);
  };
  return new ThreadContents({ open } as unknown as Blobs, 100_000_000);
}

test('the main thread takes turns while a thread reads a header of many sequences', async (context) => {
  const contents = contentsOf(context);
  let isRead = false;
  const header = contents.header({ blob, readAs: 'BAM' }, 'account').finally(() => {
    isRead = true;
  });
  let turns = 0;
  while (!isRead) {
    turns += 1;
    await new Promise(setImmediate);
  }
  const { format, contentEnd } = await header;
  assert.equal(format, 'BAM');
  assert.ok(contentEnd > 0 && turns > 20, `${turns} turns`);
});

test('questions of many accounts at once are all answered, and a refused file is a problem', async (context) => {
  const contents = contentsOf(context);
  const asked = Array.from({ length: 40 }, (_, at) =>
    contents.header({ blob, readAs: at % 2 === 0 ? 'BAM' : 'VARIANTS' }, `account ${at % 5}`),
  );
  for (const [at, outcome] of (await Promise.allSettled(asked)).entries()) {
    if (at % 2 === 0) assert.equal(outcome.status, 'fulfilled');
    else assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Problem);
  }
});

test('a store that fails is reported with its own problem, and asked again the next time', async (context) => {
  const away = new Problem(503, 'STORAGE_UNAVAILABLE', 'The store does not answer.');
  const contents = contentsOf(context, away);
  for (let attempt = 0; attempt < 2; attempt += 1)
    await assert.rejects(contents.header({ blob, readAs: 'BAM' }, 'account'), (error) => error === away);
});
