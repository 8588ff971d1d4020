import { nextTime, readCron } from '../../../base/schedule.ts';
import { eachAlone } from '../../../platform/concurrency/each-alone.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { EhrsTable } from '../../../platform/records/schema-ehrs.ts';
import { requireProjectIfThere } from '../../files/projects/index.ts';
import { lockEhr, unscheduled } from '../ehrs.ts';
import { isSyncing, type Syncs } from './syncs.ts';

/** Tolerated backward step of the clock: the possible difference between processes. */
const clocksApartMaxMs = 300_000;

/** Starts the syncs that are due. */
export class DueSyncs {
  /** Time of the previous check, by the clock at that time. */
  #askedAt = Number.POSITIVE_INFINITY;
  readonly #records: Records;
  readonly #syncs: Syncs;
  readonly #log: PlatformLog;

  constructor(deps: { records: Records; syncs: Syncs; log: PlatformLog }) {
    this.#records = deps.records;
    this.#syncs = deps.syncs;
    this.#log = deps.log;
  }

  /**
   * Checks for due syncs; call it often. Each is started once, however many processes call it and times were
   * missed. An error of one is logged and does not stop the others.
   */
  async begin(now = Date.now()): Promise<void> {
    if (now < this.#askedAt - clocksApartMaxMs) await this.#bringBack(now);
    this.#askedAt = now;
    const due = await this.#records.read
      .selectFrom('ehrs')
      .select('id')
      .where('schedule_at', '<=', now)
      .orderBy('schedule_at')
      .execute();
    await eachAlone(due, ({ id }) => this.#records.transact((tx) => this.#beginOne(tx, id, now)), {
      log: this.#log,
      failed: 'a sync that is due was not begun; it is tried again',
      about: ({ id }) => ({ ehrId: id }),
    });
  }

  /**
   * Reschedules syncs that were planned by a clock that was ahead. The first check after the start treats
   * every clock as suspect.
   */
  async #bringBack(now: number): Promise<void> {
    const planned = await this.#records.read
      .selectFrom('ehrs')
      .select('id')
      .where('schedule_at', '>', now)
      .execute();
    await eachAlone(planned, ({ id }) => this.#records.transact((tx) => this.#bringOneBack(tx, id, now)), {
      log: this.#log,
      failed: 'the next time of a schedule could not be looked at',
      about: ({ id }) => ({ ehrId: id }),
    });
  }

  async #bringOneBack(tx: Transaction, id: string, now: number): Promise<void> {
    const ehr = await lockEhr(tx, id);
    const next = ehr && following(ehr, now + clocksApartMaxMs);
    if (!next || ehr.schedule_at === null || ehr.schedule_at <= next) return;
    await tx.updateTable('ehrs').set({ schedule_at: next }).where('id', '=', id).execute();
    this.#log.info({ ehrId: id }, 'a sync was planned by a clock that was ahead: its next time is sooner');
  }

  async #beginOne(tx: Transaction, id: string, now: number): Promise<void> {
    // If another process started it, it is no longer due.
    const ehr = await lockEhr(tx, id);
    if (!ehr || ehr.schedule_at === null || ehr.schedule_at > now) return;
    const { schedule_project_id: project, schedule_user_id: userId } = ehr;
    if (project === null || userId === null || !(await requireProjectIfThere(tx, project))) {
      await tx.updateTable('ehrs').set(unscheduled).where('id', '=', id).execute();
      this.#log.info({ ehrId: id }, 'a schedule ended with the project that it filled');
      return;
    }
    await tx
      .updateTable('ehrs')
      .set({ schedule_at: following(ehr, now) })
      .where('id', '=', id)
      .execute();
    if (await isSyncing(tx, id, project)) {
      this.#log.info({ ehrId: id }, 'a sync was due while the one before still ran: it is left out');
      return;
    }
    const order = { startedBy: 'SCHEDULE' as const, userId, full: false };
    await this.#syncs.queue(tx, ehr, project, order, { userId, via: 'job' });
  }
}

function following({ schedule_cron }: EhrsTable, now: number): number | null {
  const times = readCron(schedule_cron ?? '');
  return typeof times === 'string' ? null : (nextTime(times, now) ?? null);
}
