import { Problem } from '../../../base/problem.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../platform/outbound/outbound.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { SamlProvidersTable } from '../../../platform/records/schema-saml.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';
import type { Client } from '../clients/index.ts';
import { MetadataError, metadataBytesMax, type Provider, readProvider } from './provider-metadata.ts';

const freshMs = 3_600_000;
/** Pause after an attempt: strangers can cause attempts. */
const pauseMs = 10_000;
const timeoutMs = 5000;

/** Client with its own identity provider. */
type SamlClient = Pick<Client, 'id' | 'account'> & { metadataUrl: string };

/** Identity providers of clients, from their metadata: refreshed hourly, with the last valid copy kept. */
export class Providers {
  readonly #records: Records;
  readonly #outbound: Outbound;
  readonly #log: PlatformLog;
  /** Pending searches, so that concurrent ones cause one request. */
  readonly #finding = new Map<string, Promise<Provider>>();

  constructor(deps: { records: Records; outbound: Outbound; log: PlatformLog }) {
    this.#records = deps.records;
    this.#outbound = deps.outbound;
    this.#log = deps.log;
  }

  /** Returns the provider of a client. Throws 502 without usable metadata. */
  find(client: SamlClient): Promise<Provider> {
    const key = `${client.id} ${client.metadataUrl}`;
    const present = this.#finding.get(key);
    if (present) return present;
    const finding = this.#find(client).finally(() => this.#finding.delete(key));
    this.#finding.set(key, finding);
    return finding;
  }

  async #find(client: SamlClient): Promise<Provider> {
    const row = await this.#row(client);
    const kept = readKept(row);
    const now = Date.now();
    const fresh = (row?.fetched_at ?? 0) > now - freshMs;
    const paused = (row?.tried_at ?? 0) > now - pauseMs;
    if (kept && (fresh || paused)) return kept;
    if (paused) throw unusable('it could not be had a moment ago; try again in a few seconds');
    try {
      return await this.#fetch(client);
    } catch (error) {
      const reason = reasonOf(error);
      this.#log.warn({ client: client.id, reason }, 'metadata of an identity provider could not be had');
      if (kept) return kept;
      throw unusable(reason);
    }
  }

  /**
   * Fetches the metadata again, because its keys may have changed; `undefined` when it was just done or
   * failed.
   */
  async renew(client: SamlClient): Promise<Provider | undefined> {
    const row = await this.#row(client);
    if ((row?.tried_at ?? 0) > Date.now() - pauseMs) return undefined;
    try {
      return await this.#fetch(client);
    } catch (error) {
      const reason = reasonOf(error);
      this.#log.warn({ client: client.id, reason }, 'metadata of an identity provider could not be renewed');
      return undefined;
    }
  }

  /** Removes the metadata of a deleted client. */
  async forget(tx: Transaction, client: string): Promise<void> {
    await tx.deleteFrom('saml_providers').where('client_id', '=', client).execute();
  }

  /** Reads the row, unless it is of an earlier address of the client. */
  async #row({ id, metadataUrl }: SamlClient): Promise<SamlProvidersTable | undefined> {
    return this.#records.read
      .selectFrom('saml_providers')
      .selectAll()
      .where('client_id', '=', id)
      .where('metadata_url', '=', metadataUrl)
      .executeTakeFirst();
  }

  async #fetch(client: SamlClient): Promise<Provider> {
    try {
      const document = await this.#outbound.get(client.metadataUrl, {
        bytesMax: metadataBytesMax,
        timeoutMs,
      });
      const provider = readProvider(document);
      const now = Date.now();
      await this.#store(client, { tried_at: now, fetched_at: now, document: document.toString() });
      return provider;
    } catch (error) {
      await this.#store(client, { tried_at: Date.now() });
      throw error;
    }
  }

  async #store(
    client: SamlClient,
    change: Pick<SamlProvidersTable, 'tried_at'> & Partial<SamlProvidersTable>,
  ): Promise<void> {
    const { id, account, metadataUrl } = client;
    const empty = { account_id: account, metadata_url: metadataUrl, document: null, fetched_at: null };
    await this.#records.transact(async (tx) => {
      await tx
        .deleteFrom('saml_providers')
        .where('client_id', '=', id)
        .where('metadata_url', '<>', metadataUrl)
        .execute();
      await tx
        .insertInto('saml_providers')
        .values({ client_id: id, ...empty, ...change })
        .onConflict((conflict) => conflict.column('client_id').doUpdateSet(change))
        .execute();
    });
  }
}

/** Parses the last copy, while it is valid. */
function readKept(row: SamlProvidersTable | undefined): Provider | undefined {
  if (!row?.document) return undefined;
  try {
    return readProvider(Buffer.from(row.document));
  } catch (error) {
    if (error instanceof MetadataError) return undefined;
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof OutboundError || error instanceof MetadataError) return error.message;
  throw error;
}

function unusable(reason: string): Problem {
  const message = `The metadata of the identity provider cannot be used: ${reason}. Contact the administrator of the application.`;
  return new Problem(502, 'SAML_METADATA_UNUSABLE', message);
}

/** Removes identities, metadata and pending requests of the providers of an account. Users remain. */
export const samlRemovers: readonly Remover[] = [
  rowsOf('account', 'saml_requests'),
  rowsOf('account', 'saml_assertions'),
  rowsOf('account', 'saml_identities'),
  rowsOf('account', 'saml_providers', { key: 'client_id' }),
];
