/** Requests of the compliance suite of GA4GH for htsget, with files of our own: each object is there in two formats. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bamBytes, bgzf } from '../../../../../../test/support/bam.ts';
import { addReads, fetchTicket } from '../../../../../../test/support/genomics.ts';
import { bcfOf, vcf } from './files.fixture.ts';

const folder = new URL('../../../../../../test/inputs/cram/', import.meta.url);
const stored = (name: string): Buffer => readFileSync(new URL(name, folder));
const cram = stored('reference.cram');

/** Makes a BAM with as many reads. */
function bamOf(aligned: number, unaligned: number): Buffer {
  const placed = Array.from({ length: aligned }, (_, at) => ({ name: `a${at}`, reference: 0, position: at }));
  const others = Array.from({ length: unaligned }, (_, at) => ({
    name: `u${at}`,
    reference: -1,
    position: -1,
    flags: 4,
  }));
  const text = '@HD\tVN:1.6\tSO:coordinate\n';
  return bamBytes({ text, references: [['chr1', 2_000_000]], reads: [...placed, ...others] });
}

describeApp('the requests of the compliance suite for htsget', (app) => {
  let bam: Buffer;
  const bcf = bgzf(bcfOf([[0, 100, 1]]));
  const ids = { reads: '', variants: '' };

  before(async () => {
    const { id } = await TestProject.make(app.call, 'Compliance');
    const set = await addReads(app, id, 'reads.cram', cram);
    const { body } = await app.call('GET', `/${app.account}/v1/readgroupsets/${set}`);
    const { alignedReadCount, unalignedReadCount } = body.stats;
    bam = bamOf(Number(alignedReadCount), Number(unalignedReadCount));
    ids.reads = await addReads(app, id, 'reads.bam', bam);
    // Reads of another sample, and variants without a twin.
    await addReads(app, id, 'other.cram', stored('without.cram'));
    ids.variants = await app.put(id, 'v.vcf.gz', bgzf(Buffer.from(vcf)));
    await app.put(id, 'v.bcf', bcf);
  });

  const ask = (kind: 'reads' | 'variants', query: string) =>
    app.call('GET', `/${app.account}/v1/htsget/${kind}/${ids[kind]}?${query}`);

  test('each format is given with and without an encryption scheme, which a server may ignore: 12 of 12', async () => {
    const requests = [
      ['reads', undefined, 'BAM', () => bam],
      ['reads', 'BAM', 'BAM', () => bam],
      ['reads', 'CRAM', 'CRAM', () => cram],
      ['variants', undefined, 'VCF', () => Buffer.from(vcf)],
      ['variants', 'VCF', 'VCF', () => Buffer.from(vcf)],
      ['variants', 'BCF', 'BCF', () => bcf],
    ] as const;
    const inflated = (bytes: Buffer): Buffer => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
    for (const [kind, asked, format, bytes] of requests)
      for (const scheme of ['', '&encryptionScheme=c4gh']) {
        const query = `${asked === undefined ? '' : `format=${asked}`}${scheme}`;
        const { status, body, text } = await ask(kind, query);
        assert.deepEqual([status, body.htsget?.format], [200, format], `${kind}?${query}: ${text}`);
        assert.ok(inflated(await fetchTicket(body)).equals(inflated(bytes())), `${kind}?${query}`);
      }
  });

  test('a region of the other format is served from the index of its file', async () => {
    const { body } = await ask('variants', 'format=BCF&referenceName=1&start=100&end=101');
    assert.ok(gunzipSync(await fetchTicket(body)).equals(gunzipSync(bcf)));
  });

  test('a file without one of its name in the format answers UnsupportedFormat', async () => {
    const project = await TestProject.make(app.call, 'Alone');
    const alone = await app.put(project.id, 'v.vcf.gz', bgzf(Buffer.from(vcf)));
    const { status, body } = await app.call('GET', `/${app.account}/v1/htsget/variants/${alone}?format=BCF`);
    assert.deepEqual([status, body.htsget.error], [400, 'UnsupportedFormat']);
  });

  test('a reader of one file alone gets no bytes of the other', async () => {
    const reader = await app.people.member(app.account, ['readData'], {
      'resource.id': { comparison: 'equals', value: ids.variants },
    });
    const path = `/${app.account}/v1/htsget/variants/${ids.variants}`;
    assert.equal((await app.call('GET', path, { key: reader.key })).status, 200);
    const { status, text } = await app.call('GET', `${path}?format=BCF`, { key: reader.key });
    assert.ok(status === 403 || status === 404, text);
  });
});
