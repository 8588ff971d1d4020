import { createHash, randomBytes } from 'node:crypto';
import { networksOf } from '../../../base/network.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { SamlRequestsTable } from '../../../platform/records/schema-saml.ts';
import { sealedColumn } from '../../../platform/secrets/sealed-column.ts';
import { newToken, tokenHash } from '../../../platform/secrets/secret-token.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import type { Assertion } from './messages/assertion.ts';
import { refused, unsolicited } from './messages/refusal.ts';

/** Time to sign in at the identity provider. */
export const requestLifeMs = 600_000;
/** Time to fetch the result: the browser is redirected at once. */
const handleLifeMs = 60_000;
/** Pending sign-ins of one network; a hospital may share an address. */
const perNetworkMax = 1000;
const dayMs = 86_400_000;
const contextOf = (id: string): string => `saml-answer:${id}`;

export const sealedSamlAnswers = sealedColumn('saml_requests', 'answer_sealed', contextOf);

/** Provider's data of a person, until the browser fetches it. */
export type Answered = Pick<
  Assertion,
  'nameId' | 'nameIdIsEmail' | 'authenticatedAt' | 'sessionEndsAt' | 'attributes' | 'lists'
> & { entityId: string };

/** Answered request, with its browser returned. */
export interface Finished {
  request: SamlRequestsTable;
  answered: Answered;
}

/** Pending sign-ins by identity providers. */
export class SamlRequests {
  readonly #records: Records;
  readonly #secrets: Secrets;

  constructor(records: Records, secrets: Secrets) {
    this.#records = records;
    this.#secrets = secrets;
  }

  /** Begins a sign-in. `relayState` returns with the response and is its only key. */
  async add(
    input: Pick<SamlRequestsTable, 'account_id' | 'client_id' | 'query' | 'address'> & { browser: string },
  ): Promise<{ id: string; relayState: string }> {
    const { browser, ...fields } = input;
    // Each address of a network of IPv6 would count anew.
    const address = networksOf(fields.address).at(-1) ?? '';
    const relayState = newToken();
    const now = Date.now();
    const row: SamlRequestsTable = {
      ...fields,
      address,
      // An xs:ID begins with a letter or an underscore.
      id: `_${randomBytes(20).toString('hex')}`,
      relay_hash: tokenHash(relayState),
      browser_hash: tokenHash(browser),
      created_at: now,
      expires_at: now + requestLifeMs,
      answered_at: null,
      answer_sealed: null,
      handle_hash: null,
    };
    await this.#records.transact(async (tx) => {
      await requireFewBegun(tx, address, now);
      await tx.insertInto('saml_requests').values(row).execute();
    });
    return { id: row.id, relayState };
  }

  /** Finds the pending request of a RelayState. */
  async findPending(relayState: string): Promise<SamlRequestsTable | undefined> {
    return this.#records.read
      .selectFrom('saml_requests')
      .selectAll()
      .where('relay_hash', '=', tokenHash(relayState))
      .where('answered_at', 'is', null)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
  }

  /**
   * Stores the response to a request, once, and returns the handle to fetch it. Throws 403 for a second one.
   */
  async answer(request: SamlRequestsTable, assertion: Assertion, entityId: string): Promise<string> {
    const { nameId, nameIdIsEmail, authenticatedAt, sessionEndsAt, attributes, lists } = assertion;
    const answered: Answered = {
      entityId,
      nameId,
      nameIdIsEmail,
      authenticatedAt,
      sessionEndsAt,
      attributes,
      lists,
    };
    const sealed = this.#secrets.seal(JSON.stringify(answered), contextOf(request.id));
    const handle = newToken();
    const now = Date.now();
    await this.#records.transact(async (tx) => {
      const first = await this.end(tx, request, {
        answer_sealed: sealed,
        handle_hash: tokenHash(handle),
        expires_at: now + handleLifeMs,
      });
      if (!first) throw usedUp();
      await useAssertion(tx, request.account_id, entityId, assertion);
    });
    return handle;
  }

  /** Closes a request for responses; false when it had one. */
  async end(
    tx: Transaction,
    { id }: SamlRequestsTable,
    change: Partial<SamlRequestsTable> = {},
  ): Promise<boolean> {
    const ended = await tx
      .updateTable('saml_requests')
      .set({ ...change, answered_at: Date.now() })
      .where('id', '=', id)
      .where('answered_at', 'is', null)
      .executeTakeFirst();
    return ended.numUpdatedRows === 1n;
  }

  /** Returns the response to the browser that began the request, once. Throws 403 for any other browser. */
  async finish(handle: string, browser: string | undefined): Promise<Finished> {
    const of = { handle: tokenHash(handle), browser: tokenHash(browser ?? '') };
    const row = await this.#records.transact(async (tx) => {
      const found = await tx
        .selectFrom('saml_requests')
        .selectAll()
        .where('handle_hash', '=', of.handle)
        .where('browser_hash', '=', of.browser)
        .executeTakeFirst();
      const taken = await tx
        .updateTable('saml_requests')
        .set({ handle_hash: null, answer_sealed: null })
        .where('handle_hash', '=', of.handle)
        .where('browser_hash', '=', of.browser)
        .where('expires_at', '>', Date.now())
        .executeTakeFirst();
      return taken.numUpdatedRows === 1n ? found : undefined;
    });
    if (!row?.answer_sealed)
      throw refused(
        'SAML_OTHER_BROWSER',
        'This sign-in was started in another browser, or is already finished. Go back to the application and sign in again.',
      );
    const text = this.#secrets.open(row.answer_sealed, contextOf(row.id));
    return { request: row, answered: JSON.parse(text) as Answered };
  }

  /** Stores the response again for the browser's confirmation, and returns its new handle. */
  async storeAgain({ request, answered }: Finished): Promise<string> {
    const handle = newToken();
    await this.#records.transact((tx) =>
      tx
        .updateTable('saml_requests')
        .set({
          answer_sealed: this.#secrets.seal(JSON.stringify(answered), contextOf(request.id)),
          handle_hash: tokenHash(handle),
          expires_at: Date.now() + requestLifeMs,
        })
        .where('id', '=', request.id)
        .execute(),
    );
    return handle;
  }

  /**
   * Locks a request until the transaction ends. Throws 403 when it was deleted with its client's provider.
   */
  async requireKnown(tx: Transaction, { id }: SamlRequestsTable): Promise<void> {
    const known = await tx.updateTable('saml_requests').set({ id }).where('id', '=', id).executeTakeFirst();
    if (known.numUpdatedRows !== 1n) throw unsolicited();
  }

  /** Removes the requests of a client that was deleted or has lost its provider. */
  async forget(tx: Transaction, client: string): Promise<void> {
    await tx.deleteFrom('saml_requests').where('client_id', '=', client).execute();
  }

  async sweep(now = Date.now()): Promise<void> {
    await this.#records.transact(async (tx) => {
      await tx.deleteFrom('saml_requests').where('expires_at', '<', now).execute();
      await tx.deleteFrom('saml_assertions').where('expires_at', '<', now).execute();
    });
  }
}

/** Returns the id of something of a provider: equal for equal texts, and unambiguous. */
export function idOf(account: string, entityId: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([account, entityId, text]))
    .digest('hex');
}

function usedUp(): Problem {
  return refused('SAML_REPLAYED', 'The identity provider’s response was already used. Sign in again.');
}

/**
 * Marks an assertion as used until it expires. One valid for years is remembered for a day: its request lives
 * for minutes, so it is worthless afterwards.
 */
async function useAssertion(
  tx: Transaction,
  account: string,
  entityId: string,
  { id, expiresAt }: Assertion,
): Promise<void> {
  const row = {
    id: idOf(account, entityId, id),
    account_id: account,
    expires_at: Math.min(expiresAt, Date.now() + dayMs),
  };
  const added = await tx
    .insertInto('saml_assertions')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows !== 1n) throw usedUp();
}

async function requireFewBegun(tx: Transaction, address: string, now: number): Promise<void> {
  const { count } = await tx
    .selectFrom('saml_requests')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('address', '=', address)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  if (Number(count) < perNetworkMax) return;
  const message = 'Too many unfinished sign-ins from this network. Try again in a few minutes.';
  throw new Problem(429, 'TOO_MANY_SIGN_INS', message, { retryAfterS: requestLifeMs / 1000 });
}
