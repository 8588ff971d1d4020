import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationOf, type Privilege, privileges } from '../../packages/server/src/access/operations.ts';
import { newId } from '../../packages/server/src/base/ids.ts';
import { type Asked, asked } from './catalogue.ts';
import { differences, memberWith, type Sender, stateOf, type World, withoutProject } from './people.ts';
import type { Ids } from './world.ts';

/** Privileges that some route asks for. */
const wanted = privileges.filter((privilege) => asked.some((one) => takes(one, privilege)));
const data = privileges.filter((privilege) => privilege !== 'apiKeyUser');

/** Tests of callers who belong to the account and may do some things in it. */
export function memberTests(world: World): void {
  test('a member without a privilege gets 403, the rights of every member, and nothing of other members', async () => {
    const before = await stateOf(world.victim);
    const sender = await memberWith(world, []);
    const expected = (one: Asked) => statusForMember(world, one);
    assert.deepEqual(await differences(world, sender, asked, expected), []);
    assert.equal(await stateOf(world.victim), before);
  });

  for (const privilege of wanted) {
    const routes = asked.filter((one) => takes(one, privilege));

    test(`${privilege} opens the routes that ask for it`, async () => {
      const sender = await memberWith(world, [privilege]);
      assert.deepEqual(await grantedDifferences(sender, routes, privilege), []);
    });

    test(`${privilege} on another project opens none of them`, async () => {
      const elsewhere = {
        'resource.dataset': { comparison: 'equals', value: world.victim.ids.otherProject },
      };
      const sender = await memberWith(world, [privilege], { rule: elsewhere });
      const expected = (one: Asked) => withoutProject(world, one);
      assert.deepEqual(await differences(world, sender, routes, expected), []);
    });
  }

  test('no other privileges make up for the ones that are asked for', async () => {
    for (const needs of differentNeeds()) {
      const others = data.filter((privilege) => !needs.includes(privilege));
      const sender = await memberWith(world, others);
      const routes = asked.filter((one) => String(one.needs) === String(needs));
      assert.deepEqual(await differences(world, sender, routes, () => 403), [], String(needs));
    }
  });

  test('replacing the bytes of a file needs updateData, even with createData', async () => {
    const { file, project } = world.victim.ids;
    const creator = await memberWith(world, ['createData', 'readData', 'deleteData']);
    const updater = await memberWith(world, ['updateData']);
    const name = `${world.victim.mark}.ndjson`;
    const replace = (sender: Sender, body: object) =>
      world.app.call('POST', '/v1/files', { ...sender, body: { name, datasetId: project, ...body } });
    for (const body of [{ id: file }, { id: file.toUpperCase() }, { overwrite: true }]) {
      assert.equal((await replace(creator, body)).status, 403);
      assert.equal((await replace(updater, body)).status, 200);
    }
    assert.equal(operationOf('files.overwrite').needs.toString(), 'updateData');
  });

  test('a file cannot be replaced from another project, nor ingested into one', async () => {
    const { file } = world.victim.ids;
    const datasetId = world.victim.ids.otherProject;
    const body = { id: file, fileId: file, name: newId(), datasetId };
    assert.equal((await world.victim.call('POST', '/v1/files', { body })).status, 404);
    assert.equal((await world.victim.call('POST', '/v1/ingestions', { body })).status, 404);
  });

  /** Compares as `differences` for callers with the right; requests that use something up get a fresh one. */
  function grantedDifferences(sender: Sender, routes: Asked[], privilege: Privilege): Promise<string[]> {
    const idsFor = async (one: Asked): Promise<Ids> => {
      const fresh = await one.case.fresh?.(world.victim);
      if (fresh) return { ...world.victim.ids, ...fresh };
      if (one.case.consumesGroup) return withGroup(world.victim.ids);
      if (!one.case.consumesFile) return world.victim.ids;
      const { call, ids } = world.victim;
      const begun = await call('POST', '/v1/files', { body: { name: newId(), datasetId: ids.project } });
      await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'x' });
      return { ...ids, file: begun.body.id };
    };
    const withGroup = async (ids: Ids): Promise<Ids> => {
      const made = await world.victim.call('POST', '/v1/account/groups', { body: { name: newId() } });
      const group: string = made.body.id;
      await world.victim.call('PUT', `/v1/account/groups/${group}/members/${ids.user}`);
      return { ...ids, group };
    };
    const expected = ({ case: { maskedStatus, granted }, success }: Asked): number =>
      (privilege === 'readMaskedData' ? maskedStatus : undefined) ?? granted ?? success;
    return differences(world, sender, routes, expected, undefined, idsFor);
  }
}

function takes({ needs }: Asked, privilege: Privilege): boolean {
  return Array.isArray(needs) && needs.includes(privilege);
}

function differentNeeds(): Privilege[][] {
  const lists = asked.map(({ needs }) => needs).filter((needs) => Array.isArray(needs));
  return [...new Map(lists.map((needs) => [String(needs), needs])).values()];
}

function statusForMember(world: World, one: Asked): number {
  const { onlyOwn, onlyOneself, granted } = one.case;
  if (onlyOwn) return 404;
  if (onlyOneself) return 403;
  const status = withoutProject(world, one);
  const isRefused = one.needs === 'signature' || Array.isArray(one.needs) || status === 404;
  return isRefused ? status : (granted ?? one.success);
}
