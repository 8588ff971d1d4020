import type { Operations } from '@ploidy/client';
import type { Session } from '../session.ts';

/** Item of a configuration, or of the service, by the names of the API. */
export interface Fields {
  name: string;
  [field: string]: unknown;
}

type Body<N extends keyof Operations> = Parameters<Operations[N]>[0] extends { body: infer B } ? B : never;

/** Part of a configuration: how its items are listed, created and changed. */
export interface Kind {
  section: string;
  /** Fields that the service does not return. */
  secrets: readonly string[];
  /** Lists to which items are added, and from which none are removed. */
  additive?: readonly string[];
  list(session: Session): AsyncIterable<Fields & { id: string }>;
  create(session: Session, item: Fields): Promise<unknown>;
  update(session: Session, present: Fields & { id: string }, item: Fields): Promise<unknown>;
}

/** Kinds in the order in which one may refer to another. The service validates all fields. */
export const kinds: readonly Kind[] = [
  {
    section: 'projects',
    secrets: [],
    list: ({ client }) => listed(client.projects()),
    create: ({ client }, item) => client.operations.createProject({ body: item as Body<'createProject'> }),
    update: ({ client }, { id }, item) =>
      client.operations.updateProject({ path: { id }, body: item as Body<'updateProject'> }),
  },
  {
    section: 'groups',
    secrets: [],
    additive: ['members'],
    list: groupsWithMembers,
    create: async (session, { members, ...item }) => {
      const { client } = session;
      const { id } = await client.operations.createGroup({ body: item as unknown as Body<'createGroup'> });
      await addMembers(session, id, members);
    },
    update: async (session, { id }, { members, ...item }) => {
      const body = item as unknown as Body<'replaceGroup'>;
      await session.client.operations.replaceGroup({ path: { id }, body });
      await addMembers(session, id, members);
    },
  },
  {
    section: 'policies',
    secrets: [],
    list: ({ client }) => listed(client.policies()),
    create: ({ client }, item) =>
      client.operations.createPolicy({ body: item as unknown as Body<'createPolicy'> }),
    update: ({ client }, { id }, item) =>
      client.operations.replacePolicy({ path: { policyId: id }, body: item as Body<'replacePolicy'> }),
  },
  {
    section: 'clients',
    secrets: [],
    list: async function* ({ client }) {
      yield* listed((await client.operations.listClients()).clients);
    },
    create: ({ client }, item) => client.operations.createClient({ body: item as Body<'createClient'> }),
    update: ({ client }, { id }, item) =>
      client.operations.replaceClient({ path: { clientId: id }, body: item as Body<'replaceClient'> }),
  },
  {
    section: 'ehrs',
    secrets: ['apiKey', 'apiSecret'],
    list: async function* ({ client }) {
      const { items } = await client.operations.listEhrs({ query: { pageSize: 1000 } });
      for (const { schedule, ...ehr } of items) {
        // The service adds the time of the next sync.
        const { cron, datasetId } = schedule ?? {};
        yield { ...ehr, schedule: schedule ? { cron, datasetId } : null };
      }
    },
    create: ({ client }, item) => client.operations.createEhr({ body: item as unknown as Body<'createEhr'> }),
    update: ({ client }, { id }, item) =>
      client.operations.updateEhr({ path: { ehrId: id }, body: item as Body<'updateEhr'> }),
  },
];

async function* listed(items: AsyncIterable<object> | Iterable<object>) {
  for await (const item of items) yield item as Fields & { id: string };
}

/** Lists groups with the addresses of their members, which are added and never removed. */
async function* groupsWithMembers({ client }: Session) {
  for await (const group of client.groups()) {
    const members: string[] = [];
    for await (const { profile } of client.members(group.id)) members.push(profile.email ?? '');
    yield { ...group, members } as Fields & { id: string };
  }
}

async function addMembers({ client }: Session, id: string, members: unknown): Promise<void> {
  for (const username of (members ?? []) as string[])
    await client.operations.addGroupMember({ path: { id, username } });
}
