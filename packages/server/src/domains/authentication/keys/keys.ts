import { jwtVerify, SignJWT } from 'jose';
import { newId, timestamp } from '../../../base/ids.ts';
import { conflict, notFound, Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';
import type { Principal, Verified } from '../../identity/callers/index.ts';
import { openSigningKey, type SigningKey } from './signing-key.ts';

/** API key as its user sees it; `key` holds the value only in the response that created it. */
export interface ApiKey {
  id: string;
  name: string;
  account: string;
  created: string;
  expires: string;
}

interface NewApiKey {
  userId: string;
  account: string;
  name: string;
  /** Account whose identity provider signed the user in: the key is limited to it. */
  onlyAccount?: string | undefined;
  /** Key that authenticated the request. */
  parentId?: string | undefined;
  expireInDays: number;
}

const dayMs = 86_400_000;
const algorithm = 'ES256';
const audience = 'ploidy';
/** Value of the `typ` header, so that no other token of the service passes for a key (RFC 8725 §3.11). */
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

  /** Signs a key; `store` then records it in the caller's transaction. */
  async sign(
    input: NewApiKey,
  ): Promise<{ value: string; key: ApiKey; store: (tx: Transaction) => Promise<void> }> {
    const id = newId();
    const createdAt = Date.now();
    const expiresAt = Math.min(createdAt + input.expireInDays * dayMs, await this.#endOf(input.parentId));
    const value = await new SignJWT({ account: input.account })
      .setProtectedHeader({ alg: algorithm, kid: this.#signing.id, typ: tokenType })
      .setSubject(input.userId)
      .setJti(id)
      .setAudience(audience)
      .setIssuedAt(Math.floor(createdAt / 1000))
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(this.#signing.privateKey);
    const store = async (tx: Transaction): Promise<void> => {
      const { userId: user_id, account: account_id, name, parentId = null } = input;
      await requireFewKeys(tx, user_id, account_id);
      // A parent revoked meanwhile makes no more keys.
      if (parentId !== null && !(await isValid(tx, parentId))) throw notFound();
      await tx
        .insertInto('api_keys')
        .values({
          id,
          account_id,
          user_id,
          name,
          only_account: input.onlyAccount ?? null,
          parent_id: parentId,
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

  /** Returns the key of a token, or `undefined` when it is forged, expired, unknown or revoked. */
  async verify(token: string): Promise<Verified | undefined> {
    const verified = await jwtVerify(token, this.#signing.publicKey, {
      algorithms: [algorithm],
      audience,
      typ: tokenType,
      requiredClaims: ['jti', 'sub', 'exp'],
    }).catch((error: unknown) => {
      if (isTokenError(error)) return undefined;
      throw error;
    });
    return verified?.payload.jti === undefined ? undefined : this.present(verified.payload.jti);
  }

  /** Returns the key of an id, or `undefined` when it is expired, unknown or revoked. */
  async present(id: string): Promise<Verified | undefined> {
    const row = await this.#records.read
      .selectFrom('api_keys')
      // Keys of an account under removal are void while their rows remain.
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select(['user_id', 'account_id', 'only_account', 'expires_at', 'revoked_at'])
      .where('api_keys.id', '=', id)
      .executeTakeFirst();
    if (!row || row.revoked_at !== null || row.expires_at <= Date.now()) return undefined;
    const principal: Principal = {
      userId: row.user_id,
      via: `apiKey:${id}`,
      keyAccount: row.account_id,
      ...(row.only_account !== null && { onlyAccount: row.only_account }),
    };
    return { principal, expiresAt: row.expires_at };
  }

  /** Returns the expiry of a key, which its children do not outlive. */
  async #endOf(id: string | undefined): Promise<number> {
    if (id === undefined) return Number.POSITIVE_INFINITY;
    const row = await this.#records.read
      .selectFrom('api_keys')
      .select('expires_at')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.expires_at ?? 0;
  }

  /**
   * Revokes a key of the user and the keys made with it; returns whether there was one. Takes effect in every
   * process at once. `byKey`: the key of the request, which revokes itself and its children only.
   */
  async revoke(
    tx: Transaction,
    { userId, account, byKey }: { userId: string; account: string; byKey?: string | undefined },
    id: string,
  ): Promise<boolean> {
    if (!(await this.#revoke(tx, userId, account, id))) return false;
    // Throwing rolls back the transaction.
    if (byKey !== undefined && !(await withChildren(tx, byKey)).includes(id)) throw foreignKey();
    for (const child of await withChildren(tx, id)) await this.#revoke(tx, userId, account, child);
    return true;
  }

  async #revoke(tx: Transaction, userId: string, account: string, id: string): Promise<boolean> {
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

/** Valid keys of one user in one account. */
const keysMax = 50;

async function requireFewKeys(tx: Transaction, userId: string, account: string): Promise<void> {
  const { keys } = await tx
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('user_id', '=', userId)
    .where('account_id', '=', account)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', Date.now())
    .executeTakeFirstOrThrow();
  if (Number(keys) < keysMax) return;
  throw conflict(
    'TOO_MANY_KEYS',
    `You have ${keysMax} API keys in this account. Revoke some before you make more.`,
  );
}

async function isValid(tx: Transaction, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists a key and all its descendants. */
async function withChildren(tx: Transaction, id: string): Promise<string[]> {
  const found = [id];
  for (let last = found; last.length > 0; ) {
    const rows = await tx.selectFrom('api_keys').select('id').where('parent_id', 'in', last).execute();
    last = rows.map((row) => row.id);
    found.push(...last);
  }
  return found;
}

function foreignKey(): Problem {
  const message = 'An API key revokes only itself and the keys created with it. Sign in to revoke others.';
  return new Problem(403, 'FORBIDDEN', message);
}

/**
 * Revokes all keys of a user, or those of one account; the caller announces the user. Returns their number.
 */
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

/** Removes the keys of an account, void since its removal began. */
export const keyRemovers: readonly Remover[] = [rowsOf('account', 'api_keys')];
