import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../support/app.ts';
import { type Asked, asked } from './catalogue.ts';
import {
  askAs,
  differences,
  memberWith,
  memberWithoutKeys,
  type Sender,
  stateOf,
  type World,
} from './people.ts';
import { ghosts, tracesOf, withoutRequestId } from './world.ts';

/** Tests of callers who may not know that anything of the account exists. */
export function outsiderTests(world: World): void {
  const leaks = (_: Asked, reply: Reply): string | undefined =>
    tracesOf(world.victim).find((trace) => reply.text.includes(trace));

  test('without valid credentials every protected route answers 401 and nothing else', async () => {
    const { key } = world.victim.owner;
    const revoked = await world.app.people.member('victim', ['readData']);
    const own = { key: revoked.key, account: 'victim' };
    const [{ id }] = (await world.app.call('GET', '/v1/api-keys', own)).body.items;
    assert.equal((await world.app.call('DELETE', `/v1/api-keys/${id}`, own)).status, 204);
    const [head = '', payload = '', signature = ''] = key.split('.');
    const none = Buffer.from('{"alg":"none","typ":"api-key+jwt"}').toString('base64url');
    const tokens = {
      missing: undefined,
      broken: 'Bearer a.b.c',
      revoked: revoked.key,
      unsigned: `${none}.${payload}.`,
      'of another payload': `${head}.${flipped(payload)}.${signature}`,
      'badly signed': `${head}.${payload}.${flipped(signature)}`,
    };
    for (const [name, token] of Object.entries(tokens)) {
      const sender = { key: token, account: 'victim' };
      const expected = (one: Asked) => withoutCredentials(one) ?? 401;
      assert.deepEqual(await differences(world, sender, asked, expected, leaks), [], name);
    }
  });

  test('a key that its account refuses opens nothing: 403, whatever else its user may do', async () => {
    const { key } = await memberWithoutKeys(world);
    const expected = (one: Asked) => withoutCredentials(one) ?? 403;
    const sender = { key, account: 'victim' };
    assert.deepEqual(await differences(world, sender, asked, expected, leaks), []);
  });

  for (const account of ['stranger', 'victim', undefined]) {
    const as = account === undefined ? 'no account header' : `the account header of the ${account}`;
    const senderOf = (): Sender => ({ key: world.stranger.owner.key, account });

    test(`a stranger with ${as} cannot distinguish existing from missing resources, and changes nothing`, async () => {
      const before = await stateOf(world.victim);
      const sameAsNothing = async (one: Asked, reply: Reply): Promise<string | undefined> => {
        if (reply.status !== 404 || one.case.makesUnknown) return leaks(one, reply);
        const ghost = await askAs(world, senderOf(), one, ghosts);
        if (withoutRequestId(reply) !== withoutRequestId(ghost)) return `not like nothing: ${ghost.text}`;
        return leaks(one, reply);
      };
      const expected = (one: Asked) => statusForStranger(one, account);
      assert.deepEqual(await differences(world, senderOf(), asked, expected, sameAsNothing), []);
      assert.equal(await stateOf(world.victim), before);
    });

    test(`HEAD reveals no more than GET to a stranger with ${as}`, async () => {
      const found: string[] = [];
      for (const one of asked.filter(({ route }) => route.method === 'GET')) {
        const { path } = one.case.ask(world.victim.ids);
        const headers = {
          authorization: world.stranger.owner.key,
          ...(account && { 'service-account': account }),
        };
        const reply = await fetch(`${world.app.address}${path}`, { method: 'HEAD', headers });
        const wanted = statusForStranger(one, account);
        if (reply.status !== wanted) found.push(`${one.name}: ${reply.status} instead of ${wanted}`);
      }
      assert.deepEqual(found, []);
    });
  }

  test('no condition, range, method or address in a header changes the answer to a caller without the right', async () => {
    const further = {
      ...{ 'if-none-match': '*', 'if-match': '*', 'if-range': '*', range: 'bytes=0-0' },
      ...{ 'if-modified-since': new Date().toUTCString(), 'if-unmodified-since': new Date(0).toUTCString() },
      ...{ 'x-http-method-override': 'GET', 'x-original-url': '/v1/user', 'x-rewrite-url': '/v1/user' },
      ...{ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-user': 'owner', 'x-real-ip': '127.0.0.1' },
    };
    const senders: Sender[] = [
      { key: world.stranger.owner.key, account: 'stranger' },
      await memberWith(world, []),
    ];
    const found: string[] = [];
    for (const sender of senders)
      for (const one of asked) {
        if (withoutCredentials(one) !== undefined || one.case.namesNothing || one.case.makesUnknown) continue;
        const plain = await askAs(world, sender, one, world.victim.ids);
        if (plain.status !== 403 && plain.status !== 404) continue;
        const reply = await askAs(world, { ...sender, further }, one, world.victim.ids);
        if (reply.status !== plain.status || withoutRequestId(reply) !== withoutRequestId(plain))
          found.push(`${one.name}: ${reply.status} instead of ${plain.status}: ${reply.text}`);
      }
    world.tally.leaks.push(...found);
    assert.deepEqual(found, []);
  });

  test('all 404s are the same bytes, wherever they come from', async () => {
    const texts = new Set<string>();
    /** Errors of routes whose standard defines a shape of its own, by their tag. */
    const ofStandards = new Map<string, Set<string>>();
    for (const account of ['stranger', 'victim', 'nobody-has-this']) {
      const sender = { key: world.stranger.owner.key, account };
      for (const one of asked) {
        const reply = await askAs(world, sender, one, world.victim.ids);
        if (reply.status !== 404) continue;
        const { tag, answers } = one.route;
        const set = answers[404]?.schema ? ofStandards.getOrInsert(tag, new Set()) : texts;
        set.add(withoutRequestId(reply));
      }
    }
    texts.add(withoutRequestId(await world.app.call('GET', '/v1/nothing/of/this/name')));
    assert.equal(texts.size, 1, [...texts].join('\n'));
    assert.ok(ofStandards.size > 0);
    for (const [tag, bodies] of ofStandards)
      assert.equal(bodies.size, 1, `${tag}\n${[...bodies].join('\n')}`);
  });
}

/** Answers of routes that need no credentials; signed addresses are requested without their signature. */
function withoutCredentials({ needs, success, case: { granted } }: Asked): number | undefined {
  if (needs === 'public') return granted ?? success;
  return needs === 'signature' ? 403 : undefined;
}

function statusForStranger(one: Asked, account: string | undefined): number {
  const open = withoutCredentials(one);
  if (open !== undefined) return open;
  if (one.route.accountHeader === true && account === undefined) return 400;
  if (one.route.accountHeader && account === 'victim') return 404;
  return one.case.namesNothing ? (one.case.granted ?? one.success) : 404;
}

/** Returns the text with a bit of its middle changed. */
function flipped(text: string): string {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}
