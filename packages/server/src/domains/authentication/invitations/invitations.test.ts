import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';
import { Guests } from './guests.fixture.ts';

const someone = () => `${newId()}@example.org`;
const codes = (replies: Reply[]) => replies.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim());

describeApp('invitations', (app) => {
  const guests = new Guests(app);
  let group: string;
  before(async () => {
    group = await guests.group();
  });

  test('an invitation shows recipient, group, inviter and expiry', async () => {
    const email = someone();
    const { status, body } = await guests.invite(email.toUpperCase());
    assert.equal(status, 200);
    const { id, created, expires, delivery, link, ...rest } = body;
    assert.deepEqual(rest, {
      status: 'AWAITING',
      group,
      groupName: 'Users',
      account: 'main',
      accountName: 'Main account',
      email,
      inviter: 'admin@localhost',
    });
    assert.equal(delivery.state, 'queued');
    assert.match(link, /\/v1\/set-up\/invitation\?token=/, 'no mail server: the inviter passes it on');
    assert.ok(Math.abs(Date.parse(expires) - Date.parse(created) - 30 * 86_400_000) < 5000);
    await guests.link(id);
    const read = () => app.call('GET', `/v1/invitations/${id}`);
    await until(async () => (await read()).body.delivery.state === 'outbox', 'it is in the outbox');
    assert.deepEqual((await read()).body.delivery, { state: 'outbox', attempts: 1 });
  });

  test('only the invited user accepts and joins the group, whatever the case of the address', async () => {
    const guest = await guests.guest();
    const other = await guests.guest();
    const { id } = (await guests.invite(guest.email.toUpperCase())).body;
    assert.equal((await guests.change(id, 'ACCEPTED')).status, 403, 'an administrator may not');
    assert.equal((await guests.change(id, 'ACCEPTED', other.key)).status, 404);
    assert.equal((await guests.change(id, 'REVOKED', guest.key)).status, 403);
    assert.equal(await guests.isMember(guest.email, group), false);
    const accepted = await guests.change(id, 'ACCEPTED', guest.key);
    assert.deepEqual([accepted.status, accepted.body.status], [200, 'ACCEPTED']);
    assert.equal(accepted.body.delivery, undefined, 'delivery is for administrators');
    assert.equal(await guests.isMember(guest.email, group), true);
    const key = await app.people.key(guest.userId, 'main');
    assert.equal((await app.call('GET', '/v1/projects', { key, account: 'main' })).status, 200);
  });

  test('an ended invitation cannot be changed, not even to its own status: 409 has the status', async () => {
    for (const [ending, code] of [
      ['ACCEPTED', 'INVITATION_ALREADY_ACCEPTED'],
      ['REJECTED', 'INVITATION_ALREADY_REJECTED'],
      ['REVOKED', 'INVITATION_ALREADY_REVOKED'],
    ] as const) {
      const guest = await guests.guest();
      const { id } = (await guests.invite(guest.email)).body;
      assert.equal(
        (await guests.change(id, ending, ending === 'REVOKED' ? undefined : guest.key)).status,
        200,
      );
      const again = [
        await guests.change(id, 'ACCEPTED', guest.key),
        await guests.change(id, 'REJECTED', guest.key),
        await guests.change(id, 'REVOKED'),
        await app.call('POST', `/v1/invitations/${id}/resend`),
      ];
      assert.deepEqual(codes(again), Array(4).fill(`409 ${code}`));
      assert.equal(await guests.isMember(guest.email, group), ending === 'ACCEPTED');
    }
  });

  test('exactly one of twenty concurrent answers succeeds, and membership matches it', async () => {
    for (let round = 0; round < 3; round++) {
      const guest = await guests.guest();
      const { id } = (await guests.invite(guest.email)).body;
      const asked = Array.from({ length: 20 }, (_, at) => ['ACCEPTED', 'REJECTED', 'REVOKED'][at % 3] ?? '');
      const replies = await Promise.all(
        asked.map((status) => guests.change(id, status, status === 'REVOKED' ? undefined : guest.key)),
      );
      const winners = replies.filter(({ status }) => status === 200);
      assert.equal(winners.length, 1);
      assert.ok(replies.every(({ status }) => status === 200 || status === 409));
      const { status } = (await app.call('GET', `/v1/invitations/${id}`)).body;
      assert.equal(status, winners[0]?.body.status);
      assert.equal(await guests.isMember(guest.email, group), status === 'ACCEPTED');
    }
  });

  test('duplicate invitations and those of group members are refused', async () => {
    const guest = await guests.guest();
    const tries = await Promise.all(Array.from({ length: 5 }, () => guests.invite(guest.email)));
    assert.deepEqual(codes(tries).sort(), ['200', ...Array(4).fill('409 INVITATION_EXISTS')]);
    const { id } = tries.find(({ status }) => status === 200)?.body ?? {};
    const elsewhere = await guests.invite(guest.email, await guests.group('Subjects'));
    assert.equal(elsewhere.status, 200, 'another group is another invitation');
    await guests.change(id, 'ACCEPTED', guest.key);
    assert.deepEqual(codes([await guests.invite(guest.email)]), ['409 ALREADY_MEMBER']);
    const after = someone();
    const first = (await guests.invite(after)).body.id;
    await guests.change(first, 'REVOKED');
    assert.equal((await guests.invite(after)).status, 200, 'after the end of one there may be another');
  });

  test('the response does not reveal whether an address has a user', async () => {
    const guest = await guests.guest();
    const shapeOf = ({ status, body }: Reply) => [status, Object.keys(body), body.delivery, body.status];
    assert.deepEqual(shapeOf(await guests.invite(guest.email)), shapeOf(await guests.invite(someone())));
  });

  test('a malformed or multiple address is refused, as is an unknown or foreign group', async () => {
    for (const email of [
      'a@b.c, d@e.f',
      'a@b.c\r\nBcc: d@e.f',
      'a@b.c\n',
      'Jane <a@b.c>',
      'a b@c.d',
      '@b.c',
      'a@',
      'a@-b.c',
      'a@b..c',
      '<a@b.c>',
      'a"@b.c',
      `${'a'.repeat(250)}@b.c`,
      '',
    ]) {
      const { status, body } = await guests.invite(email);
      assert.equal(status, 400, email);
      assert.equal(body.details[0].path, 'body/email');
    }
    const guest = await guests.guest();
    const theirs = await guests.group('Users', guest);
    const unknown = await guests.invite(someone(), newId());
    const foreign = await guests.invite(someone(), theirs);
    assert.deepEqual([unknown.status, foreign.status], [404, 404]);
    assert.equal(unknown.body.error, foreign.body.error);
  });

  test('received and sent invitations are separate lists; those of other users are refused alike', async () => {
    const guest = await guests.guest();
    const { id } = (await guests.invite(guest.email)).body;
    const list = async (query: string, key?: string) => {
      const { status, body } = await app.call('GET', `/v1/invitations${query}`, key ? { key } : {});
      return status === 200 ? body.items.map((one: { id: string }) => one.id) : [status, body.code];
    };
    for (const query of ['', `?user=${guest.userId}`, `?user=${guest.email.toUpperCase()}`]) {
      assert.deepEqual(await list(query, guest.key), [id], query);
    }
    assert.deepEqual(await list(`?user=${guest.userId}&account=main`, guest.key), [id]);
    assert.deepEqual(await list(`?user=${guest.userId}&account=other`, guest.key), []);
    assert.ok((await list('?account=main&pageSize=1000')).includes(id));
    assert.deepEqual(await list('?account=main', guest.key), [404, 'NOT_FOUND']);
    const admin = await app.people.member('main', ['accessAdmin']);
    const member = await app.people.member('main', []);
    assert.deepEqual(await list('?account=main', admin.key), [], 'the administrator sent none');
    assert.ok((await list('?account=main&sender=anyone&pageSize=1000', admin.key)).includes(id));
    assert.deepEqual(await list('?account=main&sender=anyone', member.key), []);
    for (const user of [guest.userId, guest.email, newId(), 'nobody@example.org']) {
      assert.deepEqual(await list(`?user=${user}`), [403, 'FORBIDDEN']);
    }
  });

  test('pages of a list show each invitation once, newest first', async () => {
    const guest = await guests.guest();
    const names = ['Administrators', 'Users', 'Subjects'];
    const made: string[] = [];
    for (const name of names)
      made.unshift((await guests.invite(guest.email, await guests.group(name))).body.id);
    const seen: string[] = [];
    for (let path = '/v1/invitations?pageSize=1'; path; ) {
      const { body } = await app.call('GET', path, { key: guest.key });
      seen.push(...body.items.map((one: { id: string }) => one.id));
      path = body.links.next ?? '';
    }
    assert.deepEqual(seen, made);
  });

  test('a member without accessAdmin reads only received and sent invitations; one of a removed group is gone', async () => {
    const guest = await guests.guest();
    const { id } = (await guests.invite(guest.email)).body;
    const member = await app.people.member('main', ['readData']);
    const get = (key?: string) => app.call('GET', `/v1/invitations/${id}`, key ? { key } : {});
    assert.equal((await get()).status, 200);
    assert.equal((await get(guest.key)).status, 200);
    assert.equal((await get(member.key)).status, 403);
    assert.equal((await get((await guests.guest()).key)).status, 404);

    const gone = newId();
    const row = { name: gone, name_key: gone, description: '', type: 'closed', created_at: 0 };
    const { records } = app.people;
    await records.transact((tx) =>
      tx
        .insertInto('groups')
        .values({ id: gone, account_id: 'main', ...row })
        .execute(),
    );
    const lost = (await guests.invite(guest.email, gone)).body.id;
    const link = await guests.link(lost);
    await records.transact((tx) => tx.deleteFrom('groups').where('id', '=', gone).execute());
    assert.equal((await guests.change(lost, 'ACCEPTED', guest.key)).status, 404);
    assert.equal((await fetch(link)).status, 403);
    assert.equal((await guests.submit(link, { answer: 'accept' })).status, 403);
    assert.equal(await guests.isMember(guest.email, gone), false);
  });

  test('every change and refusal is in the audit log, without the address', async () => {
    const guest = await guests.guest();
    const { id } = (await guests.invite(guest.email)).body;
    await app.call('POST', `/v1/invitations/${id}/resend`);
    await guests.change(id, 'REVOKED', guest.key);
    await guests.change(id, 'REJECTED', guest.key);
    const events = await app.people.records.read
      .selectFrom('audit_events')
      .select(['action', 'outcome', 'user_id', 'details'])
      .where('resource_id', '=', id)
      .orderBy('sequence')
      .execute();
    assert.deepEqual(
      events.map(({ action, outcome }) => `${action} ${outcome}`),
      [
        'invitations.create done',
        'invitations.resend done',
        'invitations.answer refused',
        'invitations.reject done',
      ],
    );
    assert.equal(events.at(-1)?.user_id, guest.userId);
    assert.doesNotMatch(JSON.stringify(events), new RegExp(guest.email));
  });
});

describeApp(
  'invitations that have expired',
  (app) => {
    const guests = new Guests(app);

    test('an expired invitation cannot be answered, shows its status, and permits a new one', async () => {
      const guest = await guests.guest();
      const { id } = (await guests.invite(guest.email)).body;
      await until(async () => {
        const { body } = await app.call('GET', `/v1/invitations/${id}`);
        return body.status === 'EXPIRED';
      }, 'it expires');
      const tries = [
        await guests.change(id, 'ACCEPTED', guest.key),
        await guests.change(id, 'REJECTED', guest.key),
        await guests.change(id, 'REVOKED'),
      ];
      assert.deepEqual(codes(tries), Array(3).fill('409 INVITATION_EXPIRED'));
      assert.equal((await guests.invite(guest.email)).status, 200);
      const superseded = await app.call('POST', `/v1/invitations/${id}/resend`);
      assert.deepEqual(codes([superseded]), ['409 INVITATION_EXPIRED']);
    });
  },
  {},
  { invitationLifeMs: 1 },
);

describeApp(
  'limits of invitations',
  (app) => {
    const guests = new Guests(app);

    test('an account stays within its mails per hour, under concurrency too', async () => {
      const group = await guests.group();
      const replies = await Promise.all(Array.from({ length: 10 }, () => guests.invite(someone(), group)));
      const sent = replies.filter(({ status }) => status === 200);
      assert.equal(sent.length, 6);
      const refused = replies.find(({ status }) => status === 429);
      assert.equal(refused?.body.code, 'TOO_MANY_INVITATIONS');
      assert.ok(Number(refused?.headers.get('retry-after')) > 3000);
      const resent = await app.call('POST', `/v1/invitations/${sent[0]?.body.id}/resend`);
      assert.equal(resent.status, 429, 'sending again counts');
    });

    test('one address gets at most five mails an hour', async () => {
      const owner = await guests.guest();
      const body = { group: await guests.group('Users', owner), email: someone() };
      const invited = await app.call('POST', '/v1/invitations', { body, key: owner.key });
      const statuses: number[] = [];
      for (let time = 0; time < 5; time++) {
        const path = `/v1/invitations/${invited.body.id}/resend`;
        statuses.push((await app.call('POST', path, { key: owner.key })).status);
      }
      assert.deepEqual(statuses, [200, 200, 200, 200, 429]);
    });
  },
  { PLOIDY_INVITATIONS_PER_HOUR: '6' },
);
