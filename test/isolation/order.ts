import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../support/app.ts';
import { asked } from './catalogue.ts';
import { memberWith, type World } from './people.ts';

/** Routes that take JSON of callers with a credential. */
const creating = asked.filter(({ route, needs }) => route.body && !route.formBody && needs !== 'public');

/** Code of an error, ours or that of the route's standard. */
const codeOf = ({ body }: Reply): string => body.code ?? body.htsget.error;

/** Tests of the order of checks: 401 → account header 400 → shape 400 → visible? 404 → allowed? 403 → state. */
export function orderTests(world: World): void {
  const send = (one: (typeof asked)[number], body: unknown, sender: object) =>
    world.app.call(one.route.method, one.case.ask(world.victim.ids).path, { body, ...sender });

  test('credentials precede the account header, which precedes the body, which precedes all else', async () => {
    const member = await memberWith(world, []);
    const stranger = world.stranger.owner.key;
    for (const one of creating) {
      for (const body of [
        '{broken',
        '[]',
        '{"name":5,"query":7,"datasetId":{},"deletionDate":1,"pageSize":"many","start":{},"regions":{}}',
      ]) {
        const nobody = await send(one, body, { key: undefined, account: undefined });
        assert.equal(nobody.status, 401, one.name);
        const headless = await send(one, body, { key: stranger, account: undefined });
        assert.equal(headless.status, 400, one.name);
        assert.equal(
          headless.body.code === 'ACCOUNT_HEADER_REQUIRED',
          one.route.accountHeader === true,
          one.name,
        );
        const outside = await send(one, body, { key: stranger, account: 'victim' });
        assert.match(codeOf(outside), /^INVALID_?/i, one.name);
        assert.match(codeOf(await send(one, body, member)), /^INVALID_?/i, one.name);
      }
    }
  });

  test('a conflicting state is revealed only to callers with the right', async () => {
    const body = { name: (await world.victim.call('GET', '/v1/projects')).body.items[0].name };
    const path = `/v1/projects/${world.victim.ids.otherProject}`;
    const member = await memberWith(world, []);
    const admin = await memberWith(world, ['projectAdmin']);
    const stranger = { key: world.stranger.owner.key, account: 'victim' };
    assert.equal((await world.app.call('POST', '/v1/projects', { body, ...stranger })).status, 404);
    assert.equal((await world.app.call('POST', '/v1/projects', { body, ...member })).status, 403);
    assert.equal((await world.app.call('POST', '/v1/projects', { body, ...admin })).status, 409);
    assert.equal((await world.app.call('PATCH', path, { body, ...member })).status, 404);
  });
}
