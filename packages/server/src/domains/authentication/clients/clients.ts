import type { Caller } from '../../../access/caller.ts';
import { AdminError } from '../../../base/admin-error.ts';
import { newId } from '../../../base/ids.ts';
import { conflict, notFound, type Problem } from '../../../base/problem.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { prepared } from '../../../platform/records/prepared.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { ClientsTable } from '../../../platform/records/schema-sign-in.ts';
import { newToken, tokenHash } from '../../../platform/secrets/secret-token.ts';
import { type Audit, type AuditAction, actor } from '../../audit/index.ts';
import { lockAccount } from '../../identity/groups/index.ts';
import { createUser, findUserById, storeProfile } from '../../identity/users/index.ts';
import {
  type Client,
  type ClientKeys,
  type ClientSettings,
  type CustomIdentityProvider,
  commandLine,
  defaultSettings,
  offeredProvider,
  toClient,
} from './client.ts';
import { Registrations } from './registrations.ts';
import { requireValid } from './validate.ts';

/** Given fields of a request; absent ones keep their value, or get the default in a new client. `null` clears. */
interface ClientChange
  extends Partial<Omit<ClientSettings, 'customIdentityProvider' | 'firstParty' | 'jwks' | 'jwksUrl'>> {
  name?: string;
  customIdentityProvider?: CustomIdentityProvider | null;
  jwks?: ClientKeys | null;
  jwksUrl?: string | null;
  generateSecret?: boolean;
}

/** Client, with its secret if just created: it is returned this once. */
export interface MadeClient {
  client: Client;
  secret: string | undefined;
}

type By = { caller: Caller; requestId: string };

/** Bounds the list, which has no pages. */
const clientsMax = 500;

/** OAuth clients: applications that users sign in to with this service. */
export class Clients {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #outbound: Pick<Outbound, 'faultIn'>;
  /** Clients that programs register by themselves. */
  readonly registrations: Registrations;
  readonly #byId: (id: string) => Promise<ClientsTable[]>;
  /** Listeners in the transaction that changes or removes the identity provider of a client. */
  readonly providerLost: ((tx: Transaction, id: string) => Promise<void>)[] = [];
  /** Listeners in the transaction that deletes a client. */
  readonly deleted: ((tx: Transaction, id: string) => Promise<void>)[] = [];

  constructor({
    records,
    audit,
    outbound,
  }: {
    records: Records;
    audit: Audit;
    outbound: Pick<Outbound, 'faultIn'>;
  }) {
    this.#records = records;
    this.#audit = audit;
    this.#outbound = outbound;
    this.registrations = new Registrations(records, audit);
    this.#byId = prepared(records.read, (read, id: string) =>
      read.selectFrom('clients').selectAll().where('id', '=', id),
    );
  }

  async find(id: string): Promise<Client | undefined> {
    if (id === commandLine.id) return commandLine;
    const [row] = await this.#byId(id);
    return row ? toClient(row) : this.registrations.find(id);
  }

  /** Lists the clients of an account, oldest first. */
  async list(account: string): Promise<Client[]> {
    const rows = await this.#records.read
      .selectFrom('clients')
      .selectAll()
      .where('account_id', '=', account)
      .orderBy('id')
      .execute();
    return rows.map(toClient);
  }

  async create(account: string, input: ClientChange & { name: string }, by: By): Promise<MadeClient> {
    const secret = input.generateSecret ? newToken() : undefined;
    const { name, settings } = merge({ name: '', ...defaultSettings }, input);
    requireValid(settings, secret !== undefined, this.#outbound);
    const now = Date.now();
    const row = {
      id: newId(),
      account_id: account,
      name,
      secret_hash: secret === undefined ? null : tokenHash(secret),
      settings: JSON.stringify(settings),
      made_by: by.caller.person,
      registered: 0,
      created_at: now,
      updated_at: now,
    };
    await this.#records.transact(async (tx) => {
      await requireRoom(tx, account);
      await tx.insertInto('clients').values(row).execute();
      await syncServiceUser(tx, toClient(row));
      await this.#record(tx, 'clients.create', row.id, account, by, { secret: secret !== undefined });
    });
    return { client: toClient(row), secret };
  }

  /** Changes the given fields. `generateSecret: true` makes a new secret; the old one is invalid at once. */
  async update(id: string, change: ClientChange, by: By): Promise<MadeClient> {
    const secret = change.generateSecret ? newToken() : undefined;
    return this.#records.transact(async (tx) => {
      const present = await lockClient(tx, id);
      if (!present) throw notFound();
      if (present.firstParty) throw firstPartyFixed();
      const { name, settings } = merge(present, change);
      requireValid(settings, secret !== undefined || present.secretHash !== undefined, this.#outbound);
      const row = await tx
        .updateTable('clients')
        .set({ name, settings: JSON.stringify(settings), updated_at: Date.now() })
        .$if(secret !== undefined, (query) => query.set({ secret_hash: tokenHash(secret ?? '') }))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await syncServiceUser(tx, toClient(row));
      const provider = offeredProvider(present);
      if (provider !== undefined && offeredProvider(settings) !== provider)
        for (const listener of this.providerLost) await listener(tx, id);
      await this.#record(tx, 'clients.update', id, present.account, by, { secret: secret !== undefined });
      return { client: toClient(row), secret };
    });
  }

  async delete(client: Client, by: By): Promise<void> {
    await this.#records.transact(async (tx) => {
      const gone = await tx.deleteFrom('clients').where('id', '=', client.id).executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw notFound();
      for (const listener of this.deleted) await listener(tx, client.id);
      await tx.deleteFrom('group_members').where('user_id', '=', client.id).execute();
      await tx.deleteFrom('users').where('id', '=', client.id).where('type', '=', 'client').execute();
      await this.#records.announce(tx, `user:${client.id}`);
      await this.#record(tx, 'clients.delete', client.id, client.account, by, {});
    });
  }

  async #record(
    tx: Transaction,
    action: AuditAction,
    id: string,
    account: string,
    by: By,
    details: Record<string, boolean>,
  ): Promise<void> {
    await this.#audit.append(tx, {
      account,
      ...actor(by.caller, by.requestId),
      action,
      resource: { type: 'client', id },
      outcome: 'done',
      details,
    });
  }
}

/** Answers a change that could send tokens trusted by the host to another place. */
function firstPartyFixed(): Problem {
  return conflict(
    'FIRST_PARTY_CLIENT',
    'The host marked this client as first-party, so its settings cannot change. An administrator of the host can remove the mark: ploidy admin clients first-party --client ID --off.',
  );
}

/** Marks a client as first-party on the host, or removes the mark. */
export async function setFirstParty(
  { records, audit }: { records: Records; audit: Audit },
  id: string,
  firstParty: boolean,
): Promise<{ client: string; account: string; firstParty: string }> {
  return records.transact(async (tx) => {
    const client = await lockClient(tx, id);
    if (!client) throw new AdminError(`There is no OAuth client ${id}.`);
    const { settings } = merge({ ...client, firstParty }, {});
    await tx
      .updateTable('clients')
      .set({ settings: JSON.stringify(settings), updated_at: Date.now() })
      .where('id', '=', id)
      .execute();
    await records.announce(tx, `access:${client.account}`);
    await audit.append(tx, {
      account: client.account,
      userId: null,
      via: 'host',
      action: 'admin.firstParty',
      resource: { type: 'client', id },
      outcome: 'done',
      details: { firstParty },
    });
    return { client: client.name, account: client.account, firstParty: firstParty ? 'on' : 'off' };
  });
}

/** Locks a client against other changes until the transaction ends. */
async function lockClient(tx: Transaction, id: string): Promise<Client | undefined> {
  const row = await tx
    .updateTable('clients')
    .set({ id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row && toClient(row);
}

function merge(
  present: ClientSettings & { name: string },
  change: ClientChange,
): { name: string; settings: ClientSettings } {
  const { customIdentityProvider = present.customIdentityProvider } = change;
  const { jwks = present.jwks, jwksUrl = present.jwksUrl } = change;
  const settings: ClientSettings = {
    callbackUrls: change.callbackUrls ?? present.callbackUrls,
    logoutUrls: change.logoutUrls ?? present.logoutUrls,
    identityProviders: change.identityProviders ?? present.identityProviders,
    allowedOAuthFlows: change.allowedOAuthFlows ?? present.allowedOAuthFlows,
    allowedScopes: change.allowedScopes ?? present.allowedScopes,
    ...(customIdentityProvider && { customIdentityProvider }),
    ...(jwks && { jwks }),
    ...(jwksUrl && { jwksUrl }),
    refreshTokens: change.refreshTokens ?? present.refreshTokens,
    firstParty: present.firstParty,
    ...(present.registered && { registered: present.registered }),
  };
  return { name: change.name ?? present.name, settings };
}

/** Keeps the service user of a client that acts for itself: same id and name, so that policies and groups can name it. */
async function syncServiceUser(tx: Transaction, { id, name, allowedOAuthFlows }: Client): Promise<void> {
  const user = await findUserById(tx, id);
  if (user) await storeProfile(tx, id, { ...user.profile, name });
  else if (allowedOAuthFlows.includes('client_credentials'))
    await createUser(tx, `${id}@clients.invalid`, { name }, { id, type: 'client' });
}

async function requireRoom(tx: Transaction, account: string): Promise<void> {
  // Concurrent creations are counted in turn.
  await lockAccount(tx, account);
  const { count } = await tx
    .selectFrom('clients')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  if (Number(count) >= clientsMax)
    throw conflict(
      'TOO_MANY_CLIENTS',
      `An account may have ${clientsMax} clients. Delete those that are not used.`,
    );
}
