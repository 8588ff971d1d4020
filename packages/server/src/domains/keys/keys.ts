import { jwtVerify, SignJWT } from 'jose';
import { newId, timestamp } from '../../ids.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Principal } from '../callers/index.ts';
import { openSigningKey, type SigningKey } from './signing-key.ts';

/** An API key as its user sees it; the value is shown only once, as `key`, when it is made. */
export interface ApiKey {
  id: string;
  name: string;
  account: string;
  created: string;
  expires: string;
}

export interface NewApiKey {
  userId: string;
  account: string;
  name: string;
  /** The account by whose identity provider he is signed in who makes it: the key is worth no more. */
  onlyAccount?: string | undefined;
  /** 1..365. */
  expireInDays: number;
}

/** A verified key, and until when its verification may be cached. */
export interface VerifiedKey {
  principal: Principal;
  expiresAt: number;
}

const dayMs = 86_400_000;
const algorithm = 'ES256';
const audience = 'ploidy';
/** What the `typ` header says, so that no other token of ours passes for a key (RFC 8725 §3.11). */
const tokenType = 'api-key+jwt';

/** API keys: JWTs (ES256) of one user in one account, checked against revocation. */
export class Keys {
  readonly #records: Records;
  readonly #signing: SigningKey;

  private constructor(records: Records, signing: SigningKey) {
    this.#records = records;
    this.#signing = signing;
  }

  static async open(records: Records, secrets: Secrets): Promise<Keys> {
    return new Keys(records, await openSigningKey(records, secrets));
  }

  /** Signs a key; `store` then records it in the transaction of its making. */
  async sign(
    input: NewApiKey,
  ): Promise<{ value: string; key: ApiKey; store: (tx: Transaction) => Promise<void> }> {
    const id = newId();
    const createdAt = Date.now();
    const expiresAt = createdAt + input.expireInDays * dayMs;
    const value = await new SignJWT({ account: input.account })
      .setProtectedHeader({ alg: algorithm, kid: this.#signing.id, typ: tokenType })
      .setSubject(input.userId)
      .setJti(id)
      .setAudience(audience)
      .setIssuedAt(Math.floor(createdAt / 1000))
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(this.#signing.privateKey);
    const store = async (tx: Transaction): Promise<void> => {
      const { userId: user_id, account: account_id, name } = input;
      await tx
        .insertInto('api_keys')
        .values({
          id,
          account_id,
          user_id,
          name,
          only_account: input.onlyAccount ?? null,
          created_at: createdAt,
          expires_at: expiresAt,
          revoked_at: null,
        })
        .execute();
    };
    const key = {
      id,
      name: input.name,
      account: input.account,
      created: timestamp(createdAt),
      expires: timestamp(expiresAt),
    };
    return { value, key, store };
  }

  /** The key behind a token, or `undefined` when it is forged, expired, unknown or revoked. */
  async verify(token: string): Promise<VerifiedKey | undefined> {
    const verified = await jwtVerify(token, this.#signing.publicKey, {
      algorithms: [algorithm],
      audience,
      typ: tokenType,
      requiredClaims: ['jti', 'sub', 'exp'],
    }).catch((error: unknown) => {
      if (isTokenError(error)) return undefined;
      throw error;
    });
    if (!verified?.payload.jti) return undefined;
    const row = await this.#records.read
      .selectFrom('api_keys')
      // The keys of an account that is being removed are void before their rows are gone.
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select(['user_id', 'account_id', 'only_account', 'expires_at', 'revoked_at'])
      .where('api_keys.id', '=', verified.payload.jti)
      .executeTakeFirst();
    if (!row || row.revoked_at !== null || row.expires_at <= Date.now()) return undefined;
    const via = `apiKey:${verified.payload.jti}`;
    const principal: Principal = {
      userId: row.user_id,
      via,
      keyAccount: row.account_id,
      ...(row.only_account !== null && { onlyAccount: row.only_account }),
    };
    return { principal, expiresAt: row.expires_at };
  }

  /** Revokes a key of the user; answers whether there was one to revoke. Takes effect in every process at once. */
  async revoke(tx: Transaction, userId: string, account: string, id: string): Promise<boolean> {
    const changed = await tx
      .updateTable('api_keys')
      .set({ revoked_at: Date.now() })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('account_id', '=', account)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) return false;
    await this.#records.announce(tx, `key:${id}`);
    return true;
  }
}

/** Revokes all keys of a user, or those of an account that he leaves; the caller announces the user. Answers how many. */
export async function revokeKeysOf(tx: Transaction, userId: string, account?: string): Promise<number> {
  let query = tx
    .updateTable('api_keys')
    .set({ revoked_at: Date.now() })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null);
  if (account !== undefined) query = query.where('account_id', '=', account);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

function isTokenError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J');
}
