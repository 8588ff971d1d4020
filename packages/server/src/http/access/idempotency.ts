import { createHash } from 'node:crypto';
import { Answer, FreshAnswer } from '../../api/route.ts';
import { conflict, invalidInput, Problem } from '../../base/problem.ts';
import type { PlatformLog } from '../../platform/records/index.ts';
import type { Records } from '../../platform/records/records.ts';
import { sealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';

/** Lifetime of an answer that is kept for repetitions. */
const keptMs = 24 * 3_600_000;
/** Time after which an unfinished first attempt counts as interrupted, so that a repetition runs again. */
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

/** A request that holds a key. Another may take the key over after an interruption. */
interface Attempt {
  id: string;
  takenAt: number;
}

/** Identity of a repeated request. */
interface Repeatable {
  key: string;
  /** Key of the caller (`Caller.rightsKey`): an answer is never replayed to a credential with other rights. */
  rightsKey: string;
  method: string;
  url: string;
  account: string;
  body: unknown;
}

/** Replays the answer for the same key and body; another body is refused with 422. Answers are encrypted: they may hold a secret. */
export class Idempotency {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #log: PlatformLog;

  constructor(records: Records, secrets: Secrets, log: PlatformLog) {
    this.#records = records;
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Runs `work` once for a key and replays its answer to repetitions. A failure is not kept. */
  async once(request: Repeatable, work: () => Promise<Answer>): Promise<Answer> {
    if (!keyPattern.test(request.key)) {
      const message = 'must be 1 to 255 visible ASCII characters';
      throw invalidInput([{ path: 'headers/idempotency-key', message }]);
    }
    const { key, rightsKey, method, url, account } = request;
    const id = sha256(JSON.stringify([rightsKey, method, url, account, key]));
    const bodyHash = sha256(JSON.stringify(request.body ?? null));
    const attempt = { id, takenAt: Date.now() };
    const kept = await this.#begin(attempt, bodyHash);
    if (kept) return this.#repeat(id, kept, bodyHash);
    const answer = await work().catch(async (error: unknown) => {
      await this.#settle('a key could not be released', this.#release(attempt));
      throw error;
    });
    if (answer instanceof FreshAnswer) {
      await this.#settle('a key could not be released', this.#release(attempt));
      return answer;
    }
    // The work is done even if its answer cannot be kept. The key stays taken, so that a repetition does not run it again at once.
    await this.#settle('an answer could not be kept for a repetition', this.#keep(attempt, answer));
    return answer;
  }

  /** Releases keys of requests that a crash interrupted. Only for a sole process: others may be working on theirs. */
  async releaseInterrupted(): Promise<void> {
    await this.#records.transact((tx) =>
      tx.deleteFrom('idempotency_keys').where('state', '=', 'running').execute(),
    );
  }

  /** Removes answers that are older than a day. */
  async sweep(): Promise<void> {
    const before = Date.now() - keptMs;
    await this.#records.transact((tx) =>
      tx.deleteFrom('idempotency_keys').where('created_at', '<', before).execute(),
    );
  }

  /** Applies a change on which the result of the request does not depend; a failure is logged. */
  async #settle(failure: string, change: Promise<unknown>): Promise<void> {
    await change.catch((error: unknown) => this.#log.error({ err: error }, failure));
  }

  /** Takes the key, or returns the answer that is kept under it. */
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
      // The first attempt failed just now; running without the key could repeat its effect.
      if (!kept) throw busy();
      return kept;
    });
  }

  #repeat(id: string, kept: Kept, bodyHash: string): Answer {
    if (kept.body_hash !== bodyHash) {
      throw new Problem(
        422,
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used for another body: send a new one.',
      );
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
