import { Readable } from 'node:stream';
import type { Caller } from '../../../access/caller.ts';
import type { Wait } from '../../../api/route.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { ChangeWaiter } from '../../../platform/records/change-waiter.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { TrinoStatementsTable } from '../../../platform/records/schema-lake.ts';
import { type Audit, actor, onBehalf } from '../../audit/index.ts';
import { requireProject } from '../../files/projects/index.ts';
import { attributesOfTables, type RowRights } from '../../lake/index.ts';
import { type Answered, done } from './answered.ts';
import { failureOf, StatementFailed } from './failure.ts';
import { type Plan, type PlanDeps, Planner } from './plan.ts';
import { endStatement, statementJob, statementTopic } from './run-statement.ts';
import { encoding } from './segments.ts';
import { runTimeMaxOf, type Session } from './session.ts';
import { type CancelReason, cancelFailures, newRow, requireSeen, seenNow } from './statement-record.ts';
import { tidyStatements } from './tidy.ts';

interface StatementDeps extends PlanDeps {
  records: Records;
  blobs: Blobs;
  jobs: Jobs;
  audit: Audit;
  rights: RowRights;
}

interface StatementLimits {
  /** Longest run of a statement. */
  queryTimeMs: number;
  /** Size of all results that are kept for a user. */
  resultBytesMax: number;
  /** Time without a question of the client after which a statement is cancelled, and a result removed. */
  statementWaitMs: number;
  statementKeptMs: number;
}

type By = { caller: Caller; requestId: string; signal: AbortSignal };

/** Longest wait of a request for news: clients ask again at once. */
const waitMs = 1000;
/** Precision of the time of the last question, as a part of the wait for the next one. */
const askedPart = 0.1;
/** A statement whose run is interrupted is run again once. */
const attemptsMax = 2;
/** Longest rows of an answer that are kept in the records; longer ones are a blob, as those of a run are. */
const rowsInRecordsMaxBytes = 64 * 1024;
/** Statements of a user that are kept: 16 a second. */
const keptMax = 5000;

/** Statements of the Trino protocol: checked and recorded here, run by run-statement.ts, answered by pages.ts. */
export class Statements {
  readonly #deps: StatementDeps;
  readonly #limits: StatementLimits;
  readonly #planner: Planner;
  readonly #changes: ChangeWaiter;

  constructor(deps: StatementDeps, limits: StatementLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#planner = new Planner(deps);
    this.#changes = new ChangeWaiter(deps.records, statementTopic);
  }

  /** Records a statement, with its answer, its job or its failure: the client asks for these. */
  async submit(text: string, readSession: () => Session, by: By): Promise<TrinoStatementsTable> {
    await this.#requireFew(by.caller.userId);
    const row = newRow(by.caller);
    try {
      const session = readSession();
      const runTimeMax = runTimeMaxOf(session, this.#limits.queryTimeMs);
      const plan = await this.#planner.plan(text, session, by);
      if (runTimeMax !== undefined) row.deadline_at = row.created_at + runTimeMax;
      await this.#record(row, plan, session, by);
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      Object.assign(row, { state: 'failed', ended_at: row.created_at, error: JSON.stringify(failure) });
      await this.#insert(row);
    }
    return row;
  }

  async #record(row: TrinoStatementsTable, plan: Plan, session: Session, by: By): Promise<void> {
    if (plan.kind === 'run') return this.#start(row, plan, session, by);
    if (plan.kind === 'kill') await this.cancel(plan.id, 'kill_query', by);
    const answer = plan.kind === 'kill' ? done('CALL') : plan.answer;
    Object.assign(row, { state: 'succeeded', progress: 1, row_count: answer.lines.length });
    Object.assign(row, await this.#kept(answer, row.user_id), { ended_at: Date.now() });
    await this.#insert(row);
  }

  /** Returns the columns of a record that hold an answer. */
  async #kept(answer: Answered, userId: string): Promise<Partial<TrinoStatementsTable>> {
    const rows = `${answer.lines.join('\n')}\n`;
    if (Buffer.byteLength(rows) <= rowsInRecordsMaxBytes) return { answer: JSON.stringify(answer) };
    await this.#requireRoom(this.#deps.records.read, userId);
    const { key: blob_key, size, sha256 } = await this.#deps.blobs.put(Readable.from([rows]));
    return { answer: JSON.stringify({ ...answer, lines: [] }), blob_key, size, sha256 };
  }

  async #insert(row: TrinoStatementsTable): Promise<void> {
    await this.#deps.records.transact((tx) => tx.insertInto('trino_statements').values(row).execute());
  }

  /** Records the run of a statement and its job in one transaction. */
  async #start(
    row: TrinoStatementsTable,
    { project, text, checked }: Plan & { kind: 'run' },
    session: Session,
    { caller, requestId }: By,
  ): Promise<void> {
    const { records, jobs, audit, rights } = this.#deps;
    const { statement, snapshot, access } = checked;
    const masked = access.real === false;
    await records.transact(async (tx) => {
      await requireProject(tx, project.id);
      await this.#requireRoom(tx, caller.userId);
      const job_id = await jobs.add(tx, {
        kind: statementJob,
        payload: { statementId: row.id, ...(session.takesSegments && { encoding }) },
        attemptsMax,
        class: 'query',
        whose: { account: project.account, project: project.id, user: caller.userId },
      });
      const about = { account_id: project.account, project_id: project.id };
      const values = { ...row, ...about, job_id, query_text: text, statement: statement.sql };
      const tables = JSON.stringify(statement.tables);
      const made_with = rights.madeWith(access, statement.tables, snapshot.tables);
      const conditions = statement.conditions ? JSON.stringify(statement.conditions) : null;
      await tx
        .insertInto('trino_statements')
        .values({
          ...{ ...values, tables, conditions, masked: masked ? 1 : 0, made_with },
          lake_version: snapshot.version,
        })
        .execute();
      await audit.append(tx, {
        account: project.account,
        ...actor(caller, requestId),
        action: 'lake.query',
        resource: { ...attributesOfTables(about), id: row.id },
        outcome: 'done',
        details: { door: 'trino', source: session.source, tables: statement.tables.join(','), masked },
      });
    });
  }

  /** Problem 429 for a client that sends more than it reads, or than is removed after it was read. */
  async #requireFew(userId: string): Promise<void> {
    const { count } = await this.#deps.records.read
      .selectFrom('trino_statements')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    if (Number(count) < keptMax) return;
    const message = `${keptMax} of your statements are kept. Cancel some, or wait until they are removed.`;
    throw new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 5 });
  }

  async #requireRoom(reader: Records['read'] | Transaction, userId: string): Promise<void> {
    const { bytes } = await reader
      .selectFrom('trino_statements')
      .select(({ fn }) => fn.sum<number | null>('size').as('bytes'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    if (Number(bytes ?? 0) < this.#limits.resultBytesMax) return;
    const message = `Results that you are reading may have ${this.#limits.resultBytesMax} bytes together. Read or close some first.`;
    throw new StatementFailed('GENERIC_INSUFFICIENT_RESOURCES', message);
  }

  /** Returns a statement when it has ended, or after a second. Problem 404 for those of others. */
  async awaited(id: string, caller: Caller, wait: Wait): Promise<TrinoStatementsTable> {
    const row = await this.#asked(id, caller);
    if (row.state !== 'running') return seenNow(row, caller, this.#deps.rights);
    return wait(async (signal) => {
      const changed = this.#changes.next(id, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
      // The statement may have ended since it was read.
      const present = await this.find(id, caller);
      if (present.state !== 'running') return present;
      await changed;
      return this.find(id, caller);
    });
  }

  /** Returns a statement that has ended, for its rows. Problem 403 once the rights to them have changed. */
  async ended(id: string, caller: Caller): Promise<TrinoStatementsTable> {
    return requireSeen(await seenNow(await this.#asked(id, caller), caller, this.#deps.rights));
  }

  /** Returns a statement as its client may see it. Problem 404 for those of others. */
  async find(id: string, caller: Caller): Promise<TrinoStatementsTable> {
    return seenNow(await this.#own(id, caller), caller, this.#deps.rights);
  }

  /** Reports whether a statement waits for a place: it has none yet, or lost it to others. */
  async isWaiting({ state, job_id }: TrinoStatementsTable): Promise<boolean> {
    if (state !== 'running' || job_id === null) return false;
    return (await this.#deps.jobs.waiting([job_id])).size > 0;
  }

  /** Reads a statement for its client, and records that it was asked for. */
  async #asked(id: string, caller: Caller): Promise<TrinoStatementsTable> {
    const row = await this.#own(id, caller);
    const now = Date.now();
    if (row.state === 'running' && row.deadline_at !== null && now > row.deadline_at) {
      await this.#end(row, 'time', onBehalf({ account_id: row.account_id ?? '', user_id: row.user_id }));
      return this.#own(id, caller);
    }
    if (now - row.asked_at > this.#limits.statementWaitMs * askedPart)
      await this.#deps.records.transact((tx) =>
        tx.updateTable('trino_statements').set({ asked_at: now }).where('id', '=', id).execute(),
      );
    return row;
  }

  async #own(id: string, caller: Caller): Promise<TrinoStatementsTable> {
    const row = await this.#deps.records.read
      .selectFrom('trino_statements')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row?.user_id !== caller.userId) throw notFound();
    return row;
  }

  /** Cancels a statement that runs; removes the result of one that has ended. Problem 404 for those of others. */
  async cancel(id: string, reason: CancelReason, by: Pick<By, 'caller' | 'requestId'>): Promise<void> {
    const row = await this.#own(id, by.caller);
    const account = row.account_id ?? '';
    if (row.state === 'running')
      await this.#end(row, reason, { account, ...actor(by.caller, by.requestId), outcome: 'done' });
    else await this.#remove([row]);
  }

  async #end(
    row: Pick<TrinoStatementsTable, 'id' | 'account_id' | 'project_id' | 'job_id'>,
    reason: CancelReason,
    who: ReturnType<typeof onBehalf> | ({ account: string; outcome: 'done' } & ReturnType<typeof actor>),
  ): Promise<void> {
    const { records, jobs, audit } = this.#deps;
    const about = { account_id: row.account_id ?? '', project_id: row.project_id ?? '' };
    await records.transact(async (tx) => {
      if (row.job_id !== null) await jobs.cancel(tx, row.job_id);
      const failure = JSON.stringify(cancelFailures[reason]);
      const end = { state: 'cancelled', error: failure, ended_at: Date.now() } as const;
      if (!(await endStatement(records, tx, row.id, end))) return;
      const resource = { ...attributesOfTables(about), id: row.id };
      await audit.append(tx, { ...who, action: 'lake.cancel', resource, details: { door: 'trino', reason } });
    });
  }

  /** Ends what no client asks for any more, and removes results that were read or forgotten. */
  tidy(): Promise<void> {
    return tidyStatements(this.#deps.records.read, this.#limits, {
      end: (row) =>
        this.#end(row, 'abandoned', onBehalf({ account_id: row.account_id ?? '', user_id: row.user_id })),
      remove: (rows) => this.#remove(rows),
    });
  }

  async #remove(rows: readonly Pick<TrinoStatementsTable, 'id' | 'blob_key'>[]): Promise<void> {
    if (rows.length === 0) return;
    const { records, blobs } = this.#deps;
    const ids = rows.map(({ id }) => id);
    await records.transact((tx) => tx.deleteFrom('trino_statements').where('id', 'in', ids).execute());
    await removeFreed(
      blobs,
      rows.flatMap(({ blob_key }) => blob_key ?? []),
    );
  }
}
