import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { addReads, fetchTicket, readNames } from '../../../../../../test/support/genomics.ts';
import { bam, overlapping, reads, urlsOf } from './files.fixture.ts';

describeApp('htsget', (app) => {
  let project: string;
  let set: string;
  let path: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Reads' } })).body.id;
    set = await addReads(app, project, 'reads.bam', bam);
    path = `/${app.account}/v1/htsget/reads/${set}`;
  });

  const ask = (query = '', headers: Record<string, string> = {}): Promise<Reply> =>
    app.call('GET', `${path}${query}`, { headers, account: undefined });
  const post = (body: unknown, query = ''): Promise<Reply> => app.call('POST', `${path}${query}`, { body });

  test('a ticket without a region yields the whole file in the expected shape', async () => {
    const reply = await ask();
    assert.equal(reply.status, 200);
    assert.ok(reply.text.startsWith('{"htsget":{"format":"BAM","urls":[{"url":"data:;base64,'));
    assert.deepEqual(Object.keys(reply.body), ['htsget']);
    assert.ok(urlsOf(reply).every(({ headers }) => Object.keys(headers).length === 0));
    assert.deepEqual(
      urlsOf(reply).map((one) => one.class),
      ['header', 'body', 'body'],
    );
    assert.deepEqual(gunzipSync(await fetchTicket(reply.body)), gunzipSync(bam));
  });

  test('a header is served alone, also if a client adds a region', async () => {
    for (const query of ['?class=header', '?class=header&format=BAM&referenceName=none&start=x']) {
      const reply = await ask(query);
      assert.equal(urlsOf(reply).length, 1);
      const header = gunzipSync(await fetchTicket(reply.body));
      assert.ok(gunzipSync(bam).subarray(0, header.length).equals(header));
      assert.deepEqual(readNames(await fetchTicket(reply.body)), []);
    }
  });

  test('a region yields every overlapping read and few others, in whole BGZF blocks', async () => {
    for (const [start, end] of [
      [0, 1],
      [499, 501],
      [10_000, 60_000],
      [1_499_000, 2_000_000],
      [123_456, 123_457],
    ]) {
      const reply = await ask(`?referenceName=chr1&start=${start}&end=${end}`);
      for (const { url } of urlsOf(reply)) gunzipSync(Buffer.from(await (await fetch(url)).arrayBuffer()));
      const names = readNames(await fetchTicket(reply.body));
      const wanted = overlapping(0, start ?? 0, end ?? 0);
      assert.deepEqual(
        names.filter((name) => wanted.includes(name)),
        wanted,
      );
      assert.ok(names.every((name) => name.startsWith('a')));
    }
    assert.equal(readNames(await fetchTicket((await ask('?referenceName=chr1')).body)).length, 3000);
    assert.equal(
      readNames(await fetchTicket((await ask('?referenceName=2&start=499505')).body)).at(-1),
      'b999',
    );
  });

  test('unplaced reads, other names of a sequence, and regions without reads are served', async () => {
    const names = async (query: string) => readNames(await fetchTicket((await ask(query)).body));
    assert.deepEqual(await names('?referenceName=*'), ['u0', 'u1']);
    assert.deepEqual(
      await names('?referenceName=1&start=0&end=400'),
      await names('?referenceName=chr1&start=0&end=400'),
    );
    assert.deepEqual(await names('?referenceName=chr2&end=5'), await names('?referenceName=2&end=5'));
    assert.deepEqual(await names('?referenceName=chrM'), []);
    assert.deepEqual(await names('?referenceName=MT&start=5&end=5'), []);
    assert.deepEqual(await names('?referenceName=chr1&start=4000000000'), []);
  });

  test('several regions yield each read once, in file order', async () => {
    const regions = [
      { referenceName: '2', start: 1000, end: 3000 },
      { referenceName: 'chr1', start: 0, end: 2000 },
      { referenceName: 'chr1', start: 1000, end: 4000 },
      { referenceName: '*' },
    ];
    const names = readNames(await fetchTicket((await post({ format: 'bam', regions, tags: ['RG'] })).body));
    const wanted = [...overlapping(0, 0, 4000), ...overlapping(1, 1000, 3000), 'u0', 'u1'];
    assert.deepEqual(
      names.filter((name) => wanted.includes(name)),
      wanted,
    );
    assert.equal(new Set(names).size, names.length);
    assert.equal(readNames(await fetchTicket((await post({})).body)).length, reads.length);
    assert.equal(urlsOf(await post({ class: 'header' })).length, 1);
  });

  test('every error has the standard’s status and name', async () => {
    const wrong: [string, number, string][] = [
      ['?format=CRAM', 400, 'UnsupportedFormat'],
      ['?class=body', 400, 'InvalidInput'],
      ['?start=1', 400, 'InvalidInput'],
      ['?end=1', 400, 'InvalidInput'],
      ['?referenceName=*&start=1', 400, 'InvalidInput'],
      ['?referenceName=&start=1', 400, 'InvalidInput'],
      ['?referenceName=chr1&start=1.5', 400, 'InvalidInput'],
      ['?referenceName=chr1&start=-1', 400, 'InvalidInput'],
      ['?referenceName=chr1&end=4294967296', 400, 'InvalidInput'],
      ['?referenceName=chr1&start=1&start=2', 400, 'InvalidInput'],
      ['?referenceName=chr1&start=10&end=9', 400, 'InvalidRange'],
      ['?fields=QNAME,NAME', 400, 'InvalidInput'],
      ['?tags=RG,NM&notags=NM', 400, 'InvalidInput'],
      ['?referenceName=chrUn', 404, 'NotFound'],
    ];
    for (const [query, status, error] of wrong) {
      const reply = await ask(query);
      assert.deepEqual([reply.status, reply.body?.htsget?.error], [status, error], query);
      assert.deepEqual(Object.keys(reply.body.htsget), ['error', 'message']);
    }
    const bodies: [unknown, number, string][] = [
      [{ regions: [] }, 400, 'InvalidInput'],
      [{ regions: [{ start: 1 }] }, 400, 'InvalidInput'],
      [{ regions: [{ referenceName: 'chr1', start: '1' }] }, 400, 'InvalidInput'],
      [{ regions: [{ referenceName: 'chr1', start: 5, end: 5 }] }, 400, 'InvalidRange'],
      [{ regions: [{ referenceName: '*', start: 5 }] }, 400, 'InvalidInput'],
      [{ format: 'CRAM' }, 400, 'UnsupportedFormat'],
      ['{broken', 400, 'InvalidInput'],
      [
        { regions: Array.from({ length: 10_001 }, () => ({ referenceName: 'chr1' })) },
        413,
        'PayloadTooLarge',
      ],
      [{ format: 'x'.repeat(2_000_000) }, 413, 'PayloadTooLarge'],
    ];
    for (const [body, status, error] of bodies) {
      const reply = await post(body);
      assert.deepEqual([reply.status, reply.body?.htsget?.error], [status, error], reply.text.slice(0, 200));
    }
    assert.equal((await post({}, '?format=BAM')).body.htsget.error, 'InvalidInput');
  });

  test('a set being indexed is 503 with Retry-After, and a failed one reports the reason', async () => {
    const waiting = await addReads(app, project, 'waiting.bam', bam);
    const answer = async (status: 'INDEXING' | 'FAILED') => {
      await app.people.records.transact(async (tx) => {
        await tx.updateTable('readgroup_sets').set({ status }).where('id', '=', waiting).execute();
      });
      return app.call('GET', `/${app.account}/v1/htsget/reads/${waiting}?referenceName=chr1`);
    };
    const indexing = await answer('INDEXING');
    assert.deepEqual([indexing.status, indexing.body.htsget.error], [503, 'ServiceUnavailable']);
    assert.ok(Number(indexing.headers.get('retry-after')) > 0);
    const failed = await answer('FAILED');
    assert.deepEqual([failed.status, failed.body.htsget.error], [404, 'NotFound']);
    assert.match(failed.body.htsget.message, /message of the read group set/);
  });

  test('missing credentials, rights or membership are reported in the standard’s format', async () => {
    const nobody = await app.call('GET', path, { key: undefined });
    assert.deepEqual([nobody.status, nobody.body.htsget.error], [401, 'InvalidAuthentication']);
    const member = await app.people.member(app.account, ['createData']);
    const reader = await app.people.member(app.account, ['readData']);
    const stranger = await app.people.owner(`strangers-${set.slice(-6)}`);
    const as = (key: string, account = app.account, id = set) =>
      app.call('GET', `/${account}/v1/htsget/reads/${id}`, {
        key,
        headers: { 'x-request-id': 'the-same-id' },
      });
    assert.deepEqual(
      [(await as(member.key)).status, (await as(member.key)).body.htsget.error],
      [403, 'PermissionDenied'],
    );
    assert.equal((await as(reader.key)).status, 200);
    const strange = await as(stranger.key);
    assert.deepEqual([strange.status, strange.body.htsget.error], [404, 'NotFound']);
    assert.equal(strange.text, (await as(stranger.key, stranger.account, 'none')).text);
    assert.equal(
      (await as(stranger.key, stranger.account)).text,
      strange.text,
      'under another account’s path',
    );
  });

  test('responses use the standard’s media type if accepted, and allow any origin without cookies', async () => {
    assert.equal((await ask()).headers.get('content-type'), 'application/json; charset=utf-8');
    const accept = 'application/vnd.ga4gh.htsget.v1.2.0+json, */*';
    const type = (await ask('', { accept })).headers.get('content-type');
    assert.equal(type, 'application/vnd.ga4gh.htsget.v1.3.0+json; charset=utf-8');
    const origin = 'https://igv.example';
    const [block = ''] = urlsOf(await ask()).flatMap(({ url }) => (url.startsWith('http') ? [url] : []));
    const addresses = [`${app.address}${path}`, `${app.address}${path}?format=CRAM`, block, `${block}x`];
    for (const address of addresses) {
      const { headers } = await fetch(address, { headers: { origin } });
      assert.equal(headers.get('access-control-allow-origin'), origin);
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.match(headers.get('vary') ?? '', /Origin/);
      const preflight = await fetch(address, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
      assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization');
      assert.equal(preflight.headers.get('access-control-max-age'), '2592000');
      assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /GET/);
    }
  });

  test('service-info of both endpoints is public', async () => {
    for (const [datatype, formats] of [
      ['reads', ['BAM', 'CRAM']],
      ['variants', ['VCF', 'BCF']],
    ]) {
      const info = await app.call('GET', `/${app.account}/v1/htsget/${datatype}/service-info`, {
        key: undefined,
      });
      assert.equal(info.status, 200);
      const { type, htsget } = info.body;
      assert.deepEqual(type, { group: 'org.ga4gh', artifact: 'htsget', version: '1.3.0' });
      const ineffective = { fieldsParameterEffective: false, tagsParametersEffective: false };
      assert.deepEqual(htsget, { datatype, formats, ...ineffective });
    }
  });
});
