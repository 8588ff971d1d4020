/** Bytes that are on their way when the credential that asked for their address ends. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

describeApp('transfers whose key is revoked meanwhile', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'In flight' } })).body.id;
  });

  const newKey = async (): Promise<{ id: string; key: string }> =>
    (await app.call('POST', '/v1/api-keys', { body: { name: 'In flight', expireInDays: 1 } })).body;

  const scratch = (): string[] => {
    const folder = join(app.folder, 'blobs', 'scratch');
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  /** Sends half a body, revokes the key when the service writes it, and sends the rest. */
  const sendAround = async (url: string, revoked: string, headers: Record<string, string> = {}) => {
    const before = new Set(scratch());
    const body = new ReadableStream({
      start: async (stream) => {
        stream.enqueue(Buffer.from('GIF89a, and '));
        await until(() => scratch().some((name) => !before.has(name)), 'the service writes');
        assert.equal((await app.call('DELETE', `/v1/api-keys/${revoked}`)).status, 204);
        stream.enqueue(Buffer.from('the other half'));
        stream.close();
      },
    });
    const response = await fetch(url, { method: 'PUT', body, duplex: 'half', headers });
    return { status: response.status, code: ((await response.json()) as { code: string }).code };
  };
  const ended = { status: 403, code: 'CREDENTIAL_ENDED' };

  test('an upload leaves no file', async () => {
    const { id, key } = await newKey();
    const body = { name: 'whole.txt', datasetId: project };
    const begun = (await app.call('POST', '/v1/files', { key, body })).body;
    assert.deepEqual(await sendAround(begun.uploadUrl, id), ended);
    assert.equal((await app.call('GET', `/v1/files/${begun.id}`)).status, 404);
    assert.deepEqual(scratch(), []);
  });

  test('a part is not kept, and another credential sends it again', async () => {
    const { id, key } = await newKey();
    const body = { name: 'parts.txt', datasetId: project };
    const { uploadId, id: file } = (await app.call('POST', '/v1/uploads', { key, body })).body;
    const path = `/v1/uploads/${uploadId}`;
    const part = (await app.call('GET', `${path}/parts/1`, { key })).body;
    assert.deepEqual(await sendAround(part.uploadUrl, id), ended);
    assert.equal((await app.call('DELETE', path)).body.code, 'UPLOAD_EMPTY');
    const again = (await app.call('GET', `${path}/parts/1`)).body;
    assert.equal((await fetch(again.uploadUrl, { method: 'PUT', body: 'again' })).status, 200);
    assert.equal((await app.call('DELETE', path)).status, 204);
    assert.equal((await app.call('GET', `/v1/files/${file}`)).text, 'again');
  });

  test('a picture is not taken', async () => {
    const { id, key } = await newKey();
    const user = (await app.call('GET', '/v1/user')).body.id;
    const headers = { authorization: key, 'content-type': 'image/gif', 'content-length': '26' };
    const path = `/v1/users/${user}/picture`;
    assert.deepEqual(await sendAround(`${app.address}${path}`, id, headers), ended);
    assert.equal((await app.call('GET', path)).status, 404);
  });
});
