import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { testOnRecords } from '../../../../../../../test/support/records.ts';
import type { GrantsTable } from '../../../../platform/records/schema-sign-in.ts';
import { secretsFrom } from '../../../../platform/secrets/secrets.ts';
import { TokenKeys } from './token-keys.ts';
import { Tokens } from './tokens.ts';

const hourMs = 3_600_000;
const lives = {
  useMs: 100 * hourMs,
  publishedBeforeMs: 10 * hourMs,
  keptAfterMs: 2 * hourMs,
  hintsAfterMs: 50 * hourMs,
};

testOnRecords(
  'a key is created when first needed: one to sign, and one of each algorithm to publish',
  async ({ open }) => {
    const records = await open();
    mock.timers.enable({ apis: ['Date'], now: Math.floor(Date.now() / lives.useMs) * lives.useMs });
    try {
      const secrets = secretsFrom(randomBytes(32));
      const [keys, other] = [new TokenKeys(records, secrets, lives), new TokenKeys(records, secrets, lives)];
      const kept = async () =>
        (await records.read.selectFrom('token_keys').select('algorithm').orderBy('algorithm').execute()).map(
          (row) => row.algorithm,
        );
      await keys.rotate();
      assert.deepEqual(await kept(), [], 'no sign-in yet');

      const signing = [keys, keys, other].map((one) => one.signing('ES256'));
      const ids = (await Promise.all(signing)).map((key) => key.id);
      assert.equal(new Set(ids).size, 1, 'all that sign at once, in two processes, sign with one key');
      await keys.rotate();
      assert.deepEqual(await kept(), ['ES256']);

      const published = (await Promise.all([keys.published(), other.published()])).map((all) =>
        all.map(({ kid }) => kid).sort(),
      );
      assert.deepEqual(await kept(), ['ES256', 'RS256']);
      assert.deepEqual(published[0], published[1]);
      assert.equal(published[0]?.length, 2);
      assert.ok(published[0]?.includes((await other.signing('RS256')).id), 'published before it has signed');
    } finally {
      mock.timers.reset();
    }
  },
);

testOnRecords(
  'a token signed by the first key of another process is verified before the key is announced',
  async ({ open }) => {
    const secrets = secretsFrom(randomBytes(32));
    const here = new TokenKeys(await open(), secrets, lives);
    assert.equal(await here.find('a key that is nowhere'), undefined);
    const { id } = await new TokenKeys(await open(), secrets, lives).signing('ES256');
    assert.equal((await here.find(id))?.id, id);
  },
);

testOnRecords(
  'the next key is published before it signs, and the last one kept until its tokens have expired',
  async ({ open }) => {
    const start = Math.floor(Date.now() / lives.useMs) * lives.useMs;
    const records = await open();
    mock.timers.enable({ apis: ['Date'], now: start });
    try {
      const secrets = secretsFrom(randomBytes(32));
      const keys = new TokenKeys(records, secrets, lives);
      const other = new TokenKeys(records, secrets, lives);
      const first = await keys.signing('ES256');
      const tokens = new Tokens(other, () => 'https://here.example/v1');
      const grant = { id: 'g', client_id: 'c', user_id: 'u', methods: '[]', session_id: 's', ends_at: null };
      const idToken = await tokens.signIdToken(grant as GrantsTable, {}, false);
      const said = { userId: 'u', clientId: 'c', sessionId: 's' };
      assert.equal((await other.signing('ES256')).id, first.id, 'another process signs with the same key');
      const published = async () =>
        (await other.published()).filter(({ alg }) => alg === 'ES256').map(({ kid }) => kid);
      assert.deepEqual(await published(), [first.id]);
      for (const key of await keys.published())
        assert.equal('d' in key, false, 'only public halves are published');

      mock.timers.setTime(start + 91 * hourMs);
      await Promise.all([keys.rotate(), other.rotate()]);
      const both = await published();
      assert.equal(both.length, 2, 'processes that rotate at once make one key');
      assert.equal((await other.signing('ES256')).id, first.id, 'published, not used yet');

      mock.timers.setTime(start + 103 * hourMs);
      await keys.rotate();
      const second = await keys.signing('ES256');
      assert.notEqual(second.id, first.id);
      assert.ok((await published()).includes(first.id), 'tokens of the last hour can still be verified');

      mock.timers.setTime(start + 105 * hourMs);
      await keys.rotate();
      assert.deepEqual(await published(), [second.id]);
      assert.equal(await other.find(first.id), undefined);
      const published256 = (await other.published()).filter(({ alg }) => alg === 'RS256');
      assert.equal(published256.length, 1, 'for id tokens of today');
      assert.deepEqual(await tokens.readIdTokenHint(idToken), said, 'it names a session that is still there');

      mock.timers.setTime(start + 153 * hourMs);
      await keys.rotate();
      assert.equal(await tokens.readIdTokenHint(idToken), undefined);
    } finally {
      mock.timers.reset();
    }
  },
);
