/** What is large: headers that do not fit into tickets, downloads that nobody reads to their end. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openTestApp, type TestApp } from '../../../../../test/support/app.ts';
import { bamBytes, bgzf } from '../../../../../test/support/bam.ts';
import { addReads, fetchTicket, readNames } from '../../../../../test/support/genomics.ts';
import { until } from '../../../../../test/support/until.ts';
import { type TicketUrl, urlsOf } from './files.fixture.ts';

const references: [string, number][] = [['chr1', 100_000]];

describe('htsget of large things', () => {
  let app: TestApp;
  let project: string;

  before(async () => {
    app = await openTestApp();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Large' } })).body.id;
  });
  after(() => app.stop());

  const ticket = (set: string, query = '') =>
    app.call('GET', `/${app.account}/v1/htsget/reads/${set}${query}`);

  test('a header of more than 1 MB comes as a block of its own, and the file is whole', async () => {
    const lines = Array.from({ length: 100 }, () => `@CO\t${randomBytes(15_000).toString('base64')}\n`);
    const reads = Array.from({ length: 3 }, (_, at) => ({
      name: `r${at}`,
      reference: 0,
      position: at * 20_000,
    }));
    const bam = bamBytes({ text: `@HD\tVN:1.6\n${lines.join('')}`, references, reads });
    const set = await addReads(app, project, 'header.bam', bam);
    const all = await ticket(set);
    assert.ok(all.text.length < 10_000, 'the header is not in the ticket');
    const [header, ...others] = urlsOf(all);
    assert.ok(header?.class === 'header' && header.url.startsWith(app.address));
    assert.ok(others.every((one) => one.class === 'body'));
    assert.ok(gunzipSync(await fetchTicket(all.body)).equals(gunzipSync(bam)));
    const alone = await ticket(set, '?class=header');
    assert.deepEqual(
      urlsOf(alone).map((one) => one.class),
      ['header'],
    );
    const bytes = gunzipSync(await fetchTicket(alone.body));
    assert.ok(gunzipSync(bam).subarray(0, bytes.length).equals(bytes));
    assert.deepEqual(readNames(await fetchTicket(alone.body)), []);
    const region = await ticket(set, '?referenceName=chr1&start=20000&end=20001');
    assert.ok(readNames(await fetchTicket(region.body)).includes('r1'));
  });

  test('a client that goes away in the middle of a download leaves no open file', async (context) => {
    if (process.platform !== 'linux') return context.skip('open files are counted in /proc');
    const set = await addReads(app, project, 'long.bam', longBam(400));
    const blobs = join(app.folder, 'blobs');
    const openFiles = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(blobs)).length;
    assert.equal(openFiles(), 0);
    const [, { url } = {} as TicketUrl] = urlsOf(await ticket(set));
    const goAway: (() => void)[] = [];
    for (let count = 0; count < 5; count += 1) {
      const leave = await new Promise<() => void>((resolve, reject) => {
        const request = get(url, (response) => {
          response.on('error', () => undefined).once('readable', () => resolve(() => request.destroy()));
        }).on('error', reject);
      });
      goAway.push(leave);
    }
    assert.equal(openFiles(), 5, 'the downloads wait for their readers');
    for (const leave of goAway) leave();
    await until(() => openFiles() === 0, 'the files are closed');
    const whole = await fetchTicket((await ticket(set)).body);
    assert.equal(readNames(whole).length, 400);
    assert.equal(openFiles(), 0);
  });
});

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

/** A BAM of reads that compress badly, 50 kB each: more than sockets take while nobody reads. The same compressed bytes again and again. */
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
