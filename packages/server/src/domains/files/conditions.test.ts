import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp('preconditions on files', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Conditions' } })).body.id;
  });

  const at = (id: string) => `/v1/files/${id}`;
  const overwrite = async (name: string, bytes: string): Promise<void> => {
    const body = { name, datasetId: project, overwrite: true };
    const { uploadUrl } = (await app.call('POST', '/v1/files', { body })).body;
    assert.equal((await fetch(uploadUrl, { method: 'PUT', body: bytes })).status, 200);
  };
  const stateOf = async (id: string): Promise<{ etag: string; modified: string }> => {
    const { headers } = await app.call('GET', at(id));
    return { etag: headers.get('etag') ?? '', modified: headers.get('last-modified') ?? '' };
  };
  const past = 'Sun, 06 Nov 1994 08:49:37 GMT';

  test('reads evaluate conditions in the order of RFC 9110, at both addresses of the bytes', async () => {
    const id = await app.put(project, 'read.txt', '0123456789');
    const { etag, modified } = await stateOf(id);
    const { downloadUrl } = (await app.call('GET', `${at(id)}?include=downloadUrl`)).body;
    const credentials = { authorization: app.key, 'service-account': app.account };
    const cases: [Record<string, string>, number][] = [
      [{ 'if-match': etag }, 200],
      [{ 'if-match': '*' }, 200],
      [{ 'if-match': `"other", ${etag}` }, 200],
      [{ 'if-match': '"other"' }, 412],
      [{ 'if-match': `W/${etag}` }, 412],
      [{ 'if-match': '"other"', 'if-none-match': etag, range: 'bytes=99-' }, 412],
      [{ 'if-match': etag, 'if-none-match': etag }, 304],
      [{ 'if-match': etag, range: 'bytes=0-1' }, 206],
      [{ 'if-match': etag, range: 'bytes=99-' }, 416],
      [{ 'if-unmodified-since': modified }, 200],
      [{ 'if-unmodified-since': past }, 412],
      [{ 'if-unmodified-since': 'yesterday' }, 200],
      [{ 'if-unmodified-since': past, 'if-match': etag }, 200],
      [{ 'if-modified-since': modified }, 304],
      [{ 'if-modified-since': past }, 200],
      [{ 'if-modified-since': modified, 'if-none-match': '"other"' }, 200],
      [{ 'if-modified-since': modified, range: 'bytes=0-1' }, 304],
    ];
    for (const url of [`${app.address}${at(id)}`, downloadUrl]) {
      for (const method of ['GET', 'HEAD']) {
        for (const [conditions, status] of cases) {
          const headers = { ...credentials, ...conditions };
          const reply = await fetch(url, { method, headers });
          // Only GET has ranges (§14.2).
          const isRange = method === 'HEAD' && (status === 206 || status === 416);
          assert.equal(reply.status, isRange ? 200 : status, `${method} ${JSON.stringify(conditions)}`);
          const text = await reply.text();
          if (status === 412) assert.equal(reply.headers.get('etag'), etag);
          if (status === 412 && method === 'GET') assert.equal(JSON.parse(text).code, 'PRECONDITION_FAILED');
        }
      }
    }
  });

  test('continuing a range of bytes replaced meanwhile is refused with 412', async () => {
    const id = await app.put(project, 'replaced.txt', 'the old bytes');
    const { etag } = await stateOf(id);
    await overwrite('replaced.txt', 'the new bytes');
    const headers = { 'if-match': etag, range: 'bytes=4-' };
    assert.equal((await app.call('GET', at(id), { headers })).status, 412);
  });

  test('a file overwritten since it was read is neither renamed, moved nor deleted', async () => {
    const elsewhere = (await app.call('POST', '/v1/projects', { body: { name: 'Not here' } })).body.id;
    const id = await app.put(project, 'kept.txt', 'old');
    const { etag } = await stateOf(id);
    await overwrite('kept.txt', 'new');
    const changes: [string, object | undefined][] = [
      ['PATCH', { name: 'renamed.txt' }],
      ['PATCH', { datasetId: elsewhere }],
      ['PATCH', {}],
      ['DELETE', undefined],
    ];
    for (const conditions of [{ 'if-match': etag }, { 'if-match': '"x"' }, { 'if-unmodified-since': past }]) {
      for (const [method, body] of changes) {
        const reply = await app.call(method, at(id), { headers: conditions as never, body });
        assert.deepEqual([reply.status, reply.body.code], [412, 'PRECONDITION_FAILED'], method);
        // A caller may be allowed to change a file and not to read it; the tag reveals its content.
        assert.equal(reply.headers.get('etag'), null);
      }
    }
    const { body } = await app.call('GET', `${at(id)}?include=metadata`);
    assert.deepEqual([body.name, body.datasetId], ['kept.txt', project]);
    assert.equal((await app.call('GET', at(id))).text, 'new');
  });

  test('a matching tag, or *, permits renaming and deleting', async () => {
    const id = await app.put(project, 'present.txt', 'bytes');
    const { etag } = await stateOf(id);
    for (const [name, tag] of [
      ['one.txt', etag],
      ['two.txt', '*'],
    ]) {
      const headers = { 'if-match': tag ?? '' };
      assert.equal((await app.call('PATCH', at(id), { headers, body: { name } })).status, 200);
    }
    assert.equal((await stateOf(id)).etag, etag, 'the tag is of the bytes');
    assert.equal((await app.call('DELETE', at(id), { headers: { 'if-match': etag } })).status, 204);
    assert.equal((await app.call('DELETE', at(id), { headers: { 'if-match': '*' } })).status, 404);
  });

  test('a concurrent deletion with a tag never deletes the overwritten bytes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const name = `race-${round}.txt`;
      const id = await app.put(project, name, 'old');
      const { etag } = await stateOf(id);
      const headers = { 'if-match': etag };
      const [deleted] = await Promise.all([app.call('DELETE', at(id), { headers }), overwrite(name, 'new')]);
      assert.ok([204, 412].includes(deleted.status), `${deleted.status}`);
      const list = await app.call('GET', `/v1/files?datasetId=${project}&name=${name}`);
      assert.equal(list.body.items.length, 1);
      assert.equal((await app.call('GET', at(list.body.items[0].id))).text, 'new');
    }
  });

  test('a fragment of a file, or a form around it, is never accepted as the whole', async () => {
    const id = await app.put(project, 'whole.txt', '0123456789');
    const begun = await app.call('POST', '/v1/files', {
      body: { name: 'whole.txt', datasetId: project, overwrite: true },
    });
    const parted = await app.call('POST', '/v1/uploads', {
      body: { name: 'parted.txt', datasetId: project },
    });
    const part = await app.call('GET', `/v1/uploads/${parted.body.uploadId}/parts/1`);
    for (const url of [begun.body.uploadUrl, part.body.uploadUrl]) {
      const headers = { 'content-range': 'bytes 2-3/10' };
      const reply = await fetch(url, { method: 'PUT', headers, body: 'xx' });
      const { code, details } = JSON.parse(await reply.text());
      assert.deepEqual(
        [reply.status, code, details[0].path],
        [400, 'INVALID_INPUT', 'headers/content-range'],
      );
      const form = new FormData();
      form.append('file', new Blob(['whole']), 'whole.txt');
      const sent = await fetch(url, { method: 'PUT', body: form });
      const text = await sent.text();
      const refusal = JSON.parse(text);
      assert.deepEqual([sent.status, refusal.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
      assert.match(text, /curl -T/);
    }
    assert.equal((await app.call('GET', at(id))).text, '0123456789');
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'whole' })).status, 200);
  });
});
