import { sql } from 'kysely';
import { newId } from '../../../base/ids.ts';
import { networkOf } from '../../../base/network.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { Audit } from '../../audit/index.ts';
import { type Client, type ClientSettings, defaultSettings, toClient } from './client.ts';

/** Time in which a user must consent to a registration. */
const lifeMs = 86_400_000;
/** Registrations without a consent: of all programs, and of those in one network. */
const waitingMax = 1000;
const ofNetworkMax = 50;
/** Clients of an account that registered themselves. */
const ofAccountMax = 100;

/** Settings of a client that registered itself: public, so it must use PKCE, and without claims of the user. */
const settingsOf = (callbackUrls: string[]): ClientSettings => ({
  ...defaultSettings,
  callbackUrls,
  allowedScopes: ['openid', 'offline_access'],
  registered: true,
});

/**
 * Clients that programs register by themselves (RFC 7591). Without an account and of no use until a member of an account consents;
 * then one of its clients, which its administrators see and delete.
 */
export class Registrations {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** Finds a client that waits for its first consent. */
  async find(id: string): Promise<Client | undefined> {
    const row = await this.#records.read
      .selectFrom('client_registrations')
      .selectAll()
      .where('id', '=', id)
      .where('created_at', '>', Date.now() - lifeMs)
      .executeTakeFirst();
    if (!row) return undefined;
    const settings = settingsOf(JSON.parse(row.callback_urls));
    return { id, account: '', name: row.name, secretHash: undefined, ...settings };
  }

  /** Adds a client; `address`: of the program. Problem 429 where too many wait. */
  async add(asked: { name: string; callbackUrls: string[] }, address: string): Promise<Client> {
    const network = networkOf(address);
    const row = {
      ...{ id: newId(), name: asked.name, callback_urls: JSON.stringify(asked.callbackUrls) },
      ...{ network, created_at: Date.now() },
    };
    await this.#records.transact(async (tx) => {
      const { all, near } = await tx
        .selectFrom('client_registrations')
        .select(({ fn }) => [
          fn.countAll<number>().as('all'),
          fn.countAll<number>().filterWhere('network', '=', network).as('near'),
        ])
        .executeTakeFirstOrThrow();
      if (Number(all) >= waitingMax || Number(near) >= ofNetworkMax) throw tooMany();
      await tx.insertInto('client_registrations').values(row).execute();
    });
    return {
      id: row.id,
      account: '',
      name: row.name,
      secretHash: undefined,
      ...settingsOf(asked.callbackUrls),
    };
  }

  /**
   * Gives a registered client to the account of a user who consents. Returns `undefined` when it belongs to another account
   * meanwhile, or when the account has too many of them.
   */
  async adopt(
    tx: Transaction,
    client: Client,
    by: { account: string; userId: string; requestId: string },
  ): Promise<Client | undefined> {
    const { account } = by;
    const taken = await tx
      .deleteFrom('client_registrations')
      .where('id', '=', client.id)
      .returningAll()
      .executeTakeFirst();
    if (!taken) {
      const row = await tx.selectFrom('clients').selectAll().where('id', '=', client.id).executeTakeFirst();
      return row?.account_id === account ? toClient(row) : undefined;
    }
    const others = await registeredIn(tx).where('account_id', '=', account).select('id').execute();
    if (others.length >= ofAccountMax) return undefined;
    const { id, name, secretHash: _, account: __, ...settings } = client;
    const now = Date.now();
    const row = {
      ...{ id, account_id: account, name, secret_hash: null, settings: JSON.stringify(settings) },
      ...{ made_by: by.userId, registered: 1, created_at: now, updated_at: now },
    };
    await tx.insertInto('clients').values(row).execute();
    await this.#audit.append(tx, {
      ...{ account, userId: by.userId, via: `client:${id}`, requestId: by.requestId },
      ...{ action: 'oauth.register', resource: { type: 'client', id }, outcome: 'done' },
    });
    return toClient(row);
  }

  /** Removes registrations without a consent in time, and registered clients of which no grant is left. */
  async sweep(): Promise<void> {
    const before = Date.now() - lifeMs;
    await this.#records.transact(async (tx) => {
      await tx.deleteFrom('client_registrations').where('created_at', '<', before).execute();
      const unused = registeredIn(tx)
        .select('clients.id')
        .where('clients.created_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('grants').select('id').whereRef('client_id', '=', 'clients.id'))),
        );
      await tx.deleteFrom('clients').where('id', 'in', unused).execute();
    });
  }
}

/** Selects clients that registered themselves. A literal, so that the partial index serves it. */
const registeredIn = (tx: Transaction) => tx.selectFrom('clients').where('registered', '=', sql.lit(1));

function tooMany(): Problem {
  const message = 'Too many programs have registered and await the consent of a user. Try again tomorrow.';
  return new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 3600 });
}
