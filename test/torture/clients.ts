import { setTimeout as delay } from 'node:timers/promises';
import { privileges } from '../../packages/server/src/access/operations.ts';
import {
  makeClient,
  signedIn,
} from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import type { Receiver } from '../../packages/server/src/domains/protocols/events/webhooks/receiver.fixture.ts';
import { randomOf } from '../../samples/generator/random.ts';
import type { Call } from '../inputs/project.ts';
import { People, type Person } from '../support/people.ts';
import { type Area, Client } from './client.ts';
import { Cohorts } from './cohorts.ts';
import { Exports } from './exports.ts';
import { Files } from './files.ts';
import { Ingestions } from './ingestions.ts';
import { Invitations } from './invitations.ts';
import type { Journal } from './journal.ts';
import { Keys } from './keys.ts';
import type { Life } from './life.ts';
import { Limits } from './limits.ts';
import { Policies } from './policies.ts';
import { Projects } from './projects.ts';
import { Queries } from './queries.ts';
import { Tokens } from './tokens.ts';
import { Webhooks } from './webhooks.ts';

interface Gathering {
  /** Number of clients. */
  count?: number;
  /** Mean pause of each client between two acts. */
  paceMs?: number;
  /** Receiver of webhooks; without it there are none. */
  hooks?: Receiver;
}

/** All clients of the service, each with its own projects. */
export class Clients {
  readonly all: readonly { client: Client; areas: readonly Area[] }[];
  readonly #journal: Journal;
  readonly #paceMs: number;

  private constructor(all: Clients['all'], journal: Journal, paceMs: number) {
    this.#paceMs = paceMs;
    this.all = all;
    this.#journal = journal;
  }

  static async gather(
    life: Life,
    journal: Journal,
    seed: number,
    { count = 4, paceMs = 0, hooks }: Gathering = {},
  ): Promise<Clients> {
    const people = await People.open(life.settings, async (key) => {
      return (await life.call('GET', '/v1/accounts', { key })).status === 200;
    });
    try {
      const all = [];
      for (let number = 0; number < count; number += 1) {
        const random = randomOf(seed, 'client', number);
        const person = await people.member(life.account, [...privileges]);
        const client = new Client({ name: `c${number}`, person, random, life, journal });
        all.push({ client, areas: await areasOf(client, people, hooks) });
      }
      return new Clients(all, journal, paceMs);
    } finally {
      await people.close();
    }
  }

  /** Runs one act of each after the other until the time is over, or one fails. */
  async work(seconds: number): Promise<void> {
    const endsAt = performance.now() + seconds * 1000;
    let failed = false;
    const workOn = async ({ client, areas }: Clients['all'][number]): Promise<void> => {
      const acts = areas.flatMap((area) => Object.entries(area.acts));
      while (performance.now() < endsAt && !failed) {
        const [name, act] = client.random.pick(acts);
        this.#journal.note(client.name, name, '…');
        await act();
        this.#journal.count(name);
        if (this.#paceMs > 0) await delay(2 * client.random.next() * this.#paceMs);
      }
    };
    const ends = await Promise.allSettled(
      this.all.map((one) =>
        workOn(one).catch((error: unknown) => {
          failed = true;
          throw error;
        }),
      ),
    );
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure) throw failure.reason;
  }

  /** Verifies that the service shows what it acknowledged. */
  async verify(): Promise<void> {
    for (const { areas } of this.all) for (const area of areas) await area.verify();
  }
}

async function areasOf(client: Client, people: People, hooks: Receiver | undefined): Promise<Area[]> {
  const { person, life } = client;
  const call: Call = (method, path, options) => life.call(method, path, { key: person.key, ...options });
  const [first, second] = [await makeProject(client), await makeProject(client)];
  const { groups } = (await call('GET', `/v1/accounts/${person.account}?include=groups`)).body;
  const group = groups.find(({ name }: { name: string }) => name === 'Subjects').id;
  const reader: Person = await people.member(person.account, []);
  const cookie = await signedIn({ people }, person.userId);
  const application = await makeClient({ call }, { name: client.newName('application ') });
  return [
    new Files(client, [first, second]),
    new Ingestions(client, [first, second]),
    new Queries(client, first),
    new Exports(client),
    new Projects(client),
    new Cohorts(client, first),
    new Invitations(client, group),
    new Keys(client),
    new Policies(client, reader),
    new Limits(client, await people.member(person.account, [])),
    ...(hooks ? [new Webhooks(client, hooks)] : []),
    new Tokens(client, application.id, cookie),
  ];
}

async function makeProject(client: Client): Promise<string> {
  const body = { name: client.newName('work ') };
  const made = await client.change('projects.create', 'POST', '/v1/projects', [200], { body });
  return made?.body.id;
}
