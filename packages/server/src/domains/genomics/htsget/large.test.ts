/** Headers too large for tickets, and requests of many regions. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openTestApp, type TestApp } from '../../../../../../test/support/app.ts';
import { bamBytes } from '../../../../../../test/support/bam.ts';
import { addReads, fetchTicket, readNames } from '../../../../../../test/support/genomics.ts';
import { urlsOf } from './files.fixture.ts';

const references: [string, number][] = [['chr1', 100_000]];

describe('htsget of large files and requests', () => {
  let app: TestApp;
  let project: string;

  before(async () => {
    app = await openTestApp();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Large' } })).body.id;
  });
  after(() => app.stop());

  const ticket = (set: string, query = '') =>
    app.call('GET', `/${app.account}/v1/htsget/reads/${set}${query}`);

  test('a header of more than 1 MB is a block of its own, and the file is complete', async () => {
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

  test('thousands of regions over whole chromosomes yield each read once', async () => {
    const windows = 2 ** 15 - 1;
    const reads = Array.from({ length: windows }, (_, at) => ({ reference: 0, position: at * 2 ** 14 }));
    const bam = bamBytes({ references: [['chr1', 2 ** 29]], reads });
    const set = await addReads(app, project, 'regions.bam', bam);
    const regions = Array.from({ length: 10_000 }, (_, start) => ({ referenceName: 'chr1', start }));
    const answer = await app.call('POST', `/${app.account}/v1/htsget/reads/${set}`, { body: { regions } });
    assert.equal(answer.status, 200);
    assert.equal(readNames(await fetchTicket(answer.body)).length, windows);
  });

  test('other requests are answered while thousands of regions of a dense file are looked up', async () => {
    // One block per read, and neighbours in bins of two levels, so that a region has a chunk of each.
    const reads = Array.from({ length: 20_000 }, (_, at) => ({
      reference: 0,
      position: Math.floor(at / 2),
      cigar: (at % 2
        ? [
            [1, 'M'],
            [20_000, 'N'],
            [1, 'M'],
          ]
        : [[2, 'M']]) as [number, string][],
      bases: 'AC',
    }));
    const bam = bamBytes({ references, reads, blockBytes: 64 });
    const set = await addReads(app, project, 'dense.bam', bam);
    await ticket(set, '?referenceName=chr1&start=0&end=1');
    const regions = Array.from({ length: 2000 }, (_, at) => ({
      referenceName: 'chr1',
      start: at * 2,
      end: at * 2 + 1,
    }));
    let isAnswered = false;
    const asked = app
      .call('POST', `/${app.account}/v1/htsget/reads/${set}`, { body: { regions } })
      .finally(() => {
        isAnswered = true;
      });
    let others = 0;
    while (!isAnswered) {
      await app.call('GET', '/healthz');
      others += 1;
    }
    assert.equal((await asked).status, 200);
    assert.ok(others > 20, `${others} were`);
  });
});
