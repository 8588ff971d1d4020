import { createHash } from 'node:crypto';
import type { PlatformLog } from '../platform/records/index.ts';
import type { Records } from '../platform/records/records.ts';
import { sealedColumn } from '../platform/secrets/sealed-column.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { conflict, invalidInput, Problem } from '../problem.ts';
import { Answer } from '../route.ts';

/** How long an answer is kept for a repetition. */
const keptMs = 24 * 3_600_000;
/** A first attempt that shows no answer for this long was interrupted; a repetition then runs anew. */
const interruptedMs = 10 * 60_000;
const contextOf = (id: string): string => `idempotency:${id}`;
const headersContextOf = (id: string): string => `idempotency headers:${id}`;

export const sealedAnswers = sealedColumn('idempotency_keys', 'body', contextOf);
export const sealedHeaders = sealedColumn('idempotency_keys', 'headers', headersContextOf);

const keyPattern = /^[\x21-\x7e]{1,255}$/;

interface Kept {
  body_hash: string;
  state: 'running' | 'done';
  status: number | null;
  body: string | null;
  headers: string | null;
  created_at: number;
}

/** One request that has taken a key. Another may take it later, when this one has been silent for too long. */
interface Attempt {
  id: string;
  takenAt: number;
}

/** What a repeated request is recognised by. */
export interface Repeatable {
  key: string;
  /** Of who asks (`Caller.standing`): an answer is never given to a credential that might have been refused. */
  standing: string;
  method: string;
  url: string;
  account: string;
  body: unknown;
}

/** Same key + same body = same answer; same key + other body = 422. Answers are kept sealed: they may hold a secret. */
export class Idempotency {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #log: PlatformLog;

  constructor(records: Records, secrets: Secrets, log: PlatformLog) {
    this.#records = records;
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Runs `work` once for a key; a repetition gets the first answer. A failure is not kept. */
  async once(request: Repeatable, work: () => Promise<Answer>): Promise<Answer> {
    if (!keyPattern.test(request.key)) {
      const message = 'must be 1 to 255 visible ASCII characters';
      throw invalidInput([{ path: 'headers/idempotency-key', message }]);
    }
    const { key, standing, method, url, account } = request;
    const id = sha256(JSON.stringify([standing, method, url, account, key]));
    const bodyHash = sha256(JSON.stringify(request.body ?? null));
    const attempt = { id, takenAt: Date.now() };
    const kept = await this.#begin(attempt, bodyHash);
    if (kept) return this.#repeat(id, kept, bodyHash);
    const answer = await work().catch(async (error: unknown) => {
      await this.#settle('a key could not be released', this.#release(attempt));
      throw error;
    });
    // It is done, whether or not that can be kept: the key stays taken, so that a repetition does not do it again at once.
    await this.#settle('an answer could not be kept for a repetition', this.#keep(attempt, answer));
    return answer;
  }

  /** Releases keys whose first request a crash cut off; only where no other process can be at work on one. */
  async releaseInterrupted(): Promise<void> {
    await this.#records.transact((tx) =>
      tx.deleteFrom('idempotency_keys').where('state', '=', 'running').execute(),
    );
  }

  /** Removes what is older than a day. */
  async sweep(): Promise<void> {
    const before = Date.now() - keptMs;
    await this.#records.transact((tx) =>
      tx.deleteFrom('idempotency_keys').where('created_at', '<', before).execute(),
    );
  }

  /** What the request has come to does not depend on it. */
  async #settle(failure: string, change: Promise<unknown>): Promise<void> {
    await change.catch((error: unknown) => this.#log.error({ err: error }, failure));
  }

  /** Takes the key, or answers what is kept under it. */
  async #begin({ id, takenAt: now }: Attempt, bodyHash: string): Promise<Kept | undefined> {
    return this.#records.transact(async (tx) => {
      await tx
        .deleteFrom('idempotency_keys')
        .where('id', '=', id)
        .where((where) =>
          where.or([
            where('created_at', '<', now - keptMs),
            where.and([where('state', '=', 'running'), where('created_at', '<', now - interruptedMs)]),
          ]),
        )
        .execute();
      const taken = await tx
        .insertInto('idempotency_keys')
        .values({
          id,
          body_hash: bodyHash,
          state: 'running',
          status: null,
          body: null,
          headers: null,
          created_at: now,
        })
        .onConflict((duplicate) => duplicate.column('id').doNothing())
        .executeTakeFirst();
      if (taken.numInsertedOrUpdatedRows === 1n) return undefined;
      const kept = await tx
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      // The first attempt has failed this moment; to run now, without the key, could make a thing twice.
      if (!kept) throw busy();
      return kept;
    });
  }

  #repeat(id: string, kept: Kept, bodyHash: string): Answer {
    if (kept.body_hash !== bodyHash) {
      throw new Problem(422, 'IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another body.');
    }
    if (kept.state === 'running' || kept.status === null) {
      throw busy();
    }
    const body = kept.body === null ? undefined : JSON.parse(this.#secrets.open(kept.body, contextOf(id)));
    const headers =
      kept.headers === null ? {} : JSON.parse(this.#secrets.open(kept.headers, headersContextOf(id)));
    return new Answer(kept.status, body, { ...headers, 'idempotency-replayed': 'true' });
  }

  async #keep({ id, takenAt }: Attempt, answer: Answer): Promise<void> {
    const body =
      answer.body === undefined ? null : this.#secrets.seal(JSON.stringify(answer.body), contextOf(id));
    const headers = this.#secrets.seal(JSON.stringify(answer.headers), headersContextOf(id));
    await this.#records.transact((tx) =>
      tx
        .updateTable('idempotency_keys')
        .set({ state: 'done', status: answer.status, body, headers })
        .where('id', '=', id)
        .where('created_at', '=', takenAt)
        .execute(),
    );
  }

  async #release({ id, takenAt }: Attempt): Promise<void> {
    await this.#records.transact((tx) =>
      tx.deleteFrom('idempotency_keys').where('id', '=', id).where('created_at', '=', takenAt).execute(),
    );
  }
}

function busy(): Problem {
  return conflict('IDEMPOTENCY_KEY_BUSY', 'The first request with this Idempotency-Key is not finished.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
