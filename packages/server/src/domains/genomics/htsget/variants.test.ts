import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bgzf } from '../../../../../../test/support/bam.ts';
import { fetchTicket } from '../../../../../../test/support/genomics.ts';
import { accountRoom } from '../../files/index.ts';
import { bcfOf, bcfRecordBytes, urlsOf, vcf } from './files.fixture.ts';

describeApp('htsget of variants', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Variants' } })).body.id;
  });

  test('a bgzipped VCF is indexed on demand and served by region', async () => {
    const variants = await app.put(project, 'v.vcf.gz', bgzf(Buffer.from(vcf), { blockBytes: 3001 }));
    const wanted = `/${app.account}/v1/htsget/variants/${variants}`;
    const text = async (query: string) => {
      const { body } = await app.call('GET', `${wanted}${query}`);
      return gunzipSync(await fetchTicket(body)).toString();
    };
    const records = (all: string) => all.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.equal(await text(''), vcf);
    assert.equal(await text('?class=header'), vcf.slice(0, vcf.indexOf('1\t1\t')));
    const [few, again] = await Promise.all(
      [1, 2].map(() => text('?referenceName=chr1&start=100000&end=100350')),
    );
    assert.equal(few, again);
    for (const id of ['v1000', 'v1001', 'v1003'])
      assert.ok(records(few ?? '').some((line) => line.includes(`\t${id}\t`)));
    assert.equal(records(await text('?referenceName=1')).length, 2000);
    assert.deepEqual(
      records(await text('?referenceName=2&start=80000&end=80001')).length,
      1,
      'by END of INFO',
    );
    assert.deepEqual(records(await text('?referenceName=3')), [], 'a sequence that only the header names');
    assert.equal((await app.call('GET', `${wanted}?referenceName=4`)).status, 404);
    const body = { regions: [{ referenceName: '1', start: 0, end: 1 }, { referenceName: '2' }] };
    const ticket = (await app.call('POST', wanted, { body })).body;
    assert.match(gunzipSync(await fetchTicket(ticket)).toString(), /\tv0\t.*\tw\t/s);
    const rows = await app.people.records.read.selectFrom('variant_indexes').selectAll().execute();
    assert.deepEqual(
      rows.map(({ file_id, status }) => [file_id, status]),
      [[variants, 'ACTIVE']],
    );
  });

  test('a BCF is indexed on demand and served by region as BCF', async () => {
    const content = bcfOf([...Array.from({ length: 2000 }, (_, at) => [0, at * 100, 1]), [1, 4, 89_996]]);
    const variants = await app.put(project, 'alone.bcf', bgzf(content, { blockBytes: 3001 }));
    const wanted = `/${app.account}/v1/htsget/variants/${variants}`;
    const fetched = async (query: string): Promise<Buffer> => {
      const { body } = await app.call('GET', `${wanted}${query}`);
      assert.equal(body.htsget.format, 'BCF');
      return gunzipSync(await fetchTicket(body));
    };
    assert.ok((await fetched('?format=BCF')).equals(content));
    const header = await fetched('?class=header');
    assert.ok(content.subarray(0, header.length).equals(header));
    const recordsOf = async (query: string) =>
      ((await fetched(query)).length - header.length) / bcfRecordBytes;
    assert.equal(await recordsOf('?referenceName=chr1'), 2000);
    assert.equal(await recordsOf('?referenceName=2&start=80000&end=80001'), 1);
    assert.equal(await recordsOf('?referenceName=3'), 0);
    const some = await recordsOf('?referenceName=1&start=100000&end=100350');
    assert.ok(some >= 4 && some < 500, `${some}`);
    const other = await app.call('GET', `${wanted}?format=VCF`);
    assert.deepEqual([other.status, other.body.htsget.error], [400, 'UnsupportedFormat']);
  });

  test('a file that is no VCF or cannot be indexed is an unsupported format with a reason', async () => {
    const cases: [string, Uint8Array, string, RegExp][] = [
      ['plain.txt', Buffer.from('hello'), '', /Only VCF and BCF/],
      ['zip.gz', gzipSync('hello'), '', /bgzip/],
      ['unsorted.vcf', Buffer.from(`${vcf}1\t1\tx\tA\tC\t.\t.\t.\n`), '', /Line 2006 returns to an earlier/],
      ['cut.zip.vcf.gz', gzipSync(vcf).subarray(0, -2000), '', /not complete/],
      ['text.gz', bgzf(Buffer.from('hello')), '', /not a VCF/],
      ['cut.bcf', bgzf(bcfOf([[0, 1, 1]]).subarray(0, -1)), '?referenceName=1', /middle of a record/],
      [
        'unsorted.bcf',
        bgzf(
          bcfOf([
            [0, 5, 1],
            [0, 1, 1],
          ]),
        ),
        '?referenceName=1',
        /Record 2 is before/,
      ],
      ['empty.vcf', Buffer.alloc(0), '', /not a VCF/],
      [
        'unsorted.vcf.gz',
        bgzf(Buffer.from(`${vcf}1\t1\tx\tA\tC\t.\t.\t.\n`)),
        '?referenceName=1',
        /Line 2006 returns to an earlier/,
      ],
      [
        'cut.vcf.gz',
        bgzf(Buffer.from(vcf), { blockBytes: 3001 }).subarray(0, 9000),
        '?referenceName=1',
        /not complete|cut off/,
      ],
    ];
    for (const [name, bytes, query, message] of cases) {
      const id = await app.put(project, name, bytes);
      const reply = await app.call('GET', `/${app.account}/v1/htsget/variants/${id}${query}`);
      assert.deepEqual([reply.status, reply.body.htsget.error], [400, 'UnsupportedFormat'], name);
      assert.match(reply.body.htsget.message, message, name);
    }
  });

  test('a VCF and a BCF without blocks are packed once, counted in their account, and removed with their file', async () => {
    const content = bcfOf([...Array.from({ length: 2000 }, (_, at) => [0, at * 100, 1]), [1, 4, 89_996]]);
    const cases: [string, Uint8Array, Buffer, number][] = [
      ['plain.vcf', Buffer.from(vcf), Buffer.from(vcf), 0],
      ['zip.vcf.gz', gzipSync(vcf), Buffer.from(vcf), 0],
      ['marked.vcf', Buffer.from(vcf.replaceAll('\n', '\r\n')), Buffer.from(vcf.replaceAll('\n', '\r\n')), 0],
      ['plain.bcf', content, content, 1],
      ['zip.bcf', gzipSync(content), content, 1],
    ];
    for (const [name, bytes, expected, isBcf] of cases) {
      const id = await app.put(project, name, bytes);
      const path = `/${app.account}/v1/htsget/variants/${id}`;
      const fetched = async (query: string) => fetchTicket((await app.call('GET', `${path}${query}`)).body);
      const [whole, again] = await Promise.all([fetched(''), fetched('')]);
      assert.ok(gunzipSync(whole).equals(expected), name);
      assert.ok(whole.equals(again));
      assert.ok(gunzipSync(await fetched('')).equals(expected), name);
      const region = gunzipSync(await fetched('?referenceName=2&start=80000&end=80001'));
      const header = gunzipSync(await fetched('?class=header'));
      assert.ok(expected.subarray(0, header.length).equals(header), name);
      const record = isBcf ? bcfRecordBytes : expected.length - expected.indexOf('2\t5\tw');
      assert.equal(region.length - header.length, record, name);
      const { read } = app.people.records;
      const row = await read
        .selectFrom('variant_indexes')
        .select(['packed_size', 'packed_blob'])
        .where('file_id', '=', id)
        .executeTakeFirstOrThrow();
      assert.ok(Number(row.packed_size) > 0 && row.packed_blob);
      const room = () => accountRoom(read, app.account, 1e9).then(Number);
      const before = await room();
      assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
      assert.equal((await room()) - before, bytes.length + Number(row.packed_size));
      const left = () =>
        read
          .selectFrom('blob_intents')
          .select('kind')
          .where('key', '=', row.packed_blob ?? '')
          .execute();
      assert.ok((await left()).every(({ kind }) => kind === 'remove'));
    }
  });

  test('an overwritten VCF is indexed again, and addresses of its old bytes end', async () => {
    const bytes = (text: string) => bgzf(Buffer.from(text), { blockBytes: 3001 });
    const id = await app.put(project, 'changing.vcf.gz', bytes(vcf));
    const ask = (query: string) => app.call('GET', `/${app.account}/v1/htsget/variants/${id}${query}`);
    const addressesOf = async (query: string) =>
      urlsOf(await ask(query)).flatMap(({ url }) => (url.startsWith('http') ? [url] : []));
    const queries = ['?referenceName=2', '?referenceName=1&start=0&end=9', '?class=header', ''];
    const old = (await Promise.all(queries.map(addressesOf))).flat();
    const statuses = () => Promise.all(old.map(async (url) => (await fetch(url)).status));
    assert.deepEqual(new Set(await statuses()), new Set([200]));
    const begun = await app.call('POST', '/v1/files', {
      body: { id, name: 'changing.vcf.gz', datasetId: project },
    });
    await fetch(begun.body.uploadUrl, { method: 'PUT', body: bytes(`${vcf}2\t95000\tnew\tA\tC\t.\t.\t.\n`) });
    const ticket = (await ask('?referenceName=2')).body;
    assert.match(gunzipSync(await fetchTicket(ticket)).toString(), /\tnew\t/);
    assert.deepEqual(new Set(await statuses()), new Set([404]));
  });
});
