import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { newId } from '../../ids.ts';
import type { Records } from '../../platform/records/records.ts';
import type { SamlKeysTable } from '../../platform/records/schema-saml.ts';
import { sealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { selfSignedCertificate } from './certificate.ts';

const dayMs = 86_400_000;

/**
 * A key signs for two years. The next one is in our metadata a quarter before, because many identity providers are told about it
 * by hand; and a certificate outlives the use of its key, because some look at its dates.
 */
const useMs = 730 * dayMs;
const publishedBeforeMs = 90 * dayMs;
const certificateMs = 3650 * dayMs;
const contextOf = (id: string): string => `saml-key:${id}`;

export const sealedSamlKeys = sealedColumn('saml_keys', 'private_key_sealed', contextOf);

export interface SamlKey {
  /** PEM. */
  certificate: string;
  privateKey: KeyObject;
  usedFrom: number;
}

const makePair = promisify(generateKeyPair);

/** The key pairs that sign our requests to identity providers: made at first use, the next one published before it is used. */
export class SamlKeys {
  readonly #records: Records;
  readonly #secrets: Secrets;
  #first: Promise<void> | undefined;

  constructor(records: Records, secrets: Secrets) {
    this.#records = records;
    this.#secrets = secrets;
  }

  /** The key that signs now. */
  async signing(now = Date.now()): Promise<SamlKey> {
    const key = (await this.#all()).findLast((one) => one.usedFrom <= now);
    if (!key) throw new Error('there is no key that signs SAML requests');
    return key;
  }

  /** The certificates that we publish: that of the key that signs, and its successor's. */
  async certificates(now = Date.now()): Promise<string[]> {
    const { usedFrom } = await this.signing(now);
    return (await this.#all()).filter((key) => key.usedFrom >= usedFrom).map((key) => key.certificate);
  }

  /** Makes the next key when it is due, and forgets those whose successor signs. Does nothing before the first use. */
  async rotate(now = Date.now()): Promise<void> {
    const rows = await this.#rows();
    const newest = rows.at(-1);
    if (!newest) return;
    const nextFrom = newest.used_from + useMs;
    // A service that slept through a whole period publishes the next key now and uses it later all the same.
    if (nextFrom - publishedBeforeMs <= now) await this.#make(Math.max(nextFrom, now + publishedBeforeMs));
    const current = rows.findLast((row) => row.used_from <= now);
    if (!current) return;
    await this.#records.transact((tx) =>
      tx.deleteFrom('saml_keys').where('used_from', '<', current.used_from).execute(),
    );
  }

  async #all(): Promise<SamlKey[]> {
    let rows = await this.#rows();
    if (rows.length === 0) {
      // To the day, so that two processes that come at once make the same one. One is made at a time: it takes a second.
      this.#first ??= this.#make(Math.floor(Date.now() / dayMs) * dayMs);
      await this.#first.finally(() => {
        this.#first = undefined;
      });
      rows = await this.#rows();
    }
    return rows.map((row) => this.#open(row));
  }

  #rows(): Promise<SamlKeysTable[]> {
    return this.#records.read.selectFrom('saml_keys').selectAll().orderBy('used_from').execute();
  }

  async #make(usedFrom: number): Promise<void> {
    const pair = await makePair('rsa', { modulusLength: 3072 });
    const now = Date.now();
    // An hour for clocks that go slow.
    const validity = { from: new Date(now - 3_600_000), to: new Date(now + certificateMs) };
    const id = newId();
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const row: SamlKeysTable = {
      id,
      certificate: selfSignedCertificate(pair, 'Ploidy SAML', validity),
      private_key_sealed: this.#secrets.seal(pem, contextOf(id)),
      created_at: now,
      used_from: usedFrom,
    };
    await this.#records.transact((tx) =>
      tx
        .insertInto('saml_keys')
        .values(row)
        .onConflict((conflict) => conflict.column('used_from').doNothing())
        .execute(),
    );
  }

  #open(row: SamlKeysTable): SamlKey {
    const pem = this.#secrets.open(row.private_key_sealed, contextOf(row.id));
    return { certificate: row.certificate, privateKey: createPrivateKey(pem), usedFrom: row.used_from };
  }
}
