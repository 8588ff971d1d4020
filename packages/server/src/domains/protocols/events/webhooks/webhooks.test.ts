import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { hurry, Receiver, signatureOf, spread } from './receiver.fixture.ts';

describeApp(
  'webhooks',
  (app) => {
    let receiver: Receiver;
    let project: string;
    before(async () => {
      receiver = await Receiver.start();
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Watched' } })).body.id;
    });
    after(() => receiver.stop());

    const make = async (more: object = {}, as: { key?: string; account?: string } = {}) => {
      const body = { name: 'Ours', url: receiver.url, ...more };
      const made = await app.call<'createWebhook'>('POST', '/v1/webhooks', { ...as, body });
      assert.equal(made.status, 200, made.text);
      return made.body;
    };
    const logOf = async (id: string) =>
      (await app.call<'listWebhookDeliveries'>('GET', `/v1/webhooks/${id}/deliveries`)).body.items;
    const remove = async (id: string) => {
      assert.equal((await app.call('DELETE', `/v1/webhooks/${id}`)).status, 204);
      receiver.received.length = 0;
    };
    const nth = async (count: number) => {
      await until(() => receiver.received.length >= count, `${count} messages arrive`);
      const message = receiver.received[count - 1];
      assert.ok(message);
      return message;
    };

    test('a message names what happened by ids alone, and its secret signs it', async () => {
      const { secret, ...webhook } = await make({ events: ['file.arrived'] });
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const shown = await app.call('GET', `/v1/webhooks/${webhook.id}`);
      assert.deepEqual(shown.body, webhook, 'the secret is shown once');
      const file = await app.put(project, 'Jane Doe.txt', 'bytes');
      await spread(app);
      const message = await nth(1);
      assert.equal(message.headers['webhook-signature'], signatureOf(message, secret));
      const { type, data } = JSON.parse(message.body);
      assert.deepEqual(
        [type, data.datasetId, data.resource],
        ['file.arrived', project, { type: 'file', id: file }],
      );
      assert.ok(!message.body.includes('Jane'), 'no name of a file');
      await until(async () => (await logOf(webhook.id))[0]?.state === 'delivered', 'the log has it');
      const [delivery] = await logOf(webhook.id);
      assert.deepEqual([delivery?.id, delivery?.status], [message.headers['webhook-id'], 204]);
      await remove(webhook.id);
    });

    test('a failed message is sent again under its id, and can be replayed', async () => {
      const { id } = await make({ events: ['file.arrived'], datasetId: project });
      receiver.answers.push(500, 302);
      await app.put(project, 'again.txt', 'bytes');
      await spread(app);
      const first = await nth(1);
      await until(async () => (await logOf(id))[0]?.attempts === 1, 'the failure is recorded');
      const [failed] = await logOf(id);
      assert.match(failed?.failure ?? '', /status 500/);
      assert.ok(failed?.next !== undefined);
      await hurry(app);
      await nth(2);
      await until(async () => (await logOf(id))[0]?.attempts === 2, 'the second one too');
      assert.match((await logOf(id))[0]?.failure ?? '', /redirects/);
      await hurry(app);
      await until(async () => (await logOf(id))[0]?.state === 'delivered', 'it is delivered');
      const replay = await app.call('POST', `/v1/webhooks/${id}/deliveries/${failed?.id}/replay`);
      assert.deepEqual([replay.status, replay.body.state], [202, 'waiting']);
      const last = await nth(4);
      assert.deepEqual(
        [last.headers['webhook-id'], last.body],
        [first.headers['webhook-id'], first.body],
        'receivers know it by its id',
      );
      await remove(id);
    });

    test('after a change of the secret both sign, and a change at once ends the former one', async () => {
      const { id, secret: former } = await make();
      const renew = (body: object) =>
        app.call<'renewWebhookSecret'>('POST', `/v1/webhooks/${id}/secret`, { body });
      const { secret, formerSecretUntil } = (await renew({})).body;
      assert.ok(Date.parse(formerSecretUntil ?? '') > Date.now());
      assert.equal((await app.call('POST', `/v1/webhooks/${id}/test`)).status, 202);
      const both = await nth(1);
      assert.equal(
        both.headers['webhook-signature'],
        `${signatureOf(both, secret)} ${signatureOf(both, former)}`,
      );
      assert.equal(JSON.parse(both.body).type, 'webhook.test');
      const last = (await renew({ formerHours: 0 })).body;
      assert.equal(last.formerSecretUntil, undefined);
      await app.call('POST', `/v1/webhooks/${id}/test`);
      const one = await nth(2);
      assert.equal(one.headers['webhook-signature'], signatureOf(one, last.secret));
      const row = await app.people.records.read
        .selectFrom('webhooks')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      for (const text of [former, secret, last.secret])
        assert.ok(!JSON.stringify(row).includes(text.slice(6)), 'secrets are sealed');
      await remove(id);
    });

    test('a receiver that is gone, or that failed for three days, disables its webhook with a reason', async () => {
      const { id } = await make({ events: ['file.arrived'] });
      const show = async () => (await app.call<'getWebhook'>('GET', `/v1/webhooks/${id}`)).body;
      receiver.answers.push(410);
      await app.put(project, 'gone.txt', 'bytes');
      await spread(app);
      await until(async () => (await show()).state === 'disabled', 'it is disabled');
      assert.match((await show()).disabledReason ?? '', /410/);
      await app.put(project, 'unheard.txt', 'bytes');
      await spread(app);
      const enabled = await app.call('PATCH', `/v1/webhooks/${id}`, { body: { state: 'active' } });
      assert.deepEqual([enabled.body.state, enabled.body.disabledReason], ['active', undefined]);
      const threeDaysAgo = Date.now() - 3 * 86_400_000;
      await app.people.records.transact((tx) =>
        tx.updateTable('webhooks').set({ failing_since: threeDaysAgo }).where('id', '=', id).execute(),
      );
      receiver.answers.push(503);
      await app.put(project, 'last.txt', 'bytes');
      await spread(app);
      await until(async () => (await show()).state === 'disabled', 'it is disabled again');
      assert.match((await show()).disabledReason ?? '', /three days.*503/);
      assert.equal(receiver.received.length, 2, 'events of the time between are not sent');
      await remove(id);
    });

    test('an account has at most 20 webhooks, and of one at most 500 deliveries wait', async () => {
      const owner = await app.people.owner('crowded');
      const ids: string[] = [];
      for (let made = 0; made < 20; made += 1) ids.push((await make({ events: ['ehr.deleted'] }, owner)).id);
      const body = { name: 'More', url: receiver.url };
      const refused = await app.call('POST', '/v1/webhooks', { ...owner, body });
      assert.deepEqual([refused.status, refused.body.code], [409, 'TOO_MANY_WEBHOOKS']);
      await app.people.records.transact(async (tx) => {
        const row = { webhook_id: ids[0] ?? '', account_id: owner.account, action: '', kind: 'webhook.test' };
        const values = Array.from({ length: 500 }, (_, at) => ({
          ...{
            ...row,
            id: `waiting-${at}`,
            body: '{}',
            state: 'waiting' as const,
            attempts: 0,
            status: null,
          },
          ...{ failure: null, took_ms: null, created_at: Date.now(), sent_at: null, next_at: null },
        }));
        await tx.insertInto('webhook_deliveries').values(values).execute();
      });
      const full = await app.call('POST', `/v1/webhooks/${ids[0]}/test`, owner);
      assert.deepEqual([full.status, full.body.code], [429, 'TOO_MANY_REQUESTS']);
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);

describeApp('addresses of webhooks', (app) => {
  test('an address inside the network, without encryption or with a password is refused', async () => {
    const addresses = [
      ...['http://127.0.0.1:9/', 'https://10.0.0.1/', 'https://[::ffff:169.254.169.254]/'],
      ...['http://example.org/', 'https://user:secret@example.org/', 'ftp://example.org/', 'nonsense'],
    ];
    for (const url of addresses) {
      const body = { name: 'Inside', url };
      const reply = await app.call('POST', '/v1/webhooks', { body });
      assert.deepEqual([reply.status, reply.body.details?.[0]?.path], [400, 'body/url'], url);
    }
  });
});
