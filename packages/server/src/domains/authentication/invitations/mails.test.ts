import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { linkIn, partOf, startMailServer } from '../../../../../../test/support/mail-server.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';
import { Guests } from './guests.fixture.ts';
import { retryScheduleOf } from './retry-schedule.ts';

const someone = () => `${newId()}@example.org`;
const server = await startMailServer({ starttls: false });
after(() => server.stop());
const settings = { PLOIDY_MAIL_FROM: 'Ploidy <ploidy@example.org>', PLOIDY_RETRY_WAIT: '10ms' };

describeApp(
  'mails of invitations',
  (app) => {
    const guests = new Guests(app);
    const deliveryOf = async (id: string) => (await app.call('GET', `/v1/invitations/${id}`)).body.delivery;
    const arrived = async (address: string, count = 1) => {
      await until(() => server.to(address).length >= count, `${count} mails`);
      return server.to(address).at(-1)?.raw ?? '';
    };

    test('the mail arrives, and its link admits the recipient', async () => {
      const email = someone();
      await guests.invite(email);
      const raw = await arrived(email);
      const link = linkIn(raw);
      assert.ok(link.startsWith(`${app.address}/v1/set-up/invitation?token=`));
      assert.ok(partOf(raw, 'text/html').includes(link));
      assert.match(raw, /^Subject: Invitation to Main account\r$/m);
      assert.equal((await fetch(link)).status, 200);
      const password = 'correct horse battery';
      const answer = { answer: 'accept', password, repeated: password };
      assert.equal((await guests.submit(link, answer)).status, 200);
      assert.equal(await guests.isMember(email, await guests.group()), true);
    });

    test('a member who joined another way gets no further mail, and one already sent is complete', async () => {
      const email = someone();
      const { id: user } = await app.people.link(email);
      const group = await guests.group('Subjects');
      const { id } = (await guests.invite(email, group)).body;
      const link = linkIn(await arrived(email));
      const added = await app.call('PUT', `/v1/account/groups/${group}/members/${user}`);
      assert.ok(added.status < 300, added.text);
      const again = await app.call('POST', `/v1/invitations/${id}/resend`);
      assert.deepEqual([again.status, again.body.code], [409, 'ALREADY_MEMBER']);
      assert.equal((await fetch(link)).status, 200);
      const outside = await guests.group('Administrators');
      await guests.invite(email, outside);
      await arrived(email, 2);
      assert.equal(server.to(email).length, 2);
    });

    test('a mail that the server defers is tried again, under the same Message-ID', async () => {
      const email = someone();
      server.refuse(email, 451, 421);
      const { id } = (await guests.invite(email)).body;
      const raw = await arrived(email);
      await until(async () => (await deliveryOf(id)).state === 'sent', 'it is sent');
      assert.deepEqual(await deliveryOf(id), { state: 'sent', attempts: 3 });
      assert.ok(raw.includes(`Message-ID: <${id}.1@example.org>`));
      assert.equal(server.to(email).length, 1);
    });

    test('a permanent refusal of an address is shown to the inviter; the invitation stays and can be sent again', async () => {
      const email = someone();
      server.refuse(email, 550);
      const { id } = (await guests.invite(email)).body;
      await until(async () => (await deliveryOf(id)).state === 'failed', 'it fails');
      const { body } = await app.call('GET', `/v1/invitations/${id}`);
      assert.equal(body.status, 'AWAITING');
      const error = 'The mail server does not take this address (answer 550).';
      assert.deepEqual(body.delivery, { state: 'failed', attempts: 1, error });
      const resent = await app.call('POST', `/v1/invitations/${id}/resend`);
      assert.deepEqual(resent.body.delivery, { state: 'queued', attempts: 0 });
      const raw = await arrived(email);
      assert.equal((await fetch(linkIn(raw))).status, 200);
    });

    test('an invitation revoked before its mail was sent gets no mail', async () => {
      const email = someone();
      server.refuse(email, ...Array(5).fill(451));
      const { id } = (await guests.invite(email)).body;
      await until(async () => (await deliveryOf(id)).attempts > 0, 'a first try');
      await guests.change(id, 'REVOKED');
      const { read } = app.people.records;
      await until(async () => {
        const job = await read
          .selectFrom('jobs')
          .select('state')
          .where('payload', 'like', `%${id}%`)
          .executeTakeFirst();
        return job?.state === 'succeeded';
      }, 'the job ends');
      assert.equal(server.to(email).length, 0);
      assert.equal((await app.call('GET', `/v1/invitations/${id}`)).body.delivery, undefined);
    });
  },
  { ...settings, PLOIDY_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
);

const free = await startMailServer({ starttls: false });
await free.stop();

describeApp(
  'mails while the server is down',
  (app) => {
    const guests = new Guests(app);

    test('a mail waits for its server and is then delivered', async (context) => {
      const email = someone();
      const { id } = (await guests.invite(email)).body;
      const delivery = async () => (await app.call('GET', `/v1/invitations/${id}`)).body.delivery;
      await until(async () => (await delivery()).attempts >= 2, 'two tries');
      assert.equal((await delivery()).state, 'queued');
      assert.equal((await delivery()).error, 'The mail server cannot be reached.');
      const back = await startMailServer({ starttls: false, port: free.port });
      context.after(() => back.stop());
      await until(async () => (await delivery()).state === 'sent', 'it is sent');
      assert.equal(back.to(email).length, 1);
      assert.equal((await delivery()).error, undefined);
    });
  },
  { ...settings, PLOIDY_SMTP_URL: `smtp://127.0.0.1:${free.port}` },
);

describeApp(
  'abandoned mails',
  (app) => {
    const guests = new Guests(app);

    test('a mail that was tried long enough has failed, and its invitation still works', async () => {
      const guest = await guests.guest();
      const { id } = (await guests.invite(guest.email)).body;
      const read = () => app.call('GET', `/v1/invitations/${id}`);
      await until(async () => (await read()).body.delivery.state === 'failed', 'it is given up');
      const { attempts, error } = (await read()).body.delivery;
      assert.deepEqual([attempts, error], [2, 'The mail server cannot be reached.']);
      assert.equal((await guests.change(id, 'ACCEPTED', guest.key)).status, 200);
    });
  },
  { ...settings, PLOIDY_SMTP_URL: 'smtp://127.0.0.1:1' },
  { mailGiveUpMs: 15 },
);

test('delays double from a minute to four hours and last five days in total', () => {
  const minuteMs = 60_000;
  const { delayMs, attemptsMax } = retryScheduleOf(minuteMs, 5 * 86_400_000);
  const about = (attempts: number, planned: number) => {
    const delay = delayMs(attempts);
    assert.ok(delay >= planned * 0.75 && delay <= planned * 1.25, `${attempts}: ${delay}`);
  };
  about(1, minuteMs);
  about(2, 2 * minuteMs);
  about(5, 16 * minuteMs);
  about(9, 240 * minuteMs);
  about(30, 240 * minuteMs);
  assert.equal(attemptsMax, 37);
  assert.equal(retryScheduleOf(minuteMs, 0).attemptsMax, 1);
});
