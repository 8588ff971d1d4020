import { newId, timestamp } from '../../../../base/ids.ts';
import type { Reader, Records, Transaction } from '../../../../platform/records/records.ts';
import type { SessionsTable } from '../../../../platform/records/schema-sign-in.ts';
import { newToken, tokenHash } from '../../../../platform/secrets/secret-token.ts';
import type { Principal, Verified } from '../../../identity/callers/index.ts';

/** Authentication method (RFC 8176). */
export type AuthenticationMethod = 'pwd' | 'otp' | 'saml';

/** Session of a browser. */
export interface Session {
  id: string;
  userId: string;
  /** Account whose identity provider signed the user in: the session is limited to it. */
  onlyAccount: string | undefined;
  /** Client of that identity provider. */
  providedBy: string | undefined;
  methods: AuthenticationMethod[];
  /** Epoch milliseconds. */
  authenticatedAt: number;
  /** Epoch milliseconds; it may end earlier. */
  endsAt: number;
}

/** Session as its user sees it. */
export interface SessionView {
  id: string;
  created: string;
  lastSeen: string;
  expires: string;
  userAgent: string;
  address: string;
  methods: string[];
}

interface NewSession {
  userId: string;
  methods: AuthenticationMethod[];
  onlyAccount?: string;
  providedBy?: string;
  /** Epoch milliseconds; time of authentication, if not just now. */
  authenticatedAt?: number;
  /** Epoch milliseconds; end set by the identity provider, if earlier than the default. */
  endsAt?: number;
  userAgent: string;
  address: string;
}

/** Max. interval of writes of `lastSeen`; at least four within the idle limit. */
const seenEveryMaxMs = 5 * 60_000;

/** Sessions of browsers: a random cookie each, stored only as a hash, with a lifetime and an idle limit. */
export class Sessions {
  readonly #records: Records;
  readonly #lifeMs: number;
  readonly #idleMs: number;
  readonly #seenEveryMs: number;

  constructor(records: Records, limits: { lifeMs: number; idleMs: number }) {
    this.#records = records;
    this.#lifeMs = limits.lifeMs;
    this.#idleMs = limits.idleMs;
    this.#seenEveryMs = Math.min(seenEveryMaxMs, limits.idleMs / 4);
  }

  /**
   * Begins a session, always with a new token: an old cookie is never promoted. `token` is for the cookie.
   */
  async begin(
    tx: Transaction,
    input: NewSession,
  ): Promise<{ session: Session; token: string; lifeMs: number }> {
    const token = newToken();
    const now = Date.now();
    const lifeMs = Math.min(this.#lifeMs, (input.endsAt ?? Number.POSITIVE_INFINITY) - now);
    const row: SessionsTable = {
      id: newId(),
      token_hash: tokenHash(token),
      user_id: input.userId,
      only_account: input.onlyAccount ?? null,
      provided_by: input.providedBy ?? null,
      methods: JSON.stringify(input.methods),
      user_agent: input.userAgent.slice(0, 300),
      address: input.address,
      created_at: now,
      // The clock of an identity provider may be ahead.
      authenticated_at: Math.min(input.authenticatedAt ?? now, now),
      seen_at: now,
      expires_at: now + lifeMs,
      ended_at: null,
    };
    await tx.insertInto('sessions').values(row).execute();
    return { session: toSession(row), token, lifeMs };
  }

  /** Finds the valid session of a cookie's value. */
  async current(token: string | undefined): Promise<Session | undefined> {
    const row = await this.#find(token);
    return row && toSession(row);
  }

  /**
   * Verifies a cookie's value as a credential. Its caching is short enough to record that the browser is in
   * use.
   */
  async verify(token: string): Promise<Verified | undefined> {
    const row = await this.#find(token);
    return row && this.#verified(row);
  }

  /** Returns the session of an id, or `undefined` when it has ended. */
  async present(id: string): Promise<Verified | undefined> {
    const row = await this.#alive(this.#records.read, Date.now()).where('id', '=', id).executeTakeFirst();
    return row && this.#verified(row);
  }

  #verified(row: SessionsTable): Verified {
    const principal: Principal = {
      userId: row.user_id,
      via: `session:${row.id}`,
      keyAccount: undefined,
      ...(row.only_account !== null && { onlyAccount: row.only_account }),
    };
    return { principal, expiresAt: Math.min(row.expires_at, Date.now() + this.#seenEveryMs) };
  }

  /** Lists the valid sessions of a user, newest first. */
  async list(userId: string): Promise<SessionView[]> {
    const rows = await this.#alive(this.#records.read, Date.now())
      .where('user_id', '=', userId)
      .orderBy('id', 'desc')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      created: timestamp(row.created_at),
      lastSeen: timestamp(row.seen_at),
      expires: timestamp(row.expires_at),
      userAgent: row.user_agent,
      address: row.address,
      methods: JSON.parse(row.methods) as string[],
    }));
  }

  /** Ends one session of a user, or all but one, in every process at once. Returns their ids. */
  async end(tx: Transaction, userId: string, which: { id?: string; allBut?: string }): Promise<string[]> {
    let query = tx
      .updateTable('sessions')
      .set({ ended_at: Date.now() })
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null);
    if (which.id !== undefined) query = query.where('id', '=', which.id);
    if (which.allBut !== undefined) query = query.where('id', '<>', which.allBut);
    const rows = await query.returning('id').execute();
    for (const { id } of rows) await this.#records.announce(tx, `session:${id}`);
    return rows.map((row) => row.id);
  }

  /** Ends the sessions signed in by the identity provider of a client. */
  async endProvidedBy(tx: Transaction, client: string): Promise<void> {
    const rows = await tx
      .updateTable('sessions')
      .set({ ended_at: Date.now() })
      .where('provided_by', '=', client)
      .where('ended_at', 'is', null)
      .returning('id')
      .execute();
    for (const { id } of rows) await this.#records.announce(tx, `session:${id}`);
  }

  /** Removes sessions a day after their end: until then their grants are looked up. */
  async sweep(): Promise<void> {
    const before = Date.now() - 86_400_000;
    await this.#records.transact((tx) =>
      tx
        .deleteFrom('sessions')
        .where((where) => where.or([where('expires_at', '<', before), where('ended_at', '<', before)]))
        .execute(),
    );
  }

  async #find(token: string | undefined): Promise<SessionsTable | undefined> {
    if (!token) return undefined;
    const now = Date.now();
    const row = await this.#alive(this.#records.read, now)
      .where('token_hash', '=', tokenHash(token))
      .executeTakeFirst();
    if (row && now - row.seen_at > this.#seenEveryMs) await this.#seen(row.id, now);
    return row;
  }

  #alive(db: Reader, now: number) {
    return db
      .selectFrom('sessions')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .where('seen_at', '>', now - this.#idleMs);
  }

  async #seen(id: string, now: number): Promise<void> {
    await this.#records.transact((tx) =>
      tx.updateTable('sessions').set({ seen_at: now }).where('id', '=', id).execute(),
    );
  }
}

/**
 * Locks a valid session, so that its concurrent end finds what is made in it. Reports whether it is valid.
 */
export async function lockSession(tx: Transaction, id: string): Promise<boolean> {
  const held = await tx
    .updateTable('sessions')
    .set({ ended_at: null })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return held.numUpdatedRows === 1n;
}

function toSession(row: SessionsTable): Session {
  return {
    id: row.id,
    userId: row.user_id,
    onlyAccount: row.only_account ?? undefined,
    providedBy: row.provided_by ?? undefined,
    methods: JSON.parse(row.methods) as AuthenticationMethod[],
    authenticatedAt: row.authenticated_at,
    endsAt: row.expires_at,
  };
}
