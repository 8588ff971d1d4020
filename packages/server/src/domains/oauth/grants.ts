import type { ExpressionBuilder } from 'kysely';
import { newId } from '../../ids.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { Database } from '../../platform/records/schema.ts';
import type { GrantsTable } from '../../platform/records/schema-sign-in.ts';
import { newToken, tokenHash } from '../../secret-token.ts';
import type { Client } from '../clients/index.ts';
import { holdSession, type Session } from '../sessions/index.ts';
import { OAuthError } from './oauth-error.ts';

/** Codes are used at once by programs (RFC 6749 §4.1.2 recommends at most ten minutes). */
const codeLifeMs = 60_000;
const dayMs = 86_400_000;

/** What an authorization request asked for, once it has been found right. */
export interface GrantRequest {
  client: Client;
  flow: GrantsTable['flow'];
  scope: string;
  redirectUri?: string;
  nonce?: string;
  codeChallenge?: string;
}

/** Grants: what one sign-in gave one client. Codes and refresh tokens are used up by conditional updates of the grant's row. */
export class Grants {
  readonly #records: Records;
  readonly #lifeMs: number;

  /** `lifeMs`: how long a grant lives after its last refresh. */
  constructor(records: Records, lifeMs: number) {
    this.#records = records;
    this.#lifeMs = lifeMs;
  }

  /** Records a grant, `login_required` in a session that has ended; for the flow `code` with a code, which is answered here and stored only as a hash. */
  async add(
    tx: Transaction,
    request: GrantRequest,
    session: Pick<Session, 'userId' | 'methods' | 'authenticatedAt'> & Partial<Session>,
  ): Promise<{ grant: GrantsTable; code: string }> {
    // It was there when the request was read; it may have ended since, with all that was granted in it.
    if (session.id !== undefined && !(await holdSession(tx, session.id)))
      throw new OAuthError('login_required', 'The sign-in has ended meanwhile.');
    const code = newToken();
    const now = Date.now();
    const withCode = request.flow === 'code';
    const endsAt = endOf(session);
    const grant: GrantsTable = {
      id: newId(),
      client_id: request.client.id,
      user_id: session.userId,
      session_id: session.id ?? null,
      only_account: session.onlyAccount ?? null,
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

  /** Uses up a code and gives the first refresh token's number; `undefined` when somebody was faster or it is too late. */
  async useCode(tx: Transaction, id: string): Promise<GrantsTable | undefined> {
    const now = Date.now();
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

  /** Uses up the refresh token of a number; `undefined` when it is not the valid one of a living grant of this client. */
  async useRefresh(
    tx: Transaction,
    { grantId, number, clientId }: { grantId: string; number: number; clientId: string },
  ): Promise<GrantsTable | undefined> {
    const now = Date.now();
    return tx
      .updateTable('grants')
      .set((set) => ({
        refresh_number: number + 1,
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

  /** Revokes grants and all that follows from them, in every process at once. Answers how many there were to revoke. */
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

  /** Somebody signed in once more in the same browser: what he gave before ends with the new session. */
  async adopt(tx: Transaction, sessions: { from: string; to: string }): Promise<void> {
    await tx
      .updateTable('grants')
      .set({ session_id: sessions.to })
      .where('session_id', '=', sessions.from)
      .where('revoked_at', 'is', null)
      .execute();
  }

  /** Removes grants a day after nothing that they gave can work any more, and codes that nobody redeemed. */
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

/** An identity provider vouched for the person once: what came of it lasts as long as the session may, however often it is refreshed. */
function endOf({ methods, endsAt }: Pick<Session, 'methods'> & Partial<Session>): number | null {
  return methods.includes('saml') && endsAt !== undefined ? endsAt : null;
}

function expiry(set: ExpressionBuilder<Database, 'grants'>, wanted: number) {
  const over = set.case().when('ends_at', '<', wanted).then(set.ref('ends_at').$notNull());
  return over.else(wanted).end();
}
