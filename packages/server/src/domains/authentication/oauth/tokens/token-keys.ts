import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { newId } from '../../../../base/ids.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { TokenKeysTable } from '../../../../platform/records/schema-sign-in.ts';
import { sealedColumn } from '../../../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../../../platform/secrets/secrets.ts';

/** ES256 signs access tokens, RS256 id tokens, as every OpenID client must support (OpenID Connect Core §15.1). */
const tokenAlgorithms = ['ES256', 'RS256'] as const;
type TokenAlgorithm = (typeof tokenAlgorithms)[number];

export interface TokenKey {
  id: string;
  algorithm: TokenAlgorithm;
  publicJwk: JWK;
  publicKey: CryptoKey;
  privateKey: KeyObject;
  /** Epoch milliseconds. */
  usedFrom: number;
}

/** Lifetimes of a key: signing, publication before and retention after. */
interface KeyLives {
  useMs: number;
  publishedBeforeMs: number;
  /** Retention for verification of signed tokens; the key stays published. */
  keptAfterMs: number;
  /** Retention for expired id tokens as hints; the key is no longer published. */
  hintsAfterMs: number;
}

const topic = 'token-keys:changed';
const hourMs = 3_600_000;
const contextOf = (id: string): string => `token-key:${id}`;

export const sealedTokenKeys = sealedColumn('token_keys', 'private_key_sealed', contextOf);

/**
 * Key pairs of tokens: the next one is published before use, the last one until its tokens have expired. The first of an
 * algorithm is created when needed: making an RSA key lasts as long as a start, and many services never need one.
 */
export class TokenKeys {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #lives: KeyLives;
  #keys: Promise<TokenKey[]> | undefined;
  readonly #first = new Map<TokenAlgorithm, Promise<void>>();

  constructor(records: Records, secrets: Secrets, lives: KeyLives) {
    this.#records = records;
    this.#secrets = secrets;
    this.#lives = lives;
    records.onChange(topic, () => {
      this.#keys = undefined;
    });
  }

  /** Returns the key that signs now. */
  async signing(algorithm: TokenAlgorithm): Promise<TokenKey> {
    await this.#requireOne(algorithm);
    const found = signingKey(await this.#all(), algorithm);
    if (!found) throw new Error(`there is no ${algorithm} key to sign with`);
    return found;
  }

  /** Finds a retained key by its `kid`. */
  async find(id: string): Promise<TokenKey | undefined> {
    const keys = await this.#all();
    const found = keys.find((key) => key.id === id);
    if (found || tokenAlgorithms.every((one) => keys.some(({ algorithm }) => algorithm === one)))
      return found;
    // Another process may have created the first key of an algorithm: its token can precede the announcement.
    this.#keys = undefined;
    return (await this.#all()).find((key) => key.id === id);
  }

  /** Lists the public keys of valid tokens for `/oauth/jwks`: of every algorithm, since clients cache them. */
  async published(): Promise<JWK[]> {
    for (const algorithm of tokenAlgorithms) await this.#requireOne(algorithm);
    const all = await this.#all();
    const since = Date.now() - this.#lives.keptAfterMs;
    const isGood = ({ algorithm, usedFrom }: TokenKey) =>
      !all.some(
        (later) => later.algorithm === algorithm && later.usedFrom > usedFrom && later.usedFrom < since,
      );
    return all.filter(isGood).map(({ id, algorithm, publicJwk }) => ({
      ...publicJwk,
      kid: id,
      alg: algorithm,
      use: 'sig',
    }));
  }

  /** Creates due successors, and deletes keys whose tokens have expired. Run by the maintenance. */
  async rotate(now = Date.now()): Promise<void> {
    for (const algorithm of tokenAlgorithms) await this.#rotateOne(algorithm, now);
    this.#keys = undefined;
  }

  async #rotateOne(algorithm: TokenAlgorithm, now: number): Promise<void> {
    const rows = await this.#records.read
      .selectFrom('token_keys')
      .select(['id', 'used_from'])
      .where('algorithm', '=', algorithm)
      .orderBy('used_from')
      .execute();
    const newest = rows.at(-1);
    if (!newest) return;
    const { useMs, publishedBeforeMs } = this.#lives;
    if (newest.used_from + useMs - publishedBeforeMs <= now)
      // After a downtime of a whole period the next key is still published before its use.
      await this.#make(
        algorithm,
        Math.max(newest.used_from + useMs, floorTo(now, hourMs) + hourMs + publishedBeforeMs),
      );
    const { keptAfterMs, hintsAfterMs } = this.#lives;
    const afterMs = algorithm === 'RS256' ? Math.max(keptAfterMs, hintsAfterMs) : keptAfterMs;
    const outlived = rows.filter((_, index) => {
      const successor = rows[index + 1];
      return successor !== undefined && successor.used_from + afterMs < now;
    });
    if (outlived.length > 0) await this.#forget(outlived.map((row) => row.id));
  }

  /** Creates a first key once, for any number of concurrent calls. */
  async #requireOne(algorithm: TokenAlgorithm): Promise<void> {
    if ((await this.#all()).some((key) => key.algorithm === algorithm)) return;
    const making =
      this.#first.get(algorithm) ?? this.#make(algorithm, floorTo(Date.now(), this.#lives.useMs));
    this.#first.set(algorithm, making);
    await making.finally(() => this.#first.delete(algorithm));
    this.#keys = undefined;
  }

  async #make(algorithm: TokenAlgorithm, usedFrom: number): Promise<void> {
    const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 });
    const id = newId();
    const row: TokenKeysTable = {
      id,
      algorithm,
      public_key: JSON.stringify(await exportJWK(pair.publicKey)),
      private_key_sealed: this.#secrets.seal(JSON.stringify(await exportJWK(pair.privateKey)), contextOf(id)),
      created_at: Date.now(),
      used_from: usedFrom,
    };
    await this.#records.transact(async (tx) => {
      await tx
        .insertInto('token_keys')
        .values(row)
        .onConflict((conflict) => conflict.columns(['algorithm', 'used_from']).doNothing())
        .execute();
      await this.#records.announce(tx, topic);
    });
  }

  async #forget(ids: string[]): Promise<void> {
    await this.#records.transact(async (tx) => {
      await tx.deleteFrom('token_keys').where('id', 'in', ids).execute();
      await this.#records.announce(tx, topic);
    });
  }

  #all(): Promise<TokenKey[]> {
    const loading = this.#keys ?? this.#load();
    this.#keys = loading;
    loading.catch(() => {
      if (this.#keys === loading) this.#keys = undefined;
    });
    return loading;
  }

  async #load(): Promise<TokenKey[]> {
    const rows = await this.#records.read.selectFrom('token_keys').selectAll().orderBy('used_from').execute();
    return Promise.all(rows.map((row) => this.#open(row)));
  }

  async #open(row: TokenKeysTable): Promise<TokenKey> {
    const { id, algorithm } = row;
    const privateJwk = JSON.parse(this.#secrets.open(row.private_key_sealed, contextOf(id))) as JWK;
    const publicJwk = JSON.parse(row.public_key) as JWK;
    return {
      id,
      algorithm,
      publicJwk,
      publicKey: (await importJWK(publicJwk, algorithm)) as CryptoKey,
      privateKey: createPrivateKey({ key: privateJwk as webcrypto.JsonWebKey, format: 'jwk' }),
      usedFrom: row.used_from,
    };
  }
}

/** Rounds down, so that concurrent processes create the same key. */
function floorTo(moment: number, stepMs: number): number {
  return Math.floor(moment / stepMs) * stepMs;
}

/** Returns the newest key that may sign. */
function signingKey(keys: TokenKey[], algorithm: TokenAlgorithm): TokenKey | undefined {
  const now = Date.now();
  return keys.findLast((key) => key.algorithm === algorithm && key.usedFrom <= now);
}
