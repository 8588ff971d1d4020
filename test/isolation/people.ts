import type { Privilege } from '../../packages/server/src/access/operations.ts';
import type { Reply, TestApp } from '../support/app.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';
import { type Asked, undeclared } from './catalogue.ts';
import type { Household, Ids } from './world.ts';

/** A log of attempts against an account by callers without rights, and of attempts that leaked or changed something. */
export class Tally {
  tries = 0;
  readonly leaks: string[] = [];
}

/** Everything that the tests of one service share; filled in before they run. */
export interface World {
  app: TestApp;
  tally: Tally;
  victim: Household;
  stranger: Household;
}

/** Headers of a request. */
export interface Sender {
  key: string | undefined;
  account: string | undefined;
  /** Headers beside those of the request. */
  further?: Record<string, string>;
}

/** Asks a route about these things as this sender. */
export function askAs(
  world: World,
  sender: Sender,
  { route, case: { ask } }: Asked,
  ids: Ids,
): Promise<Reply> {
  const { path, body, headers } = ask(ids);
  const { key, account, further } = sender;
  world.tally.tries++;
  return world.app.call(route.method, path, { key, account, body, headers: { ...further, ...headers } });
}

/**
 * Asks all these routes and compares statuses. Answers what differs, as sentences, so that one run shows all of it; `look`
 * may find more to say about an answer.
 */
export async function differences(
  world: World,
  sender: Sender,
  routes: Asked[],
  expected: (one: Asked) => number,
  look: (one: Asked, reply: Reply) => Promise<string | undefined> | string | undefined = () => undefined,
  idsFor: (one: Asked) => Promise<Ids> | Ids = () => world.victim.ids,
): Promise<string[]> {
  const found: string[] = [];
  for (const one of routes) {
    const reply = await askAs(world, sender, one, await idsFor(one));
    const wanted = expected(one);
    if (reply.status !== wanted)
      found.push(`${one.name}: ${reply.status} instead of ${wanted}: ${reply.text}`);
    for (const more of [undeclared(one.route, reply), await look(one, reply)]) {
      if (more) found.push(`${one.name}: ${more}`);
    }
  }
  world.tally.leaks.push(...found);
  return found;
}

/**
 * Returns the status for a member to whom the project of the victim is unknown: 404 where a request names it, 403 for content that
 * has an id of its own.
 */
export function withoutProject({ victim: { ids } }: World, one: Asked): 403 | 404 {
  const isNamed = one.needs !== 'public' && JSON.stringify(one.case.ask(ids)).includes(ids.project);
  const isToken = one.needs === 'signature' || (!Array.isArray(one.needs) && one.case.granted === 403);
  const isElsewhere = isToken || decidedElsewhere.has(one.name);
  return isNamed && !isElsewhere ? 404 : 403;
}

/** Routes that are decided on something else than the project which they name. */
const decidedElsewhere = new Set(['POST /v1/ehrs/:ehrId/sync', 'POST /:account/v1/readgroupsets/search']);

/** Creates a member of the account with these privileges, perhaps bound by a rule; of the victim's account by default. */
export async function memberWith(
  world: World,
  privileges: Privilege[],
  { rule = {}, account = 'victim' }: { rule?: object; account?: string } = {},
): Promise<Sender> {
  const { key } = await world.app.people.member(account, privileges, rule);
  await untilKeyAnswers(world, key, 200);
  return { key, account };
}

/** Users are created as by another process, which the service notices in a moment. */
async function untilKeyAnswers(world: World, key: string, status: number): Promise<void> {
  const sender = { key, account: undefined };
  await until(
    async () => (await world.app.call('GET', '/v1/accounts', sender)).status === status,
    `a key that answers ${status}`,
  );
}

/** Returns a member without `apiKeyUser`: the account refuses this member's API keys. */
export async function memberWithoutKeys(world: World): Promise<Person> {
  const { people } = world.app;
  const person = await people.member('victim', ['readData', 'createData']);
  await people.records.transact(async (tx) => {
    await tx
      .deleteFrom('policies')
      .where('account_id', '=', 'victim')
      .where('document', 'like', `%${person.userId}%`)
      .execute();
    await people.records.announce(tx, 'access:victim');
  });
  await untilKeyAnswers(world, person.key, 403);
  return person;
}

/** Returns the owner's view of the account, to verify that a refused request changed nothing. */
export async function stateOf({ call, ids }: Household): Promise<string> {
  const paths = [
    `/v1/accounts/${ids.account}?include=groups`,
    '/v1/projects',
    '/v1/files',
    `/v1/files/${ids.file}`,
    `/v1/ingestions?datasetId=${ids.project}`,
    `/v1/analytics/data-lake/query?datasetId=${ids.project}`,
    `/v1/analytics/data-lake/query?datasetId=${ids.otherProject}`,
    `/v1/analytics/data-lake/schema?datasetId=${ids.project}`,
    '/v1/api-keys',
    `/v1/invitations?account=${ids.account}`,
    '/v1/policies?name=policy',
    '/v1/user',
    '/v1/ehrs',
    '/v1/webhooks',
    `/v1/webhooks/${ids.webhook}/deliveries`,
    `/v1/ehrs/${ids.ehr}/syncs`,
    '/v1/account/groups',
    `/v1/account/groups/${ids.group}/members`,
    `/v1/account/users?name=owner`,
    `/v1/account/users/${ids.user}/attributes`,
  ];
  const replies = await Promise.all(paths.map((path) => call('GET', path)));
  return replies.map(({ status, text }) => `${status} ${text}`).join('\n');
}
