import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { newId } from '../../ids.ts';
import type { Records } from '../../platform/records/records.ts';
import type { SamlKeysTable } from '../../platform/records/schema-saml.ts';
import { sealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { selfSignedCertificate } from './certificate.ts';
import { forgetWrappedKeys } from './wrapped-keys.ts';

const dayMs = 86_400_000;

/**
 * A key is used for two years. The next one is in our metadata a quarter before, because many identity providers are told about
 * it by hand; and a certificate outlives the use of its key, because some look at its dates.
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
 * The key pairs that sign our requests to identity providers, and others for which providers encrypt assertions: one key must not
 * do both. Made at first use, the next one published before it is used.
 */
export class SamlKeys {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #first = new Map<Use, Promise<void>>();

  constructor(records: Records, secrets: Secrets) {
    this.#records = records;
    this.#secrets = secrets;
  }

  /** The key that signs now. */
  async signing(now = Date.now()): Promise<SamlKey> {
    const key = (await this.#all('signing')).findLast((one) => one.usedFrom <= now);
    if (!key) throw new Error('there is no key that signs SAML requests');
    return key;
  }

  /** The certificates of signatures that we publish: that of the key that signs, and its successor's. */
  async certificates(now = Date.now()): Promise<string[]> {
    const { usedFrom } = await this.signing(now);
    const keys = await this.#all('signing');
    return keys.filter((key) => key.usedFrom >= usedFrom).map((key) => key.certificate);
  }

  /** The certificate for which providers shall encrypt: of the newest key, so that a quarter later nobody needs another one. */
  async encryptionCertificate(): Promise<string> {
    const key = (await this.#all('encryption')).at(-1);
    if (!key) throw new Error('there is no key for encrypted assertions');
    return key.certificate;
  }

  /** All keys for which something may be encrypted still, the newest first; none while none was published. */
  async decrypting(): Promise<KeyObject[]> {
    const rows = await this.#rows('encryption');
    return rows.reverse().map((row) => this.#open(row).privateKey);
  }

  /** Makes the next keys when they are due, and forgets those whose successor's time has come. Does nothing before the first use. */
  async rotate(now = Date.now()): Promise<void> {
    for (const use of ['signing', 'encryption'] as const) await this.#rotate(use, now);
  }

  async #rotate(use: Use, now: number): Promise<void> {
    const rows = await this.#rows(use);
    const newest = rows.at(-1);
    if (!newest) return;
    const nextFrom = newest.used_from + useMs;
    // A service that slept through a whole period publishes the next key now and uses it later all the same. To the day, as the
    // first, so that two that wake up at once make the same one.
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
      // To the day, so that two processes that come at once make the same one. One is made at a time: it takes a second.
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
    // An hour for clocks that go slow.
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
