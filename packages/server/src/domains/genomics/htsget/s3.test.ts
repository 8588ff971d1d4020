/** Tickets and blocks of files in an S3-compatible store. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openTestApp, type TestApp } from '../../../../../../test/support/app.ts';
import { bgzf } from '../../../../../../test/support/bam.ts';
import { addReads, fetchTicket, readNames } from '../../../../../../test/support/genomics.ts';
import { type S3Server, startS3 } from '../../../../../../test/support/s3/server.ts';
import { bam, overlapping, urlsOf, vcf } from './files.fixture.ts';

describe('htsget on S3', () => {
  let s3: S3Server;
  let app: TestApp;
  let project: string;

  before(async () => {
    s3 = await startS3();
    app = await openTestApp(s3.settings);
    project = (await app.call('POST', '/v1/projects', { body: { name: 'On S3' } })).body.id;
  });
  after(async () => {
    await app?.stop();
    await s3?.close();
  });

  test('reads are served whole and by region, at reusable addresses that end with the set', async () => {
    const set = await addReads(app, project, 'reads.bam', bam);
    const path = `/${app.account}/v1/htsget/reads/${set}`;
    const whole = await app.call('GET', path);
    assert.ok(gunzipSync(await fetchTicket(whole.body)).equals(gunzipSync(bam)));
    for (const [start, end] of [
      [0, 1],
      [10_000, 60_000],
      [1_499_000, 2_000_000],
    ] as const) {
      const { body } = await app.call('GET', `${path}?referenceName=chr1&start=${start}&end=${end}`);
      const names = readNames(await fetchTicket(body));
      const wanted = overlapping(0, start, end);
      assert.deepEqual(
        names.filter((name) => wanted.includes(name)),
        wanted,
      );
    }
    const block = urlsOf(whole)[1]?.url ?? '';
    assert.ok(block.startsWith(app.address));
    const first = Buffer.from(await (await fetch(block)).arrayBuffer());
    const head = await fetch(block, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(first.length));
    assert.ok(Buffer.from(await (await fetch(block)).arrayBuffer()).equals(first));
    await app.call('DELETE', `/${app.account}/v1/readgroupsets/${set}`);
    assert.equal((await fetch(block)).status, 404);
  });

  test('variants are indexed in the store and served by region', async () => {
    const file = await app.put(project, 'v.vcf.gz', bgzf(Buffer.from(vcf), { blockBytes: 3001 }));
    const path = `/${app.account}/v1/htsget/variants/${file}`;
    const reply = await app.call('GET', `${path}?referenceName=1&start=100000&end=100350`);
    assert.equal(reply.status, 200, reply.text);
    const text = gunzipSync(await fetchTicket(reply.body)).toString();
    for (const id of ['v1000', 'v1003']) assert.ok(text.includes(`\t${id}\t`));
    assert.ok(!text.includes('\tv500\t'));
    assert.equal(gunzipSync(await fetchTicket((await app.call('GET', path)).body)).toString(), vcf);
  });
});
