import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Privilege, privileges } from '../../packages/server/src/access/operations.ts';
import type { Reply } from '../support/app.ts';
import { type Asked, asked } from './catalogue.ts';
import { askAs, memberWith, type Sender, stateOf, type World } from './people.ts';
import { ghosts, type Ids, tracesOf } from './world.ts';

interface Kind {
  name: string;
  sender: Sender;
}

/** Fewer than the statements that a user may have at work. */
const askedAtOnce = 4;

/** Eight kinds of people of the other side; its owner first. */
async function kindsOfCaller(world: World): Promise<Kind[]> {
  const owner = world.stranger.owner.key;
  const member = (privileges: Privilege[]) => memberWith(world, privileges, { account: 'stranger' });
  return [
    { name: 'owner', sender: { key: owner, account: 'stranger' } },
    { name: 'owner, in the name of the victim', sender: { key: owner, account: 'victim' } },
    { name: 'owner, in no name', sender: { key: owner, account: undefined } },
    { name: 'member with all rights', sender: await member([...privileges]) },
    { name: 'reader', sender: await member(['readData']) },
    { name: 'reader of masked data', sender: await member(['readMaskedData']) },
    { name: 'member without rights', sender: await member([]) },
    { name: 'nobody', sender: { key: undefined, account: 'victim' } },
  ];
}

/** Tests of callers who mix what is theirs with what is not. */
export function crossingTests(world: World): void {
  test('no id of another account opens anything, in any position of any route', async () => {
    const before = await stateOf(world.victim);
    const kinds = await kindsOfCaller(world);
    const [owner, ...others] = kinds;
    const isSecondStore = world.app.settings['PLOIDY_DATABASE_URL'] !== undefined;
    let turn = 0;
    // Everywhere as the owner, and as one of the other kinds, in turns. The caller is the same on either store: on the second
    // all take turns.
    const callers = () =>
      (isSecondStore ? [kinds[turn++ % kinds.length]] : [owner, others[turn++ % others.length]]) as Kind[];
    const found: string[] = [];
    // Last: routes that create resources under unused ids, so that no other route finds those.
    const making = asked.filter((one) => one.case.makesUnknown);
    const naming = asked.filter((one) => !making.includes(one)).flatMap(withFurther);
    for (const one of [...naming, ...making]) {
      for (const place of placesOf(one)) {
        const ids = foreignIds().map((id): Ids => ({ ...world.stranger.ids, [place]: id }));
        const tries = ids.flatMap((mixed) => callers().map((as) => ({ as, mixed })));
        const ghost: Ids = { ...world.stranger.ids, [place]: ghosts[place] };
        const ofNothing = new Map<Kind, Reply>();
        for (const { as } of tries)
          if (!ofNothing.has(as)) ofNothing.set(as, await askAs(world, as.sender, one, ghost));
        const replies: Reply[] = [];
        for (let at = 0; at < tries.length; at += askedAtOnce) {
          const some = tries.slice(at, at + askedAtOnce);
          replies.push(
            ...(await Promise.all(some.map(({ as, mixed }) => askAs(world, as.sender, one, mixed)))),
          );
        }
        for (const [at, reply] of replies.entries()) {
          const { as, mixed } = tries[at] as (typeof tries)[number];
          const leak = leakIn(one, reply, mixed[place], ofNothing.get(as) as Reply);
          if (leak) found.push(`${one.name} with ${place} ${mixed[place]} as ${as.name}: ${leak}`);
        }
      }
    }
    world.tally.leaks.push(...found);
    assert.deepEqual(found, []);
    assert.equal(await stateOf(world.victim), before);
  });

  test('a page token of a search or of an answer is 400 in the other account', async () => {
    const { victim, stranger } = world;
    const searches = ['datasets', 'readgroupsets', 'referencesets', 'references'];
    const search = (account: string, what: string, body: object) =>
      world[account as 'victim' | 'stranger'].call('POST', `/${account}/v1/${what}/search`, { body });
    const first = await search('victim', 'datasets', { pageSize: 1 });
    const { nextPageToken } = first.body;
    assert.ok(nextPageToken, first.text);
    for (const [account, what] of [
      ...searches.map((name) => ['stranger', name] as const),
      ...searches.slice(1).map((name) => ['victim', name] as const),
    ]) {
      world.tally.tries++;
      const reply = await search(account, what, { pageSize: 1, pageToken: nextPageToken });
      assert.equal(reply.status, 400, `${account} ${what}: ${reply.text}`);
    }
    const ask = ({ call, ids }: typeof victim, pageToken?: string) => {
      const options = { limit: 1, ...(pageToken && { pageToken }) };
      const body = { datasetId: ids.project, query: { target: 'patient', options } };
      return call('POST', '/v1/analytics/dsl', { body });
    };
    const answer = await ask(victim);
    assert.ok(answer.body.data.nextPageToken, answer.text);
    world.tally.tries++;
    assert.equal((await ask(stranger, answer.body.data.nextPageToken)).status, 400);
  });

  /** Returns a route with all that it may name, each time as if that were another route. */
  function withFurther(one: Asked): Asked[] {
    const { further = [] } = one.case;
    return [one, ...further.map((ask) => ({ ...one, case: { ...one.case, ask } }))];
  }

  /** Everything of the victim's that has an id. */
  function foreignIds(): string[] {
    const { uploadUrl, table, account, ...others } = world.victim.ids;
    return [...new Set([account, ...Object.values(others)])];
  }

  /** Returns the things that a route is asked about, by name. */
  function placesOf({ case: { ask } }: Asked): (keyof Ids)[] {
    const places = new Set<keyof Ids>();
    const watched = new Proxy(world.stranger.ids, {
      get: (ids, name: keyof Ids) => {
        places.add(name);
        return ids[name];
      },
    });
    const { path } = ask(watched);
    // Elsewhere it is only a word.
    if (!path.includes(world.stranger.ids.account)) places.delete('account');
    places.delete('table');
    places.delete('uploadUrl');
    return [...places];
  }

  /**
   * Returns the leak in an answer, which repeats only what was sent; a route about the named resource answers as for a missing
   * one.
   */
  function leakIn(one: Asked, reply: Reply, sent: string, ofNothing: Reply): string | undefined {
    const { status, text } = reply;
    const reported = tracesOf(world.victim).find((trace) => trace !== sent && text.includes(trace));
    if (reported) return `tells ${reported}`;
    const isOpen = one.needs === 'public' || one.case.makesUnknown || one.case.namesNothing;
    if (isOpen) return undefined;
    if (status < 400) return `${status} ${text.slice(0, 300)}`;
    return status === ofNothing.status ? undefined : `${status}, but of nothing ${ofNothing.status}`;
  }
}
