import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { newId } from '../../../../base/ids.ts';
import { doAll } from '../../../../platform/concurrency/do-all.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { SamlKeysTable } from '../../../../platform/records/schema-saml.ts';
import { sealedColumn } from '../../../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../../../platform/secrets/secrets.ts';
import { selfSignedCertificate } from './certificate.ts';
import { forgetWrappedKeys } from './wrapped-keys.ts';

const dayMs = 86_400_000;

/**
 * A key is used for two years. The next one is published a quarter earlier, because many identity providers
 * are configured by hand. A certificate outlives the use of its key, because some providers check its dates.
 */
const useMs = 730 * dayMs;
const publishedBeforeMs = 90 * dayMs;
const certificateMs = 3650 * dayMs;
const contextOf = (id: string): string => `saml-key:${id}`;

export const sealedSamlKeys = sealedColumn('saml_keys', 'private_key_sealed', contextOf);

type Use = SamlKeysTable['use'];

export interface SamlKey {
  /** PEM. */
  certificate: string;
  privateKey: KeyObject;
  usedFrom: number;
}

const makePair = promisify(generateKeyPair);

/**
 * Key pairs that sign requests to identity providers, and separate ones for encrypted assertions. Created at
 * first use; successors are published before their use.
 */
export class SamlKeys {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #first = new Map<Use, Promise<void>>();

  constructor(records: Records, secrets: Secrets) {
    this.#records = records;
    this.#secrets = secrets;
  }

  /** Returns the key that signs now. */
  async signing(now = Date.now()): Promise<SamlKey> {
    const key = (await this.#all('signing')).findLast((one) => one.usedFrom <= now);
    if (!key) throw new Error('there is no key that signs SAML requests');
    return key;
  }

  /** Lists the published signing certificates: of the current key and its successor. */
  async certificates(now = Date.now()): Promise<string[]> {
    const { usedFrom } = await this.signing(now);
    const keys = await this.#all('signing');
    return keys.filter((key) => key.usedFrom >= usedFrom).map((key) => key.certificate);
  }

  /** Returns the certificate for encryption: of the newest key, valid longest. */
  async encryptionCertificate(): Promise<string> {
    const key = (await this.#all('encryption')).at(-1);
    if (!key) throw new Error('there is no key for encrypted assertions');
    return key.certificate;
  }

  /** Lists all keys that may still decrypt, newest first; none before one was published. */
  async decrypting(): Promise<KeyObject[]> {
    const rows = await this.#rows('encryption');
    return rows.reverse().map((row) => this.#open(row).privateKey);
  }

  /** Creates due successors and deletes replaced keys. Does nothing before the first use. */
  async rotate(now = Date.now()): Promise<void> {
    await doAll((['signing', 'encryption'] as const).map((use) => () => this.#rotate(use, now)));
  }

  async #rotate(use: Use, now: number): Promise<void> {
    const rows = await this.#rows(use);
    const newest = rows.at(-1);
    if (!newest) return;
    const nextFrom = newest.used_from + useMs;
    // After a downtime of a whole period the next key is still published before its use. Rounded to the day,
    // as the first, so that concurrent processes create the same one.
    if (nextFrom - publishedBeforeMs <= now)
      await this.#make(use, Math.max(nextFrom, Math.floor((now + publishedBeforeMs) / dayMs) * dayMs));
    const current = rows.findLast((row) => row.used_from <= now);
    if (!current) return;
    await this.#records.transact(async (tx) => {
      const old = tx.deleteFrom('saml_keys').where('use', '=', use);
      const { numDeletedRows } = await old.where('used_from', '<', current.used_from).executeTakeFirst();
      if (use === 'encryption' && numDeletedRows > 0n) await forgetWrappedKeys(tx);
    });
  }

  async #all(use: Use): Promise<SamlKey[]> {
    let rows = await this.#rows(use);
    if (rows.length === 0) {
      // Rounded to the day, so that concurrent processes create the same key. One at a time: creation takes a
      // second.
      const making = this.#first.get(use) ?? this.#make(use, Math.floor(Date.now() / dayMs) * dayMs);
      this.#first.set(use, making);
      await making.finally(() => this.#first.delete(use));
      rows = await this.#rows(use);
    }
    return rows.map((row) => this.#open(row));
  }

  #rows(use: Use): Promise<SamlKeysTable[]> {
    const rows = this.#records.read.selectFrom('saml_keys').selectAll().where('use', '=', use);
    return rows.orderBy('used_from').execute();
  }

  async #make(use: Use, usedFrom: number): Promise<void> {
    const pair = await makePair('rsa', { modulusLength: 3072 });
    const now = Date.now();
    // An hour, for clocks that are behind.
    const validity = { from: new Date(now - 3_600_000), to: new Date(now + certificateMs) };
    const id = newId();
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const row: SamlKeysTable = {
      id,
      use,
      certificate: selfSignedCertificate(pair, 'Ploidy SAML', validity, use),
      private_key_sealed: this.#secrets.seal(pem, contextOf(id)),
      created_at: now,
      used_from: usedFrom,
    };
    await this.#records.transact((tx) =>
      tx
        .insertInto('saml_keys')
        .values(row)
        .onConflict((conflict) => conflict.columns(['use', 'used_from']).doNothing())
        .execute(),
    );
  }

  #open(row: SamlKeysTable): SamlKey {
    const pem = this.#secrets.open(row.private_key_sealed, contextOf(row.id));
    return { certificate: row.certificate, privateKey: createPrivateKey(pem), usedFrom: row.used_from };
  }
}
