import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { newId } from '../../../base/ids.ts';
import { Guests } from './guests.fixture.ts';

describeApp('links of invitations to pass on', (app) => {
  const guests = new Guests(app);

  test('an administrator of the only account gets the link of the mail once; it ends with the next one', async () => {
    const made = await guests.invite(`${newId()}@example.org`);
    assert.equal(made.body.link, await guests.link(made.body.id));
    assert.equal((await fetch(made.body.link)).status, 200);
    assert.equal((await app.call('GET', `/v1/invitations/${made.body.id}`)).body.link, undefined);
    const again = await app.call('POST', `/v1/invitations/${made.body.id}/resend`);
    assert.equal(again.body.link, await guests.link(made.body.id, 2));
    const password = 'correct horse battery';
    const answer = { answer: 'accept', password, repeated: password };
    assert.notEqual((await guests.submit(made.body.link, answer)).status, 200);
    assert.equal((await guests.submit(again.body.link, answer)).status, 200);
  });

  test('a member who may invite but not administer the account gets no link', async () => {
    const { key } = await app.people.member(app.account, ['accessAdmin']);
    const body = { group: await guests.group(), email: `${newId()}@example.org` };
    const made = await app.call('POST', '/v1/invitations', { body, key });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.body.link, undefined);
  });

  test('no link is passed on where there is a second account: it would prove the address there too', async () => {
    await guests.guest();
    assert.equal((await guests.invite(`${newId()}@example.org`)).body.link, undefined);
  });
});
