import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { eachAlone } from '../concurrency/each-alone.ts';
import type { PlatformLog } from '../records/log.ts';
import type { Records, Transaction } from '../records/records.ts';
import { beginningMs, type JobClass, jobClasses } from './admission.ts';
import { ClaimFailed, claimNext, waitingClasses } from './claim.ts';
import type { JobCount, JobEnd, JobHandler, Jobs, NewJob, Waiting } from './jobs.ts';
import { Outage } from './outage.ts';
import type { Places } from './places.ts';
import { Positions } from './positions.ts';
import { addJob, cancelJob, cancelledTopic, queuedTopic } from './queue.ts';
import type { JobRow } from './rows.ts';
import { JobEnds, Run } from './run.ts';
import { Settler } from './settle.ts';
import { JobStore } from './store.ts';
import { Ticker } from './ticker.ts';

export interface JobsSettings {
  records: Records;
  log: PlatformLog;
  /** Places of this process, by class; jobs of other classes are left to other processes. */
  places: Partial<Record<JobClass, Places>>;
  /** Lease of a run: time without a sign of life until another process claims it. Default 15 s. */
  leaseMs?: number;
  /** Interval of the search for waiting and abandoned jobs; new ones are announced at once. Default 1 s. */
  pollMs?: number;
  /** Name of this process in the rows; a random part is added. */
  owner?: string;
  /**
   * No other process works on these records (the data folder is locked): at the start whatever is marked as running was cut
   * off, and is taken again at once.
   */
  soleProcess: boolean;
  /** Delay after the nth failed attempt. Default 1 s, 4 s, 16 s … up to 5 minutes, ± a quarter. */
  retryDelayMs?: (attempts: number) => number;
  /** Maximum time that `stop` waits for handlers that ignore their signal. Default 10 s. */
  stopMaxMs?: number;
}

/** Interval of polling for changes of other processes on SQLite; a poll costs microseconds. */
const lookMs = 50;
const trimEveryMs = 3_600_000;

/** Claims jobs, runs them, keeps their leases alive. */
export class JobRunner implements Jobs<string> {
  readonly #settings: Required<JobsSettings>;
  readonly #store: JobStore;
  readonly #settler: Settler;
  readonly #outage: Outage;
  readonly #handlers = new Map<string, JobHandler<string>>();
  /** Kinds that other processes run. */
  readonly #left = new Set<string>();
  /** Runs by lease. */
  readonly #runs = new Map<string, { run: Run; class: JobClass; ended: Promise<void> }>();
  /** Cancelled while a claim was under way, which may have been a claim of the same job. */
  readonly #cancelledLately = new Set<string>();
  /** Runs have the asynchronous context of the runner; claims run in that of the caller that added or ended a job. */
  readonly #apart = AsyncLocalStorage.snapshot();
  readonly #claiming: Ticker;
  readonly #positions: Positions;
  readonly #ends: JobEnds;
  #tickers: Ticker[] = [];
  #started = false;

  constructor(settings: Required<JobsSettings>) {
    const { records, log, retryDelayMs } = settings;
    this.#settings = settings;
    this.#ends = new JobEnds(log);
    this.#store = new JobStore(records);
    this.#outage = new Outage(settings.leaseMs, settings.pollMs);
    this.#settler = new Settler({ records, store: this.#store, log, ends: this.#ends, retryDelayMs });
    this.#positions = new Positions(records, settings.places);
    this.#claiming = new Ticker('claiming jobs', settings.pollMs, log, () => this.#claimAll());
    records.onChange(queuedTopic, (topic) => {
      if (this.#handlers.has(topic.slice(queuedTopic.length))) this.#claiming.now();
    });
    records.onChange(cancelledTopic, (topic) => this.#onCancelled(topic.slice(cancelledTopic.length)));
  }

  handle(handler: JobHandler<string>): void {
    if (this.#handlers.has(handler.kind)) throw new Error(`Jobs of the kind ${handler.kind} have a handler.`);
    this.#handlers.set(handler.kind, handler);
  }

  onEnd(listener: (end: JobEnd) => void): void {
    this.#ends.listen(listener);
  }

  leave(kind: string): void {
    this.#left.add(kind);
  }

  add(tx: Transaction, job: NewJob<string>): Promise<string> {
    const { records, places } = this.#settings;
    const never = Number.POSITIVE_INFINITY;
    const { shortBytes = never, small, ofUserMax = never } = places[job.class]?.limits ?? {};
    const { inputBytes = 0 } = job;
    const size = inputBytes >= shortBytes ? 'long' : small && inputBytes < small.bytes ? 'small' : 'short';
    return addJob(records, tx, job, { size, ofUserMax });
  }

  cancel(tx: Transaction, jobId: string): Promise<void> {
    return cancelJob(this.#settings.records, tx, jobId);
  }

  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    const { records, leaseMs, pollMs, log, soleProcess, owner } = this.#settings;
    if (soleProcess) await this.#recover(owner);
    this.#tickers = [
      this.#claiming,
      new Ticker('looking for abandoned jobs', pollMs, log, () => this.#recover(undefined)),
      new Ticker('prolonging leases', leaseMs / 3, log, () => this.#prolong()),
      new Ticker('watching leases', leaseMs / 10, log, async () => this.#stopExpired()),
      new Ticker('trimming jobs', trimEveryMs, log, () => this.#store.trim()),
      new Ticker('ending jobs of unknown kinds', trimEveryMs, log, () =>
        this.#settler.endUnknown([...this.#handlers.keys(), ...this.#left]),
      ),
    ];
    if (records.dialect === 'sqlite') {
      this.#tickers.push(new Ticker('hearing of changes', lookMs, log, async () => records.catchUp()));
    }
    for (const [name, places] of this.#places())
      places.governedBy(
        () => this.#claiming.now(),
        () => this.#held(name).size,
      );
    for (const ticker of this.#tickers) ticker.start();
  }

  async stop(): Promise<void> {
    if (!this.#started) return;
    const { log } = this.#settings;
    await this.#claiming.stop();
    for (const [, places] of this.#places()) places.governedBy();
    const runs = [...this.#runs.values()];
    for (const { run } of runs) run.stop('shutdown');
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, this.#settings.stopMaxMs);
    await Promise.race([Promise.all(runs.map(({ ended }) => ended)), patience.promise]);
    clearTimeout(timer);
    await Promise.all(this.#tickers.map((ticker) => ticker.stop()));
    // Handlers that go on regardless can no longer record anything.
    await eachAlone([...this.#runs.values()], ({ run }) => this.#settler.handBack(run), {
      log,
      failed: 'a job could not be handed back: its lease runs out',
      about: ({ run }) => ({ jobId: run.job.id }),
    });
    this.#started = false;
  }

  waiting(jobIds: readonly string[]): Promise<ReadonlyMap<string, Waiting>> {
    return this.#positions.of(jobIds);
  }

  stats(): Promise<JobCount[]> {
    return this.#store.count();
  }

  async #claimAll(): Promise<void> {
    const places = this.#places();
    const names = places.map(([name]) => name);
    const kinds = [...this.#handlers.keys()];
    const waiting = await waitingClasses(this.#settings.records, names, kinds);
    const wanted = places.filter(([name, { direct }]) => waiting.has(name) || direct.waiting.length > 0);
    await eachAlone(wanted, ([name, ofClass]) => this.#claimClass(name, ofClass, kinds), {
      log: this.#settings.log,
      failed: 'jobs of a class could not be claimed; it is tried again',
      about: ([name]) => ({ class: name }),
    });
    this.#cancelledLately.clear();
  }

  async #claimClass(name: JobClass, places: Places, kinds: readonly string[]): Promise<void> {
    while (!this.#claiming.stopped && this.#mayClaim(name, places)) {
      try {
        if (!(await places.whileClaiming(() => this.#claimOne(name, places, kinds)))) return;
      } catch (error) {
        if (!(error instanceof ClaimFailed)) throw error;
        await this.#settler.giveUp({ ...error.row, id: '' }, error.cause);
      }
    }
  }

  /** Returns the places of this process, in the order in which they are filled. */
  #places(): [JobClass, Places][] {
    return jobClasses.flatMap((name) => {
      const places = this.#settings.places[name];
      return places ? [[name, places] as [JobClass, Places]] : [];
    });
  }

  /** Leases of the runs that have a place: one that was set aside has none while it ends. */
  #held(name: JobClass): Set<string> {
    const held = [...this.#runs].filter(([, one]) => one.class === name && one.run.stopped !== 'set-aside');
    return new Set(held.map(([lease]) => lease));
  }

  /** Reports whether a place is free, or a run is old enough to yield its own. */
  #mayClaim(name: JobClass, { hasFree, limits, direct }: Places): boolean {
    const shortMs = limits.shortMax > 0 ? Math.min(limits.shortMs, beginningMs) : Number.POSITIVE_INFINITY;
    const since = performance.now() - Math.min(limits.yieldMs, shortMs);
    const held = this.#held(name);
    const isOld = ({ run }: { run: Run }) => held.has(run.lease) && run.startedAt <= since;
    return hasFree || this.#runs.values().some(isOld) || direct.running.some((one) => one.since <= since);
  }

  async #claimOne(name: JobClass, places: Places, kinds: readonly string[]): Promise<boolean> {
    const { records, leaseMs, owner } = this.#settings;
    const lease = randomBytes(16).toString('hex');
    const validUntil = performance.now() + leaseMs;
    const claim = { class: name, kinds, owner, lease, leaseMs, limits: places.limits };
    const { direct } = places;
    const held = this.#held(name);
    const claimed = await records.transact((tx) =>
      claimNext(records.dialect, tx, { ...claim, direct, held }),
    );
    if (claimed === undefined) return false;
    const { row, direct: request } = claimed.displaced ?? {};
    this.#runs.get(row?.lease ?? '')?.run.stop('set-aside');
    if (request) places.setAside(request);
    if (claimed.direct) places.grant(claimed.direct);
    if (!claimed.job) return true;
    const handler = this.#handlers.get(claimed.job.kind) as JobHandler<string>;
    const run = new Run(claimed.job, lease, handler, validUntil, (tx, token) => this.#store.holds(tx, token));
    if (this.#cancelledLately.has(run.job.id)) return true;
    this.#runs.set(lease, { run, class: name, ended: this.#apart(() => this.#execute(run)) });
    return true;
  }

  async #execute(run: Run): Promise<void> {
    const { log } = this.#settings;
    try {
      const failure = await run.execute();
      this.#ends.announce(run, await this.#settler.settle(run, failure), failure);
    } catch (error) {
      // The lease runs out and the job is taken again.
      log.error(
        { err: error, jobId: run.job.id, kind: run.job.kind },
        'the end of a job could not be recorded',
      );
    } finally {
      this.#runs.delete(run.lease);
      this.#claiming.now();
    }
  }

  #onCancelled(jobId: string): void {
    if (this.#claiming.busy) this.#cancelledLately.add(jobId);
    for (const { run } of this.#runs.values()) if (run.job.id === jobId) run.stop('cancelled');
  }

  #stopExpired(): void {
    this.#outage.tick();
    for (const { run } of this.#runs.values()) if (run.stopIfExpired()) this.#outage.leaseLost();
  }

  async #prolong(): Promise<void> {
    this.#stopExpired();
    const runs = [...this.#runs.values()].map(({ run }) => run).filter((run) => run.stopped !== 'lease-lost');
    if (runs.length === 0) return;
    const { records, leaseMs } = this.#settings;
    const validUntil = performance.now() + leaseMs;
    const leases = runs.map((run) => run.lease);
    const renewed = await records.transact((tx) => this.#store.renew(tx, leases, leaseMs));
    for (const run of runs) {
      if (renewed.has(run.lease)) run.prolong(validUntil);
      else if (this.#runs.has(run.lease)) {
        run.stop((await this.#store.isCancelled(run.job.id)) ? 'cancelled' : 'lease-lost');
      }
    }
  }

  /** Handles abandoned jobs; those of kinds unknown here are left to other processes. */
  async #recover(owner: string | undefined): Promise<void> {
    const abandoned = await this.#store.abandoned(owner);
    this.#outage.reached();
    await eachAlone(abandoned, (row) => this.#recoverOne(row), {
      log: this.#settings.log,
      failed: 'an abandoned job could not be dealt with; it is tried again',
      about: ({ id, kind }) => ({ jobId: id, kind }),
    });
  }

  async #recoverOne(row: JobRow): Promise<void> {
    // Our own, after a stall or an outage: its run must not go on beside the next one.
    const own = this.#runs.get(row.lease ?? '');
    if (own) this.#outage.leaseLost();
    own?.run.stop('lease-lost');
    const handler = this.#handlers.get(row.kind);
    if (handler === undefined) return;
    if (row.lease === null) await this.#settler.giveUp(row, new Error('A running job has no lease.'));
    else await this.#settler.recover(handler, row, !this.#outage.isRecent);
  }
}
