import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked } from './catalogue.ts';
import { memberWith, type Sender, type World } from './people.ts';
import { tracesOf } from './world.ts';

/** A list under one address; `pageSize` and token are added. */
interface List {
  path: string;
  sender: Sender;
}

/** Tests of lists: what is in them, and what their tokens open. */
export function listTests(world: World): void {
  const ownerOf = (whose: 'victim' | 'stranger'): Sender => ({
    key: world[whose].owner.key,
    account: whose,
  });
  const page = ({ path, sender }: List, token: string) => {
    world.tally.tries++;
    const query = `${path.includes('?') ? '&' : '?'}pageSize=1&nextPageToken=${token}`;
    return world.app.call('GET', `${path}${query}`, sender);
  };

  /** Returns every list that the owner of an account can walk, with enough in it for a second page. */
  function listsOf(whose: 'victim' | 'stranger'): List[] {
    const { ids } = world[whose];
    const paths = [
      '/v1/projects',
      '/v1/activity',
      '/v1/policies',
      '/v1/policies?name=a',
      '/v1/audit-events',
      '/v1/audit-events?outcome=done',
      '/v1/files',
      `/v1/files?datasetId=${ids.project}`,
      `/v1/files?datasetId=${ids.project}&orderBy=size`,
      `/v1/files?name=mark-of`,
      `/v1/projects/${ids.project}/files`,
      `/v1/projects/${ids.project}/files?prefix=mark-of`,
      `/v1/ingestions?datasetId=${ids.project}`,
      `/v1/analytics/data-lake/query?datasetId=${ids.project}`,
      `/v1/cohorts?projectId=${ids.project}`,
      `/v1/projects/${ids.project}/saved-queries`,
      `/v1/projects/${ids.project}/reports`,
      `/v1/invitations?account=${ids.account}`,
      '/v1/ehrs',
      `/v1/ehrs/${ids.ehr}/syncs`,
      '/v1/account/groups',
      '/v1/account/users',
      `/v1/account/groups/${ids.group}/members`,
    ];
    return paths.map((path) => ({ path, sender: ownerOf(whose) }));
  }

  test('nothing that a stranger can list or read holds anything of the other account', async () => {
    const sender = ownerOf('stranger');
    for (const one of asked.filter(({ route }) => route.method === 'GET')) {
      const { path } = one.case.ask(world.stranger.ids);
      const { status, text } = await world.app.call('GET', path, sender);
      assert.ok(status < 500, `${one.name}: ${text}`);
      const leaked = tracesOf(world.victim).find((trace) => text.includes(trace));
      assert.equal(leaked, undefined, one.name);
    }
  });

  test('a page token works for its own list and its own user, and is 400 everywhere else', async () => {
    const { ids } = world.victim;
    const second = { datasetId: ids.project, fileId: ids.file, type: 'fhir' };
    await world.victim.call('POST', '/v1/ingestions', { body: second });
    const colleague = await memberWith(world, [
      'readData',
      'createData',
      'accessAdmin',
      'accountAdmin',
      'auditRead',
    ]);
    let walked = 0;
    for (const list of listsOf('victim')) {
      const first = await page(list, '');
      assert.equal(first.status, 200, first.text);
      const next = new URLSearchParams(first.body.links.next?.split('?')[1] ?? '').get('nextPageToken');
      if (!next) continue;
      walked++;
      assert.equal((await page(list, next)).status, 200);
      const elsewhere = [
        ...listsOf('victim').filter(({ path }) => path !== list.path),
        ...listsOf('stranger'),
        { ...list, sender: colleague },
      ];
      for (const other of elsewhere) {
        const reply = await page(other, next);
        assert.equal(reply.status, 400, `${list.path} → ${other.path}`);
        assert.equal(reply.body.details[0].path, 'query/nextPageToken');
      }
      for (const forged of forgeries(next)) assert.equal((await page(list, forged)).status, 400, forged);
    }
    assert.ok(walked >= 4, `only ${walked} lists had a second page`);
  });

  test('a member whose right is bound to one project finds nothing of the others in any list', async () => {
    const { ids, mark } = world.victim;
    const bound = { 'resource.dataset': { comparison: 'equals', value: ids.otherProject } };
    const sender = await memberWith(world, ['readData', 'readMaskedData'], { rule: bound });
    const files = await world.app.call('GET', '/v1/files?pageSize=1000', sender);
    assert.deepEqual(files.body.items, []);
    const ofProject = await world.app.call('GET', `/v1/files?datasetId=${ids.project}`, sender);
    assert.equal(ofProject.status, 404);
    const folder = await world.app.call('GET', `/v1/projects/${ids.project}/files`, sender);
    assert.equal(folder.status, 404);
    const own = await world.app.call(
      'GET',
      `/v1/analytics/data-lake/query?datasetId=${ids.otherProject}`,
      sender,
    );
    assert.equal(own.status, 200);
    assert.ok(!own.text.includes(mark));
  });

  test('a right bound to the id of the project opens neither its ingestions and queries nor their lists', async () => {
    const { ids } = world.victim;
    const bound = { 'resource.id': { comparison: 'equals', value: ids.project } };
    const sender = await memberWith(world, ['readData', 'createData'], { rule: bound });
    const lists = {
      [`/v1/ingestions?datasetId=${ids.project}`]: `/v1/ingestions/${ids.ingestion}`,
      [`/v1/analytics/data-lake/query?datasetId=${ids.project}`]: `/v1/analytics/data-lake/query/${ids.query}`,
    };
    for (const [list, one] of Object.entries(lists)) {
      for (const path of [list, one])
        assert.equal((await world.app.call('GET', path, sender)).status, 403, path);
    }
  });

  test('a masked reader sees neither text nor errors of a query over real values', async () => {
    const { ids, mark } = world.victim;
    const sender = await memberWith(world, ['readMaskedData']);
    const path = `/v1/analytics/data-lake/query`;
    const list = await world.app.call('GET', `${path}?datasetId=${ids.project}&pageSize=1000`, sender);
    const one = await world.app.call('GET', `${path}/${ids.query}`, sender);
    const own = await world.victim.call('GET', `${path}/${ids.query}`);
    assert.equal(one.body.queryString, '');
    assert.ok(Buffer.from(own.body.queryString, 'base64').toString().includes(mark));
    const item = list.body.items.find(({ id }: { id: string }) => id === ids.query);
    assert.equal(item.queryString, '');
    assert.equal((await world.app.call('GET', `/v1/files/${ids.query}`, sender)).status, 403);
  });
}

/** Returns a token with one character changed, cut, lengthened, and as other clients might spoil it. */
function forgeries(token: string): string[] {
  const places = [0, 1, 20, Math.floor(token.length / 2), token.length - 2];
  const changed = places.map(
    (at) => `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`,
  );
  return [...changed, token.slice(0, -1), `${token}A`, `${token}%3D`, `%20${token}`, 'A'.repeat(200), '%00'];
}
