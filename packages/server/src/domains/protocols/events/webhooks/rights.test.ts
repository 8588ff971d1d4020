import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../../test/support/people.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { Receiver, spread } from './receiver.fixture.ts';

describeApp(
  'rights of webhooks',
  (app) => {
    let receiver: Receiver;
    const projects: string[] = [];
    before(async () => {
      receiver = await Receiver.start();
      for (const name of ['Own', 'Other'])
        projects.push((await app.call('POST', '/v1/projects', { body: { name } })).body.id);
    });
    after(() => receiver.stop());

    const make = async (maker: Person) => {
      const body = { name: 'Theirs', url: receiver.url };
      const made = await app.call('POST', '/v1/webhooks', { ...maker, body });
      assert.equal(made.status, 200, made.text);
      return made.body.id as string;
    };
    /** Puts a file into each project, and waits until a marker after it has arrived. */
    const filesHeardBy = async (id: string, maker: Person): Promise<string[]> => {
      receiver.received.length = 0;
      for (const project of projects) await app.put(project, `${crypto.randomUUID()}.txt`, 'bytes');
      await spread(app);
      await app.call('POST', `/v1/webhooks/${id}/test`, maker);
      await until(() => receiver.kinds.includes('webhook.test'), 'the marker arrives');
      const messages = receiver.received.map(({ body }) => JSON.parse(body));
      return messages.filter(({ type }) => type === 'file.arrived').map(({ data }) => data.datasetId);
    };

    test('a maker gets the events of projects that the maker may read now, and of no others', async () => {
      const [own = ''] = projects;
      const rule = { 'resource.dataset': { comparison: 'equals', value: own } };
      const maker = await app.people.member(app.account, ['accountAdmin']);
      const id = await make(maker);
      assert.deepEqual(await filesHeardBy(id, maker), [], 'administration alone tells nothing of data');
      const policy = {
        rules: {
          readData: [{ 'user.id': { comparison: 'equals', value: maker.userId }, ...rule }],
        },
      };
      const given = await app.call('POST', '/v1/policies', { body: { name: 'Reader of one', policy } });
      assert.equal(given.status, 200, given.text);
      assert.deepEqual(await filesHeardBy(id, maker), [own]);
      await app.call('DELETE', `/v1/policies/${given.body.id}`);
      assert.deepEqual(await filesHeardBy(id, maker), [], 'the right has ended');
      const replayed = (await app.call('GET', `/v1/webhooks/${id}/deliveries`, maker)).body.items.find(
        ({ message }: { message: { type: string } }) => message.type === 'file.arrived',
      );
      await app.call('POST', `/v1/webhooks/${id}/deliveries/${replayed.id}/replay`, maker);
      const delivery = async () =>
        (await app.call('GET', `/v1/webhooks/${id}/deliveries/${replayed.id}`, maker)).body;
      await until(async () => (await delivery()).state !== 'waiting', 'the replay ends');
      assert.equal((await delivery()).state, 'withheld', 'also not of the past');
    });

    test('a webhook whose maker may not administer the account any more is disabled', async () => {
      const maker = await app.people.member(app.account, ['accountAdmin', 'readData']);
      const id = await make(maker);
      assert.deepEqual((await filesHeardBy(id, maker)).toSorted(), projects.toSorted());
      await app.people.withdraw(maker);
      receiver.received.length = 0;
      await app.put(projects[0] ?? '', 'unheard.txt', 'bytes');
      await spread(app);
      const shown = (await app.call('GET', `/v1/webhooks/${id}`)).body;
      assert.deepEqual([shown.state, receiver.received.length], ['disabled', 0]);
      assert.match(shown.disabledReason, /maker/);
    });

    test('a member without accountAdmin may not make one, and of another account it is unknown', async () => {
      const member = await app.people.member(app.account, ['readData', 'projectAdmin', 'accessAdmin']);
      const body = { name: 'Mine', url: receiver.url };
      assert.equal((await app.call('POST', '/v1/webhooks', { ...member, body })).status, 403);
      const id = await make({ ...member, key: app.key, account: app.account });
      const stranger = await app.people.owner('strangers');
      for (const path of ['', '/deliveries'])
        assert.equal((await app.call('GET', `/v1/webhooks/${id}${path}`, stranger)).status, 404);
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
