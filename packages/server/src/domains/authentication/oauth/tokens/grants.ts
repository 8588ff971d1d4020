import type { ExpressionBuilder } from 'kysely';
import { newId } from '../../../../base/ids.ts';
import { readSharedNow } from '../../../../platform/records/clock.ts';
import type { Records, Transaction } from '../../../../platform/records/records.ts';
import type { Database } from '../../../../platform/records/schema.ts';
import type { GrantsTable } from '../../../../platform/records/schema-sign-in.ts';
import { newToken, tokenHash } from '../../../../platform/secrets/secret-token.ts';
import type { Client } from '../../clients/index.ts';
import { lockSession, type Session } from '../../sign-in/sessions/index.ts';
import { OAuthError } from '../oauth-error.ts';

/** Programs exchange codes at once (RFC 6749 §4.1.2 recommends at most ten minutes). */
const codeLifeMs = 60_000;
const dayMs = 86_400_000;

/** Validated content of an authorization request. */
interface GrantRequest {
  client: Client;
  flow: GrantsTable['flow'];
  scope: string;
  redirectUri?: string;
  nonce?: string;
  codeChallenge?: string;
  /** Protected resource that its access tokens are for; absent: this API. */
  resource?: string;
  /** Patient of the launch. */
  patient?: string;
}

/**
 * Grants: the authorization of one client by one sign-in. Conditional updates of the grant's row use up codes
 * and refresh tokens.
 */
export class Grants {
  readonly #records: Records;
  readonly #lifeMs: number;

  /** `lifeMs`: lifetime of a grant after its last refresh. */
  constructor(records: Records, lifeMs: number) {
    this.#records = records;
    this.#lifeMs = lifeMs;
  }

  /**
   * Records a grant; throws `login_required` for an ended session. The flow `code` returns a code, stored
   * only as a hash.
   */
  async add(
    tx: Transaction,
    request: GrantRequest,
    session: Pick<Session, 'userId' | 'methods' | 'authenticatedAt'> & Partial<Session>,
  ): Promise<{ grant: GrantsTable; code: string }> {
    // The session may have ended since the request was read, with all its grants.
    if (session.id !== undefined && !(await lockSession(tx, session.id)))
      throw new OAuthError('login_required', 'The sign-in has ended meanwhile.');
    const code = newToken();
    // Another process may redeem the code within its minute: the clocks of both may differ by more.
    const now = await readSharedNow(this.#records.dialect, tx);
    const withCode = request.flow === 'code';
    const endsAt = endOf(session);
    const grant: GrantsTable = {
      id: newId(),
      client_id: request.client.id,
      user_id: session.userId,
      session_id: session.id ?? null,
      only_account: session.onlyAccount ?? null,
      resource: request.resource ?? null,
      patient: request.patient ?? null,
      provided_by: session.providedBy ?? null,
      flow: request.flow,
      scope: request.scope,
      nonce: request.nonce ?? null,
      methods: JSON.stringify(session.methods),
      authenticated_at: session.authenticatedAt,
      code_hash: withCode ? tokenHash(code) : null,
      code_redirect_uri: request.redirectUri ?? null,
      code_challenge: request.codeChallenge ?? null,
      code_expires_at: withCode ? now + codeLifeMs : null,
      code_used_at: null,
      refresh_number: 0,
      refreshed_at: null,
      created_at: now,
      expires_at: Math.min(now + (withCode ? this.#lifeMs : dayMs), endsAt ?? Number.POSITIVE_INFINITY),
      ends_at: endsAt,
      revoked_at: null,
    };
    await tx.insertInto('grants').values(grant).execute();
    return { grant, code };
  }

  async find(id: string): Promise<GrantsTable | undefined> {
    return this.#records.read.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async findByCode(code: string): Promise<GrantsTable | undefined> {
    const hash = tokenHash(code);
    return this.#records.read
      .selectFrom('grants')
      .selectAll()
      .where('code_hash', '=', hash)
      .executeTakeFirst();
  }

  /** Uses up a code and returns the grant with its first refresh token; `undefined` when used or expired. */
  async useCode(tx: Transaction, id: string): Promise<GrantsTable | undefined> {
    const now = await readSharedNow(this.#records.dialect, tx);
    return tx
      .updateTable('grants')
      .set((set) => ({ code_used_at: now, refresh_number: 1, expires_at: expiry(set, now + this.#lifeMs) }))
      .where('id', '=', id)
      .where('code_used_at', 'is', null)
      .where('code_expires_at', '>', now)
      .where('expires_at', '>', now)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
  }

  /**
   * Uses the refresh token of a number, and uses it up where tokens rotate; `undefined` unless it is the
   * current one of a valid grant of this client.
   */
  async useRefresh(
    tx: Transaction,
    {
      grantId,
      number,
      clientId,
      rotates,
    }: { grantId: string; number: number; clientId: string; rotates: boolean },
  ): Promise<GrantsTable | undefined> {
    const now = Date.now();
    return tx
      .updateTable('grants')
      .set((set) => ({
        refresh_number: rotates ? number + 1 : number,
        refreshed_at: now,
        expires_at: expiry(set, now + this.#lifeMs),
      }))
      .where('id', '=', grantId)
      .where('client_id', '=', clientId)
      .where('refresh_number', '=', number)
      .where('expires_at', '>', now)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
  }

  /** Revokes grants with all their tokens, in every process at once. Returns their number. */
  async revoke(
    tx: Transaction,
    which:
      | { id: string }
      | { client: string }
      | { session: string }
      | { provider: string }
      | { user: string; butSession?: string; butGrant?: string },
  ): Promise<number> {
    let query = tx.updateTable('grants').set({ revoked_at: Date.now() }).where('revoked_at', 'is', null);
    if ('id' in which) query = query.where('id', '=', which.id);
    else if ('client' in which) query = query.where('client_id', '=', which.client);
    else if ('session' in which) query = query.where('session_id', '=', which.session);
    else if ('provider' in which) query = query.where('provided_by', '=', which.provider);
    else {
      query = query.where('user_id', '=', which.user);
      const { butSession, butGrant } = which;
      if (butGrant !== undefined) query = query.where('id', '<>', butGrant);
      if (butSession !== undefined)
        query = query.where((where) =>
          where.or([where('session_id', '<>', butSession), where('session_id', 'is', null)]),
        );
    }
    const revoked = await query.returning('id').execute();
    for (const { id } of revoked) await this.#records.announce(tx, `grant:${id}`);
    return revoked.length;
  }

  /** Moves grants to the session of a repeated sign-in in the same browser, so that they end with it. */
  async adopt(tx: Transaction, sessions: { from: string; to: string }): Promise<void> {
    await tx
      .updateTable('grants')
      .set({ session_id: sessions.to })
      .where('session_id', '=', sessions.from)
      .where('revoked_at', 'is', null)
      .execute();
  }

  /** Removes grants a day after their last token has expired, and unredeemed codes. */
  async sweep(): Promise<void> {
    const before = Date.now() - dayMs;
    await this.#records.transact((tx) =>
      tx
        .deleteFrom('grants')
        .where((where) =>
          where.or([
            where('expires_at', '<', before),
            where('revoked_at', '<', before),
            where.and([where('code_used_at', 'is', null), where('code_expires_at', '<', before)]),
          ]),
        )
        .execute(),
    );
  }
}

/**
 * Returns the end of a grant: after a sign-in by an identity provider it ends with the session, despite
 * refreshes.
 */
function endOf({ methods, endsAt }: Pick<Session, 'methods'> & Partial<Session>): number | null {
  return methods.includes('saml') && endsAt !== undefined ? endsAt : null;
}

function expiry(set: ExpressionBuilder<Database, 'grants'>, wanted: number) {
  const over = set.case().when('ends_at', '<', wanted).then(set.ref('ends_at').$notNull());
  return over.else(wanted).end();
}
