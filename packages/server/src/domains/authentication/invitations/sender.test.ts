import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { createUser } from '../../identity/users/index.ts';
import { Guests } from './guests.fixture.ts';

describeApp('an invitation of a former member', (app) => {
  const guests = new Guests(app);

  test('an invitation of a former member belongs to the account: it stays valid, and administrators list and revoke it', async () => {
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
    assert.equal((await guests.change(revoked, 'REVOKED', sender.key)).status, 401, 'the sender is gone');
    const list = await app.call('GET', '/v1/invitations?account=main&sender=anyone&pageSize=1000');
    const ids = list.body.items.map(({ id }: { id: string }) => id);
    assert.ok(ids.includes(accepted) && ids.includes(revoked));
    assert.equal((await guests.change(revoked, 'REVOKED')).status, 200);
    assert.equal((await guests.change(accepted, 'ACCEPTED', guest.key)).status, 200);
    assert.equal(await guests.isMember(guest.email, group), true);
  });
});

describeApp('an invitation of an inviter whose address only the account’s provider vouches for', (app) => {
  const guests = new Guests(app);

  test('names the inviter in the account, and neither in the letter nor on its page', async () => {
    const email = 'chief@hospital.example';
    const { id } = (await guests.invite('stranger@elsewhere.test')).body;
    await app.people.records.transact(async (tx) => {
      const user = await createUser(tx, email, {}, { claimedBy: app.account });
      await tx.updateTable('invitations').set({ inviter_id: user.id }).where('id', '=', id).execute();
    });
    const resent = await app.call('POST', `/v1/invitations/${id}/resend`);
    assert.equal(resent.body.inviter, email);
    const page = await (await fetch(await guests.link(id, 2))).text();
    const letter = readFileSync(join(app.folder, 'outbox', `${id}.2.eml`), 'utf8');
    for (const one of [letter, page]) assert.ok(!one.includes(email), one);
    assert.match(letter, /A user invites you/);
    assert.match(page, /You are invited/);
  });
});
