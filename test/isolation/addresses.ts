import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberWith, type World } from './people.ts';

/** Tests of addresses that authenticate by themselves. */
export function addressTests(world: World): void {
  const at = (path: string) => `${world.app.address}${path}`;

  test('a signed address that is changed in any part opens nothing', async () => {
    const { ids, call } = world.victim;
    const download = (await call('GET', `/v1/files/${ids.file}?include=downloadUrl`)).body.downloadUrl;
    const upload = at(ids.uploadUrl);
    const other = (await call('GET', `/v1/files/${ids.query}?include=downloadUrl`)).body.downloadUrl;
    for (const [method, address, swapped] of [
      ['GET', download, other],
      ['PUT', upload, download],
    ]) {
      for (const changed of changes(address, swapped)) {
        const reply = await fetch(changed, { method, ...(method === 'PUT' && { body: 'forged' }) });
        const text = await reply.text();
        assert.ok([400, 403, 404, 405].includes(reply.status), `${method} ${changed}: ${reply.status}`);
        assert.ok(!text.includes(world.victim.mark), changed);
      }
    }
    assert.equal((await fetch(download)).status, 200);
    assert.equal((await call('GET', '/v1/files?name=mark-of-victim.waiting')).body.items.length, 0);
  });

  test('a signed address is good for one method on one thing', async () => {
    const { ids, call } = world.victim;
    const address: string = (await call('GET', `/v1/files/${ids.file}?include=downloadUrl`)).body.downloadUrl;
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
      assert.equal((await fetch(address, { method })).status, 405);
    }
    const asUpload = address.replace('/transfers/files/', '/transfers/uploads/');
    assert.equal((await fetch(asUpload, { method: 'PUT', body: 'x' })).status, 403);
    assert.equal((await fetch(at(ids.uploadUrl).replace('uploads', 'files'))).status, 403);
    assert.equal((await fetch(at(`/v1/files/${ids.file}${new URL(address).search}`))).status, 401);
  });

  test('a forged address says the same of things that exist and of others', async () => {
    const query = '?expires=9999999999&signature=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const answers = new Set<string>();
    for (const id of [world.victim.ids.file, world.victim.ids.query, 'nothing']) {
      const reply = await fetch(at(`/v1/transfers/files/${id}${query}`));
      answers.add(`${reply.status} ${(await reply.text()).replace(/"requestId":"[^"]*"/, '')}`);
    }
    assert.equal(answers.size, 1);
  });

  test('a key that somebody makes is his own, whatever else he writes into the request', async () => {
    const { account } = world.victim.ids;
    const { userId } = world.victim.owner;
    const sender = { key: world.stranger.owner.key, account: 'stranger' };
    const body = { name: 'Forged', expireInDays: 1, userId, account, sub: userId, via: 'host', id: 'x' };
    const made = await world.app.call('POST', '/v1/api-keys', { body, ...sender });
    assert.equal(made.status, 200);
    assert.equal(made.body.account, 'stranger');
    const claims = JSON.parse(Buffer.from(made.body.key.split('.')[1], 'base64url').toString());
    assert.equal(claims.sub, world.stranger.owner.userId);
    assert.equal(claims.account, 'stranger');
    const seen = await world.app.call('GET', '/v1/accounts', { key: made.body.key, account: undefined });
    assert.deepEqual(
      seen.body.accounts.map(({ id }: { id: string }) => id),
      ['stranger'],
    );
  });

  test('an idempotency key of one user repeats nothing to another', async () => {
    const headers = { 'idempotency-key': 'the-same-for-both' };
    const body = { name: 'Made once', expireInDays: 1 };
    const one = await world.victim.call('POST', '/v1/api-keys', { body, headers });
    const member = await memberWith(world, []);
    const other = await world.app.call('POST', '/v1/api-keys', { body, headers, ...member });
    assert.equal(other.status, 200);
    assert.equal(other.headers.get('idempotency-replayed'), null);
    assert.notEqual(other.body.key, one.body.key);
  });
}

/** A signed address, wrong in one part each. */
function changes(address: string, swapped: string): string[] {
  const signature = new URL(address).searchParams.get('signature') ?? '';
  const edit = (change: (url: URL) => void): string => {
    const url = new URL(address);
    change(url);
    return url.href;
  };
  const flips = Array.from(signature, (letter, index) =>
    edit(({ searchParams }) =>
      searchParams.set(
        'signature',
        signature.slice(0, index) + (letter === 'A' ? 'B' : 'A') + signature.slice(index + 1),
      ),
    ),
  );
  return [
    // The last letter holds two bits that say nothing.
    ...flips.slice(0, -1),
    edit(({ searchParams }) => searchParams.set('expires', '9999999999')),
    edit(({ searchParams }) => searchParams.set('expires', '1')),
    edit(({ searchParams }) => searchParams.set('expires', '1e20')),
    edit(({ searchParams }) => searchParams.delete('expires')),
    edit(({ searchParams }) => searchParams.delete('signature')),
    edit(({ searchParams }) => searchParams.append('expires', '9999999999')),
    edit(({ searchParams }) => searchParams.append('signature', signature)),
    edit(({ searchParams }) => searchParams.append('more', '1')),
    edit((url) => {
      url.search = new URL(swapped).search;
    }),
    edit((url) => {
      url.pathname = new URL(swapped).pathname;
    }),
    edit((url) => {
      url.pathname = url.pathname.toUpperCase();
    }),
    edit((url) => {
      url.pathname = url.pathname.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`);
    }),
    edit((url) => {
      url.pathname += '/';
    }),
    edit((url) => {
      url.pathname += '%00';
    }),
    edit((url) => {
      url.pathname = url.pathname.replace('/v1/', '/v1//');
    }),
  ];
}
