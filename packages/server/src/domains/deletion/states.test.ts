/**
 * State table "Pending deletion" of the specification: every legal and illegal transition of projects and
 * accounts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp, type TestApp } from '../../../../../test/support/app.ts';
import { untilRemoved } from '../../../../../test/support/removals.ts';
import { until } from '../../../../../test/support/until.ts';
import { newId } from '../../base/ids.ts';
import { verifyChain } from '../audit/index.ts';
import { Removals } from './index.ts';

const dayMs = 86_400_000;

/** Deletable project or account, as its owner sees it. */
interface Thing {
  path: string;
  id: string;
  account: string;
  key: string;
}

const noJobs = { add: async () => '' };

type Kind = 'project' | 'account';
const kinds: Kind[] = ['project', 'account'];

function things(app: TestApp) {
  const make = async (kind: Kind): Promise<Thing> => {
    const { key, account } = await app.people.owner(`a-${newId().slice(-12)}`);
    if (kind === 'account') return { path: `/v1/accounts/${account}`, id: account, account, key };
    const { body } = await app.call('POST', '/v1/projects', { key, account, body: { name: 'Doomed' } });
    return { path: `/v1/projects/${body.id}`, id: body.id, account, key };
  };
  const call = (thing: Thing, method: string, path = thing.path, body?: unknown) =>
    app.call(method, path, { key: thing.key, account: thing.account, ...(body !== undefined && { body }) });
  const date = async (thing: Thing): Promise<string | undefined> => {
    const reply = await call(thing, 'GET');
    assert.equal(reply.status, 200, reply.text);
    return reply.body.deletionDate;
  };
  const drop = async (thing: Thing, query = ''): Promise<number> => {
    const reply = await call(thing, 'DELETE', `${thing.path}${query}`);
    if (reply.status === 204) assert.equal(reply.text, '');
    return reply.status;
  };
  const restore = (thing: Thing, deletionDate: unknown = '') =>
    call(thing, 'PATCH', thing.path, { deletionDate });
  /** Asserts the answers for a thing that never existed; keys of a removed account are invalid. */
  const assertGone = async (thing: Thing, kind: Kind): Promise<void> => {
    const other = await app.people.owner(`o-${newId().slice(-12)}`);
    const never = thing.path.replace(thing.id, kind === 'account' ? 'never-was' : newId());
    const bytes = async (key: string, path: string, method: string) => {
      const body = method === 'PATCH' ? { deletionDate: '' } : undefined;
      const reply = await app.call(method, path, { key, account: undefined, ...(body && { body }) });
      return `${reply.status} ${reply.text.replace(/"requestId":"[^"]*"/, '')}`;
    };
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      assert.equal(
        (await call(thing, method, thing.path, method === 'PATCH' ? { name: 'x' } : undefined)).status,
        kind === 'account' ? 401 : 404,
      );
      assert.equal(await bytes(other.key, thing.path, method), await bytes(other.key, never, method));
    }
  };
  return { make, call, date, drop, restore, assertGone };
}

describeApp('pending deletion', (app) => {
  const { make, call, date, drop, restore, assertGone } = things(app);

  for (const kind of kinds) {
    test(`active → pending: DELETE of the ${kind} sets its removal date 14 days ahead, and everything keeps working`, async () => {
      const thing = await make(kind);
      const before = Date.now();
      assert.equal(await drop(thing), 204);
      const at = Date.parse((await date(thing)) ?? '');
      assert.ok(at >= before + 14 * dayMs && at <= Date.now() + 14 * dayMs);
      const renamed = await call(thing, 'PATCH', thing.path, { name: 'Still here' });
      assert.equal(renamed.body.name, 'Still here');
      assert.equal(Date.parse(renamed.body.deletionDate), at);
      const list = await call(thing, 'GET', kind === 'account' ? '/v1/accounts' : '/v1/projects');
      const listed = (list.body.accounts ?? list.body.items).find(
        ({ id }: { id: string }) => id === thing.id,
      );
      assert.equal(Date.parse(listed.deletionDate), at);
      const made = await call(thing, 'POST', '/v1/projects', { name: 'Made while pending' });
      const datasetId = kind === 'account' ? made.body.id : thing.id;
      const begun = await call(thing, 'POST', '/v1/files', { name: 'a.txt', datasetId });
      assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'bytes' })).status, 200);
      assert.equal((await call(thing, 'GET', `/v1/files/${begun.body.id}`)).text, 'bytes');
      const query = { datasetId, query: 'SELECT 1', outputFileName: 'pending.csv' };
      assert.equal((await call(thing, 'POST', '/v1/analytics/data-lake/query', query)).status, 200);
      const exported = await call(thing, 'POST', `/v1/projects/${datasetId}/exports`, { format: 'vcf' });
      assert.equal(exported.status, 202, exported.text);
    });

    test(`pending → pending: another DELETE of the ${kind} without force keeps the date`, async () => {
      const thing = await make(kind);
      assert.equal(await drop(thing), 204);
      const first = await date(thing);
      for (const query of ['', '?force=false']) {
        assert.equal(await drop(thing, query), 204);
        assert.equal(await date(thing), first);
      }
    });

    for (const cleared of ['', null]) {
      test(`pending → active: ${JSON.stringify(cleared)} restores the ${kind}, which can be deleted again`, async () => {
        const thing = await make(kind);
        await drop(thing);
        const reply = await restore(thing, cleared);
        assert.deepEqual([reply.status, reply.body.deletionDate], [200, undefined]);
        assert.equal(await date(thing), undefined);
        assert.equal((await restore(thing, cleared)).status, 200, 'of something active it changes nothing');
        assert.equal(await drop(thing), 204);
        assert.notEqual(await date(thing), undefined);
      });
    }

    test(`a deletion date of the ${kind} is never set or moved by PATCH`, async () => {
      const thing = await make(kind);
      assert.equal((await restore(thing, '2099-01-01T00:00:00.000Z')).status, 400);
      assert.equal(await date(thing), undefined);
      await drop(thing);
      const at = await date(thing);
      for (const value of ['2099-01-01T00:00:00.000Z', ' ', 'null', 0, false]) {
        assert.equal((await restore(thing, value)).status, 400, String(value));
      }
      assert.equal((await restore(thing, at)).body.deletionDate, at);
    });

    for (const pending of [false, true]) {
      test(`${pending ? 'pending' : 'active'} → removed: force=true removes the ${kind} immediately and for good`, async () => {
        const thing = await make(kind);
        if (pending) await drop(thing);
        assert.equal(await drop(thing, '?force=true'), 204);
        await assertGone(thing, kind);
        await untilRemoved(app.people.records, kind, thing.id);
        await assertGone(thing, kind);
        assert.equal((await verifyChain(app.people.records.read, thing.account)).brokenAt, undefined);
      });
    }

    test(`force of the ${kind} is true or false; other values are 400 and change nothing`, async () => {
      const thing = await make(kind);
      for (const value of [
        '1',
        '0',
        'yes',
        'TRUE',
        'True',
        'null',
        'true&force=true',
        'true&force=false',
        '[]',
      ]) {
        assert.equal(await drop(thing, `?force=${value}`), 400, value);
      }
      assert.equal(await date(thing), undefined);
    });

    test(`ten concurrent removals of the ${kind} remove it once, and no restoration brings it back`, async () => {
      const thing = await make(kind);
      await drop(thing);
      const [drops, restores] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => call(thing, 'DELETE', `${thing.path}?force=true`))),
        Promise.all(Array.from({ length: 10 }, () => restore(thing))),
      ]);
      const gone = kind === 'account' ? [401, 404] : [404];
      assert.equal(drops.filter(({ status }) => status === 204).length, 1);
      for (const { status } of drops) assert.ok([204, ...gone].includes(status), String(status));
      for (const { status } of restores) assert.ok([200, ...gone].includes(status), String(status));
      await assertGone(thing, kind);
      await untilRemoved(app.people.records, kind, thing.id);
    });

    test(`a caller without the right to delete the ${kind} gets 403 as a member and 404 as a stranger`, async () => {
      const thing = await make(kind);
      const member = await app.people.member(thing.account, ['readData', 'deleteData', 'accessAdmin']);
      const stranger = await app.people.owner(`s-${newId().slice(-12)}`);
      for (const query of ['', '?force=true']) {
        const as = (key: string) => app.call('DELETE', `${thing.path}${query}`, { key, account: undefined });
        assert.equal((await as(member.key)).status, 403);
        assert.equal((await as(stranger.key)).status, 404);
      }
      assert.equal(await date(thing), undefined);
    });
  }

  test('the name of a removed project is free as soon as the answer is sent', async () => {
    const thing = await make('project');
    for (let round = 0; round < 5; round += 1) {
      const made = await call(thing, 'POST', '/v1/projects', { name: 'Again and again' });
      assert.equal(made.status, 200, made.text);
      assert.equal((await call(thing, 'DELETE', `/v1/projects/${made.body.id}?force=true`)).status, 204);
    }
    const list = await call(thing, 'GET', '/v1/projects?name=again');
    assert.deepEqual(list.body.items, []);
  });

  test('the id of a removed account is never reused, chosen or derived', async () => {
    const thing = await make('account');
    const create = (body: object) => app.call('POST', '/v1/accounts', { body });
    assert.equal((await create({ id: thing.id, name: 'Taken' })).status, 409);
    await drop(thing, '?force=true');
    assert.equal((await create({ id: thing.id, name: 'Taken' })).status, 409);
    assert.equal((await create({ name: thing.id })).body.id, `${thing.id}-2`);
    await untilRemoved(app.people.records, 'account', thing.id);
    assert.equal((await create({ id: thing.id, name: 'Taken' })).status, 409);
  });
});

describeApp(
  'the end of the grace period',
  (app) => {
    const { make, call, drop, restore, assertGone } = things(app);

    /** Retries: a busy machine may take longer than the grace period. */
    const restoredInTime = async (kind: Kind): Promise<Thing> => {
      const thing = await make(kind);
      assert.equal(await drop(thing), 204);
      return (await restore(thing)).status === 200 ? thing : restoredInTime(kind);
    };

    for (const kind of kinds) {
      test(`pending → removed: the ${kind} is removed at the end of its grace period; a restored one stays`, async () => {
        const [thing, restored] = [await make(kind), await restoredInTime(kind)];
        assert.equal(await drop(thing), 204);
        await until(async () => (await call(thing, 'GET')).status !== 200, 'it is gone');
        await assertGone(thing, kind);
        await untilRemoved(app.people.records, kind, thing.id);
        assert.equal((await call(restored, 'GET')).body.deletionDate, undefined);
        const events = await app.people.records.read
          .selectFrom('audit_events')
          .select(['action', 'via', 'details'])
          .where('account_id', '=', thing.account)
          .where('action', 'in', [`${kind}s.delete`, `${kind}s.remove`])
          .orderBy('sequence')
          .execute();
        assert.deepEqual(
          events.map(({ action, via }) => [action, via.split(':')[0]]),
          [
            [`${kind}s.delete`, 'apiKey'],
            [`${kind}s.delete`, 'job'],
            [`${kind}s.remove`, 'job'],
          ],
        );
        assert.deepEqual(JSON.parse(events[1]?.details ?? ''), { due: true });
      });
    }

    for (const kind of kinds) {
      test(`a failed removal of the ${kind} delays no later one, and is tried again`, async () => {
        const { records } = app.people;
        const [stuck, later] = [await make(kind), await make(kind)];
        // Occupies the removal row: beginning another removal of the same id fails.
        await records.transact((tx) => new Removals(noJobs).begin(tx, { kind, ...stuck }));
        assert.deepEqual([await drop(stuck), await drop(later)], [204, 204]);
        await until(async () => (await call(later, 'GET')).status !== 200, 'the later one is gone');
        assert.equal((await call(stuck, 'GET')).status, 200);
        await records.transact((tx) => tx.deleteFrom('removals').where('id', '=', stuck.id).execute());
        await untilRemoved(records, kind, stuck.id);
        await assertGone(stuck, kind);
      });
    }
  },
  { PLOIDY_DELETION_GRACE: '1s' },
  { deletionCheckMs: 20 },
);
