import type { Operations } from '@ploidy/client';
import type { Session } from '../session.ts';
import { type BodyFields, changeOf, creationOf, type Fields } from './fields.ts';

type Body<N extends keyof Operations> = Parameters<Operations[N]>[0] extends { body: infer B } ? B : never;

/** Part of a configuration: how its items are listed, created and changed. */
export interface Kind {
  section: string;
  /** Fields that the service does not return. */
  secrets: readonly string[];
  /** Lists to which items are added, and from which none are removed. */
  additive: readonly string[];
  list(session: Session): AsyncIterable<Fields & { id: string }>;
  /** Refuses fields that are unknown or of another type, and a new item without a required field. */
  check(item: Fields, isNew: boolean): void;
  create(session: Session, item: Fields): Promise<unknown>;
  change(session: Session, id: string, item: Fields): Promise<unknown>;
}

interface Definition<B> {
  section: string;
  fields: BodyFields<B>;
  secrets?: readonly string[];
  additive?: readonly string[];
  list(session: Session): AsyncIterable<{ id: string; name: string }>;
  create(session: Session, item: B): Promise<unknown>;
  change(session: Session, id: string, item: Partial<B>): Promise<unknown>;
}

/** Makes a kind of typed requests: items of a file are checked before they become bodies. */
function kindOf<B extends object>(definition: Definition<B>): Kind {
  const { section, fields, secrets = [], additive = [] } = definition;
  return {
    section,
    secrets,
    additive,
    list: async function* (session) {
      for await (const item of definition.list(session)) yield { ...item };
    },
    check: (item, isNew) => void (isNew ? creationOf : changeOf)(section, fields, item),
    create: async (session, item) => definition.create(session, creationOf(section, fields, item)),
    change: async (session, id, item) => definition.change(session, id, changeOf(section, fields, item)),
  };
}

const projects = kindOf<Body<'createProject'>>({
  section: 'projects',
  fields: { required: { name: 'string' }, optional: { description: 'string' } },
  list: ({ client }) => client.projects(),
  create: ({ client }, body) => client.operations.createProject({ body }),
  change: ({ client }, id, body) => client.operations.updateProject({ path: { id }, body }),
});

const groups = kindOf<Body<'createGroup'> & { members?: string[] }>({
  section: 'groups',
  fields: {
    required: { name: 'string' },
    optional: { description: 'string', type: 'string', members: 'list' },
  },
  additive: ['members'],
  list: groupsWithMembers,
  create: async (session, { members, ...body }) => {
    const { id } = await session.client.operations.createGroup({ body });
    await addMembers(session, id, members);
  },
  change: async (session, id, { members, ...body }) => {
    await session.client.operations.replaceGroup({ path: { id }, body });
    await addMembers(session, id, members);
  },
});

const policies = kindOf<Body<'createPolicy'>>({
  section: 'policies',
  fields: { required: { name: 'string', policy: 'object' }, optional: {} },
  list: ({ client }) => client.policies(),
  create: ({ client }, body) => client.operations.createPolicy({ body }),
  change: ({ client }, id, body) => client.operations.replacePolicy({ path: { policyId: id }, body }),
});

/** Without `generateSecret`, since the secret would be lost. */
const clients = kindOf<Omit<Body<'createClient'>, 'generateSecret'>>({
  section: 'clients',
  fields: {
    required: { name: 'string' },
    optional: {
      callbackUrls: 'list',
      logoutUrls: 'list',
      identityProviders: 'list',
      allowedOAuthFlows: 'list',
      allowedScopes: 'list',
      customIdentityProvider: 'object or null',
      jwks: 'object or null',
      jwksUrl: 'string or null',
      refreshTokens: 'string',
    },
  },
  list: async function* ({ client }) {
    yield* (await client.operations.listClients()).clients;
  },
  create: ({ client }, body) => client.operations.createClient({ body }),
  change: ({ client }, id, body) => client.operations.replaceClient({ path: { clientId: id }, body }),
});

const ehrs = kindOf<Body<'createEhr'>>({
  section: 'ehrs',
  fields: {
    required: { name: 'string', apiBaseUrl: 'string' },
    optional: {
      ehrType: 'string',
      apiKey: 'string or null',
      apiSecret: 'string or null',
      apiAuthType: 'string',
      ingestionModel: 'string',
      delayBetweenRecords: 'number',
      idPrefix: 'string',
      schedule: 'object or null',
    },
  },
  secrets: ['apiKey', 'apiSecret'],
  list: async function* ({ client }) {
    for await (const { schedule, ...ehr } of client.ehrs()) {
      // The service adds the time of the next sync.
      const { cron, datasetId } = schedule ?? {};
      yield { ...ehr, schedule: schedule ? { cron, datasetId } : null };
    }
  },
  create: ({ client }, body) => client.operations.createEhr({ body }),
  change: ({ client }, id, body) => client.operations.updateEhr({ path: { ehrId: id }, body }),
});

/** Kinds in the order in which one may refer to another. */
export const kinds: readonly Kind[] = [projects, groups, policies, clients, ehrs];

/** Lists groups with the addresses of their members. */
async function* groupsWithMembers({ client }: Session) {
  for await (const group of client.groups()) {
    const members: string[] = [];
    for await (const { profile } of client.members(group.id)) members.push(profile.email ?? '');
    yield { ...group, members };
  }
}

async function addMembers({ client }: Session, id: string, members: string[] = []): Promise<void> {
  for (const username of members) await client.operations.addGroupMember({ path: { id, username } });
}
