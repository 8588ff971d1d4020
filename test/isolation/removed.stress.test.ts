/** Answers of every route about resources that await removal, are being removed, or are gone. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { verifyChain } from '../../packages/server/src/domains/audit/index.ts';
import { describeOnPostgres } from '../support/app.ts';
import { HeldRemovals } from '../support/held-removals.ts';
import { rowsLeft, untilRemoved } from '../support/removals.ts';
import { until } from '../support/until.ts';
import { type Asked, asked } from './catalogue.ts';
import { askAs, memberWith, type Sender, Tally, type World } from './people.ts';
import { ghosts, householdSettings, type Ids, openHousehold, tracesOf, withoutRequestId } from './world.ts';

describeOnPostgres(
  'isolation of what is removed',
  (app) => {
    const world = { app, tally: new Tally() } as World;
    let held: HeldRemovals;
    let owner: Sender;
    let member: Sender;
    /** Addresses of the project and of its neighbour that need no key. */
    const signed: Record<string, string> = {};
    let neighbour: string;

    before(async () => {
      const [victim, stranger] = await Promise.all([
        openHousehold(app, 'victim'),
        openHousehold(app, 'stranger'),
      ]);
      Object.assign(world, { victim, stranger });
      held = new HeldRemovals(app.people.records);
      owner = { key: victim.owner.key, account: 'victim' };
      member = await memberWith(world, ['readData', 'projectAdmin', 'createData']);
      const { call, ids } = victim;
      const body = { name: 'neighbour.txt', datasetId: ids.otherProject };
      const begun = (await call('POST', '/v1/files', { body })).body;
      await fetch(begun.uploadUrl, { method: 'PUT', body: 'of the neighbour' });
      neighbour = begun.id;
      for (const id of [ids.file, neighbour]) {
        const { downloadUrl } = (await call('GET', `/v1/files/${id}?include=downloadUrl`)).body;
        signed[id] = downloadUrl;
      }
    });

    const statuses = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const one of asked.filter(({ route }) => route.method !== 'DELETE')) {
        const { status } = await askAs(world, owner, one, world.victim.ids);
        // A sync that is begun (202) may have ended before it is answered.
        found.push(`${one.name} ${status === 202 ? 200 : status}`);
      }
      return found;
    };

    /** Asks every route about things of the removed project; answers what is not like asking about nothing. */
    const unlikeNothing = async (sender: Sender): Promise<string[]> => {
      const found: string[] = [];
      const about = asked.filter((route) => namesProject(route, world.victim.ids));
      assert.ok(about.length > 15);
      for (const one of about) {
        const reply = await askAs(world, sender, one, world.victim.ids);
        const nothing = await askAs(world, sender, one, { ...ghosts, account: 'victim' });
        if (withoutRequestId(reply) !== withoutRequestId(nothing)) found.push(`${one.name}: ${reply.text}`);
        if (one.needs !== 'signature' && reply.status !== 404) found.push(`${one.name}: ${reply.status}`);
      }
      return found;
    };

    const assertProjectGone = async (): Promise<void> => {
      for (const sender of [owner, member]) assert.deepEqual(await unlikeNothing(sender), []);
      const { key, otherProject: stays, ...gone } = world.victim.ids;
      const traces = [world.victim.mark, ...Object.values(gone).filter((id) => id.length > 30)];
      for (const path of ['/v1/projects', '/v1/files', '/v1/files?name=mark-of', '/v1/files?orderBy=size']) {
        const list = await app.call('GET', path, owner);
        assert.equal(list.status, 200);
        const others = list.text.replaceAll(`Second ${world.victim.mark}`, '');
        const leaked = traces.filter((trace) => others.includes(trace));
        assert.deepEqual(leaked, [], path);
      }
      assert.equal((await fetch(signed[world.victim.ids.file] ?? '')).status, 404);
      const url = `${app.address}${world.victim.ids.uploadUrl}`;
      assert.equal((await fetch(url, { method: 'PUT', body: 'too late' })).status, 404);
      assert.equal((await app.call('GET', `/v1/files/${neighbour}`, owner)).text, 'of the neighbour');
      assert.equal((await fetch(signed[neighbour] ?? '')).status, 200);
    };

    test('while project and account wait for their removal every route answers as before', async () => {
      const usual = await statuses();
      for (const path of [`/v1/projects/${world.victim.ids.project}`, '/v1/accounts/victim']) {
        assert.equal((await app.call('DELETE', path, owner)).status, 204);
      }
      assert.deepEqual(await statuses(), usual);
      for (const path of [`/v1/projects/${world.victim.ids.project}`, '/v1/accounts/victim']) {
        const restored = await app.call('PATCH', path, { ...owner, body: { deletionDate: '' } });
        assert.equal(restored.body.deletionDate, undefined);
      }
    });

    test('a project and all in it look missing on every route from the beginning of its removal', async () => {
      const { ids } = world.victim;
      await held.begin('project', ids.project);
      assert.notDeepEqual(await rowsLeft(app.people.records, 'project', ids.project), []);
      await assertProjectGone();
      assert.notDeepEqual(await rowsLeft(app.people.records, 'project', ids.project), []);
    });

    test('a removed account stays refused when all its rows are gone, next to a neighbour with all rights', async () => {
      const { ids } = world.victim;
      await held.letGo();
      await untilRemoved(app.people.records, 'project', ids.project);
      assert.deepEqual(await rowsLeft(app.people.records, 'project', ids.project), []);
      await assertProjectGone();
    });

    test('an account under removal has no members, and its keys are void', async () => {
      const { userId } = world.victim.owner;
      const elsewhere = await app.call('POST', '/v1/accounts', {
        body: { id: 'elsewhere', name: 'Elsewhere' },
      });
      assert.equal(elsewhere.status, 200);
      await held.begin('account', 'victim');
      for (const sender of [owner, member]) {
        // The service receives it from another process, in a moment.
        await until(async () => (await app.call('GET', '/v1/accounts', sender)).status === 401, 'void keys');
        for (const one of asked) {
          const { status } = await askAs(world, sender, one, world.victim.ids);
          const anybody = one.case.granted ?? one.success;
          const open = one.needs === 'public' ? anybody : one.needs === 'signature' ? 403 : 401;
          assert.equal(status, open, one.name);
        }
      }
      assert.equal((await fetch(signed[neighbour] ?? '')).status, 403, 'the key that asked for it is void');
      const stranger = { key: world.stranger.owner.key, account: 'victim' };
      assert.equal((await app.call('GET', '/v1/projects', stranger)).status, 404);
      assert.notDeepEqual(await rowsLeft(app.people.records, 'account', 'victim'), []);
      const user = await app.people.records.read
        .selectFrom('users')
        .select('id')
        .where('id', '=', userId)
        .execute();
      assert.equal(user.length, 1, 'people stay: they do not belong to an account');
    });

    test('a removed account leaves its audit log, whole, and nothing else; a neighbour has all', async () => {
      await held.letGo();
      const { records } = app.people;
      await untilRemoved(records, 'account', 'victim');
      assert.deepEqual(await rowsLeft(records, 'account', 'victim'), []);
      assert.deepEqual(await rowsLeft(records, 'project', world.victim.ids.otherProject), []);
      assert.equal((await app.call('GET', '/v1/accounts', owner)).status, 401);
      const chain = await verifyChain(records.read, 'victim');
      assert.equal(chain.brokenAt, undefined);
      const last = await records.read
        .selectFrom('audit_events')
        .select(['action', 'via', 'details'])
        .where('account_id', '=', 'victim')
        .orderBy('sequence', 'desc')
        .executeTakeFirstOrThrow();
      assert.deepEqual([last.action, last.via], ['accounts.remove', 'job']);
      const counts = JSON.parse(last.details);
      assert.ok(counts.projects >= 1, 'those that went with it');
      assert.ok(counts.api_keys >= 2 && counts.policies >= 4 && counts.group_members >= 2);
      assert.ok(counts.groups >= 4 && counts.user_attributes === 1);
      const { call, ids } = world.stranger;
      assert.equal((await call('GET', `/v1/files/${ids.file}`)).status, 200);
      assert.equal((await call('GET', `/v1/files/${ids.query}`)).status, 200);
      const list = await call('GET', '/v1/files');
      assert.equal(
        tracesOf(world.victim).find((trace) => list.text.includes(trace)),
        undefined,
      );
    });
  },
  householdSettings,
);

/** Reports whether a route's request depends on resources of a project. */
function namesProject(one: Asked, ids: Ids): boolean {
  if (one.case.namesNothing) return false;
  const { project, file, upload, uploadUrl, ingestion, query } = ghosts;
  const other = { ...ids, project, file, upload, uploadUrl, ingestion, query };
  return JSON.stringify(one.case.ask(ids)) !== JSON.stringify(one.case.ask(other));
}
