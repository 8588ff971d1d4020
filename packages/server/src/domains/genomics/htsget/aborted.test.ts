/** Downloads aborted by their clients, from both stores. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openTestApp, type TestApp } from '../../../../../../test/support/app.ts';
import { bamBytes, bgzf } from '../../../../../../test/support/bam.ts';
import { addReads, fetchTicket, readNames } from '../../../../../../test/support/genomics.ts';
import { type S3Server, startS3 } from '../../../../../../test/support/s3/server.ts';
import { until } from '../../../../../../test/support/until.ts';
import { type TicketUrl, urlsOf } from './files.fixture.ts';

const references: [string, number][] = [['chr1', 100_000]];
const downloads = 5;
const readCount = 400;

describe('aborted downloads from disk', () => {
  let app: TestApp;
  before(async () => {
    app = await openTestApp();
  });
  after(() => app.stop());

  // asvs: 1.4.3
  test('a client that disconnects during a download leaves no open file', async (context) => {
    if (process.platform !== 'linux') return context.skip('open files are counted in /proc');
    const blobs = join(app.folder, 'blobs');
    await giveUp(app, () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(blobs)).length);
  });
});

describe('aborted downloads from S3', () => {
  let s3: S3Server;
  let app: TestApp;
  before(async () => {
    s3 = await startS3();
    app = await openTestApp(s3.settings);
  });
  after(async () => {
    await app?.stop();
    await s3?.close();
  });

  test('a client that disconnects during a download leaves no transfer from the store', async () => {
    await giveUp(app, () => s3.answering.size);
  });
});

/** Starts and aborts downloads, then downloads the whole; `open` counts the resources of downloads. */
async function giveUp(app: TestApp, open: () => number): Promise<void> {
  const project = (await app.call('POST', '/v1/projects', { body: { name: 'Given up' } })).body.id;
  const set = await addReads(app, project, 'long.bam', longBam(readCount));
  const ticket = () => app.call('GET', `/${app.account}/v1/htsget/reads/${set}`);
  await until(() => open() === 0, 'nothing is open before');
  const [, { url } = {} as TicketUrl] = urlsOf(await ticket());
  const goAway: (() => void)[] = [];
  for (let count = 0; count < downloads; count += 1) {
    const leave = await new Promise<() => void>((resolve, reject) => {
      const request = get(url, (response) => {
        response.on('error', () => undefined).once('readable', () => resolve(() => request.destroy()));
      }).on('error', reject);
    });
    goAway.push(leave);
  }
  // Sockets may buffer all the rest of one.
  assert.ok(open() > 0, 'downloads wait for their readers');
  for (const leave of goAway) leave();
  await until(() => open() === 0, 'nothing is open after');
  const whole = await fetchTicket((await ticket()).body);
  assert.equal(readNames(whole).length, readCount);
  await until(() => open() === 0, 'nothing is open in the end');
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

/**
 * Makes a BAM of incompressible reads, 50 kB each: more than sockets buffer. The same compressed bytes
 * repeat.
 */
function longBam(count: number): Buffer {
  const bases = randomBytes(25_000)
    .toString('hex')
    .replace(/[0-9a-f]/g, (digit) => '=ACMGRSVTWYHKDBN'[Number.parseInt(digit, 16)] ?? 'N');
  const empty = gunzipSync(bamBytes({ references }));
  const one = gunzipSync(
    bamBytes({
      references,
      reads: [
        {
          reference: 0,
          position: 5,
          bases: bases.repeat(2),
          cigar: [
            [10, 'M'],
            [99_990, 'S'],
          ],
        },
      ],
    }),
  );
  const record = bgzf(one.subarray(empty.length), { endless: true });
  return Buffer.concat([
    bgzf(empty, { endless: true }),
    ...Array.from({ length: count }, () => record),
    bgzf(Buffer.alloc(0)),
  ]);
}
