import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inParallel } from '../../packages/server/src/platform/concurrency/in-parallel.ts';
import { memberWith, type World } from './people.ts';
import type { Household } from './world.ts';

/** Tests of addresses that authenticate by themselves. */
export function addressTests(world: World): void {
  const at = (path: string) => `${world.app.address}${path}`;

  test('a signed address that is changed in any part opens nothing', async () => {
    const { victim, stranger, tally } = world;
    const own = await signedAddresses(victim);
    const foreign = await signedAddresses(stranger);
    for (const { method, address } of own) {
      const others = [...own, ...foreign].map((other) => other.address).filter((other) => other !== address);
      const forged = changes(address, others);
      // In batches: a busy service may reject a burst.
      await inParallel(forged, 16, async (changed) => {
        const reply = await fetch(changed, { method, ...(method === 'PUT' && { body: 'forged' }) });
        const text = await reply.text();
        assert.ok(
          [400, 403, 404, 405].includes(reply.status),
          `${method} ${changed}: ${reply.status} ${text}`,
        );
        assert.ok(!text.includes(victim.mark), `${changed}: ${text}`);
      });
      tally.tries += forged.length;
      if (method === 'GET') assert.equal((await fetch(address)).status, 200, address);
    }
    assert.equal((await victim.call('GET', '/v1/files?name=mark-of-victim.waiting')).body.items.length, 0);
  });

  /** Returns one signed address of each kind. */
  async function signedAddresses({ call, ids }: Household): Promise<{ method: string; address: string }[]> {
    const get = async (path: string) => (await call('GET', path)).body;
    const ofTicket = async (path: string): Promise<string> => {
      const { urls } = (await get(`/${ids.account}/v1/htsget/${path}`)).htsget;
      return urls.find(({ url }: { url: string }) => url.startsWith('http')).url;
    };
    return [
      { method: 'GET', address: (await get(`/v1/files/${ids.file}?include=downloadUrl`)).downloadUrl },
      { method: 'GET', address: (await get(`/v1/files/${ids.query}?include=downloadUrl`)).downloadUrl },
      { method: 'GET', address: (await get(`/v1/users/${ids.user}/picture`)).downloadUrl },
      { method: 'GET', address: await ofTicket(`reads/${ids.readGroupSet}`) },
      { method: 'GET', address: await ofTicket(`variants/${ids.variants}`) },
      { method: 'PUT', address: at(ids.uploadUrl) },
      { method: 'PUT', address: (await get(`/v1/uploads/${ids.partedUpload}/parts/1`)).uploadUrl },
    ];
  }

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

  test('a forged address has the same answer for existing things and others', async () => {
    const query = '?expires=9999999999&signature=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const answers = new Set<string>();
    for (const id of [world.victim.ids.file, world.victim.ids.query, 'nothing']) {
      const reply = await fetch(at(`/v1/transfers/files/${id}${query}`));
      answers.add(`${reply.status} ${(await reply.text()).replace(/"requestId":"[^"]*"/, '')}`);
    }
    assert.equal(answers.size, 1);
  });

  test('a new key belongs to its maker, whatever else the request contains', async () => {
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

/** Returns a signed address, wrong in one part each; `others` are good for something else. */
function changes(address: string, others: string[]): string[] {
  const { searchParams: good } = new URL(address);
  const edit = (change: (url: URL) => void): string => {
    const url = new URL(address);
    change(url);
    return url.href;
  };
  const inQuery = [...good].flatMap(([name, value]) => [
    ...lettersChanged(value, name === 'signature').map((other) =>
      edit((url) => url.searchParams.set(name, other)),
    ),
    edit((url) => url.searchParams.delete(name)),
    edit((url) => url.searchParams.set(name, '')),
    edit((url) => url.searchParams.append(name, value)),
    edit((url) => url.searchParams.append(name, '9999999999')),
  ]);
  const swapped = others.flatMap((other) => [
    edit((url) => {
      url.search = new URL(other).search;
    }),
    edit((url) => {
      url.pathname = new URL(other).pathname;
    }),
    ...[...new URL(other).searchParams]
      .filter(([name, value]) => good.has(name) && good.get(name) !== value)
      .map(([name, value]) => edit((url) => url.searchParams.set(name, value))),
  ]);
  const paths = [
    (path: string) => path.toUpperCase(),
    (path: string) => path.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
    (path: string) => `${path}/`,
    (path: string) => `${path}%00`,
    (path: string) => path.replace('/v1/', '/v1//'),
    (path: string) => path.replace(/[0-9a-f]$/, (last) => (last === '0' ? '1' : '0')),
  ].map((change) =>
    edit((url) => {
      url.pathname = change(url.pathname);
    }),
  );
  const more = [
    edit(({ searchParams }) => searchParams.append('more', '1')),
    edit(({ searchParams }) => searchParams.set('expires', '1e20')),
  ];
  return [...new Set([...inQuery, ...swapped, ...paths, ...more])].filter((changed) => changed !== address);
}

/** Returns a value with each of its letters changed once. The last letter of a signature holds two meaningless bits. */
function lettersChanged(value: string, isSignature: boolean): string[] {
  const letters = Array.from(isSignature ? value.slice(0, -1) : value);
  const other = (letter: string): string =>
    /\d/.test(letter) ? (letter === '7' ? '8' : '7') : letter === 'A' ? 'B' : 'A';
  return letters.map((letter, index) => value.slice(0, index) + other(letter) + value.slice(index + 1));
}
