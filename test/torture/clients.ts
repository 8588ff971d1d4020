import { privileges } from '../../packages/server/src/access/operations.ts';
import {
  makeClient,
  signedIn,
} from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { randomOf } from '../../samples/generator/random.ts';
import { People, type Person } from '../support/people.ts';
import { type Area, Client } from './client.ts';
import { Cohorts } from './cohorts.ts';
import { Files } from './files.ts';
import { Ingestions } from './ingestions.ts';
import { Invitations } from './invitations.ts';
import type { Journal } from './journal.ts';
import { Keys } from './keys.ts';
import type { Life } from './life.ts';
import { Policies } from './policies.ts';
import { Projects } from './projects.ts';
import { Queries } from './queries.ts';
import { Tokens } from './tokens.ts';

const clientsCount = 4;

/** All clients of the service, each with its own projects. */
export class Clients {
  readonly all: readonly { client: Client; areas: readonly Area[] }[];
  readonly #journal: Journal;

  private constructor(all: Clients['all'], journal: Journal) {
    this.all = all;
    this.#journal = journal;
  }

  static async gather(life: Life, journal: Journal, seed: number): Promise<Clients> {
    const { folder, settings } = life.service;
    const people = await People.open({ ...settings, PLOIDY_DATA_DIR: folder }, async (key) => {
      return (await life.service.call('GET', '/v1/accounts', { key })).status === 200;
    });
    try {
      const all = [];
      for (let number = 0; number < clientsCount; number += 1) {
        const random = randomOf(seed, 'client', number);
        const person = await people.member(life.service.server.account, [...privileges]);
        const client = new Client({ name: `c${number}`, person, random, life, journal });
        all.push({ client, areas: await areasOf(client, people) });
      }
      return new Clients(all, journal);
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

async function areasOf(client: Client, people: People): Promise<Area[]> {
  const { person, life } = client;
  const call: typeof life.service.call = (method, path, options) =>
    life.service.call(method, path, { key: person.key, ...options });
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
    new Projects(client),
    new Cohorts(client, first),
    new Invitations(client, group),
    new Keys(client),
    new Policies(client, reader),
    new Tokens(client, application.id, cookie),
  ];
}

async function makeProject(client: Client): Promise<string> {
  const body = { name: client.newName('work ') };
  const made = await client.change('projects.create', 'POST', '/v1/projects', [200], { body });
  return made?.body.id;
}
