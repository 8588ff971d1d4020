import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { authorize, callback, makeClient, pkce, signedIn } from './signed-in.fixture.ts';

describeApp('leaving an account', (app) => {
  test('a user who leaves the account concurrently keeps no token of its applications', async () => {
    const { id } = await makeClient(app);
    const request = { response_type: 'code', client_id: id, redirect_uri: callback, ...pkce().challenge };
    for (let round = 0; round < 5; round += 1) {
      const { userId } = await app.people.member(app.account, []);
      const theirs = await signedIn(app, userId);
      const groups = await app.people.records.read
        .selectFrom('group_members')
        .select('group_id')
        .where('user_id', '=', userId)
        .execute();
      const ask = () => authorize(app, request, theirs);
      const leave = () =>
        app
          .call('DELETE', `/v1/account/groups/${groups[0]?.group_id}/members/${userId}`)
          .then(({ status }) => status);
      const [, left] = await Promise.all([ask(), leave(), ...Array.from({ length: 10 }, ask)]);
      assert.equal(left, 204);
      const kept = await app.people.records.read
        .selectFrom('grants')
        .select('id')
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .execute();
      assert.deepEqual(kept, []);
    }
  });
});
