import { createHash, randomBytes } from 'node:crypto';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { SamlRequestsTable } from '../../platform/records/schema-saml.ts';
import { sealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { Problem } from '../../problem.ts';
import { newToken, tokenHash } from '../../secret-token.ts';
import type { Assertion } from './assertion.ts';
import { refused, unsolicited } from './refusal.ts';

/** How long somebody may take at his identity provider. */
export const requestLifeMs = 600_000;
/** How long the browser has to fetch the result: it is sent straight there. */
const handleLifeMs = 60_000;
/** Sign-ins that one address may have begun and not finished; many people share the address of a hospital. */
const perAddressMax = 1000;
const dayMs = 86_400_000;
const contextOf = (id: string): string => `saml-answer:${id}`;

export const sealedSamlAnswers = sealedColumn('saml_requests', 'answer_sealed', contextOf);

/** What a provider said of a person, on its way to the browser. */
export type Answered = Pick<
  Assertion,
  'nameId' | 'nameIdIsEmail' | 'authenticatedAt' | 'sessionEndsAt' | 'attributes'
> & { entityId: string };

/** A request that was answered and whose browser has come for the result. */
export interface Finished {
  request: SamlRequestsTable;
  answered: Answered;
}

/** Sign-ins that are on their way through an identity provider. */
export class SamlRequests {
  readonly #records: Records;
  readonly #secrets: Secrets;

  constructor(records: Records, secrets: Secrets) {
    this.#records = records;
    this.#secrets = secrets;
  }

  /** Begins one. `relayState` comes back with the answer and is its only key. */
  async add(
    input: Pick<SamlRequestsTable, 'account_id' | 'client_id' | 'query' | 'address'> & { browser: string },
  ): Promise<{ id: string; relayState: string }> {
    const { browser, ...fields } = input;
    const relayState = newToken();
    const now = Date.now();
    const row: SamlRequestsTable = {
      ...fields,
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
      await requireFewBegun(tx, fields.address, now);
      await tx.insertInto('saml_requests').values(row).execute();
    });
    return { id: row.id, relayState };
  }

  /** The request that an answer with this RelayState would be to, while it waits for one. */
  async waiting(relayState: string): Promise<SamlRequestsTable | undefined> {
    return this.#records.read
      .selectFrom('saml_requests')
      .selectAll()
      .where('relay_hash', '=', tokenHash(relayState))
      .where('answered_at', 'is', null)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
  }

  /** Keeps the answer to a request, once. Answers what the browser fetches it with. Problem 403 when one is there already. */
  async answer(request: SamlRequestsTable, assertion: Assertion, entityId: string): Promise<string> {
    const { nameId, nameIdIsEmail, authenticatedAt, sessionEndsAt, attributes } = assertion;
    const answered: Answered = {
      entityId,
      nameId,
      nameIdIsEmail,
      authenticatedAt,
      sessionEndsAt,
      attributes,
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

  /** No other answer counts from now on; false when one did before. */
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

  /** Hands the answer to the browser that began the request, once. Problem 403 for any other. */
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
        'This sign-in was begun in another browser, or is finished already. Go back to the application and sign in again.',
      );
    const text = this.#secrets.open(row.answer_sealed, contextOf(row.id));
    return { request: row, answered: JSON.parse(text) as Answered };
  }

  /** The browser has to be asked first: it comes once more, with the handle that is answered here. */
  async handAgain({ request, answered }: Finished): Promise<string> {
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

  /** Holds off, until the transaction ends, that the request is forgotten. Problem 403 when it was: its client has lost the provider. */
  async requireKnown(tx: Transaction, { id }: SamlRequestsTable): Promise<void> {
    const known = await tx.updateTable('saml_requests').set({ id }).where('id', '=', id).executeTakeFirst();
    if (known.numUpdatedRows !== 1n) throw unsolicited();
  }

  /** What a client had that was deleted, or has lost its provider. */
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

/** Under which something of a provider is known: one for the same texts, whatever is in them. */
export function idOf(account: string, entityId: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([account, entityId, text]))
    .digest('hex');
}

function usedUp(): Problem {
  return refused('SAML_REPLAYED', 'The identity provider’s answer has been used already. Sign in once more.');
}

/**
 * Marks an assertion as used until it expires. One that is valid for years is remembered for a day: it answers a request that
 * lives for minutes, so it is worth nothing afterwards.
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
  if (Number(count) < perAddressMax) return;
  const message =
    'Too many sign-ins were begun from this address and not finished. Try again in some minutes.';
  throw new Problem(429, 'TOO_MANY_SIGN_INS', message, { retryAfterS: requestLifeMs / 1000 });
}
