import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { Guests } from './guests.fixture.ts';

describeApp('an invitation whose sender has left', (app) => {
  const guests = new Guests(app);

  test('is the account’s: it stays good, and administrators find and revoke it', async () => {
    const sender = await app.people.member('main', ['accessAdmin']);
    const group = await guests.group();
    const [guest, other] = [await guests.guest(), await guests.guest()];
    const invite = async (email: string): Promise<string> => {
      const reply = await app.call('POST', '/v1/invitations', { key: sender.key, body: { group, email } });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.id;
    };
    const [accepted, revoked] = [await invite(guest.email), await invite(other.email)];
    const subjects = await guests.group('Subjects');
    const left = await app.call('DELETE', `/v1/account/groups/${subjects}/members/${sender.userId}`);
    assert.equal(left.status, 204, left.text);
    assert.equal((await guests.change(revoked, 'REVOKED', sender.key)).status, 401, 'he is gone');
    const list = await app.call('GET', '/v1/invitations?account=main&sender=anyone&pageSize=1000');
    const ids = list.body.items.map(({ id }: { id: string }) => id);
    assert.ok(ids.includes(accepted) && ids.includes(revoked));
    assert.equal((await guests.change(revoked, 'REVOKED')).status, 200);
    assert.equal((await guests.change(accepted, 'ACCEPTED', guest.key)).status, 200);
    assert.equal(await guests.isMember(guest.email, group), true);
  });
});
