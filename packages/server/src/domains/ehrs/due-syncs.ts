import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import { requireProjectIfThere } from '../projects/index.ts';
import { lockEhr, unscheduled } from './ehrs.ts';
import { nextTime, readCron } from './schedule.ts';
import { isSyncing, type Syncs } from './syncs.ts';

/** Begins the syncs whose time has come. */
export class DueSyncs {
  readonly #records: Records;
  readonly #syncs: Syncs;
  readonly #log: PlatformLog;

  constructor(parts: { records: Records; syncs: Syncs; log: PlatformLog }) {
    this.#records = parts.records;
    this.#syncs = parts.syncs;
    this.#log = parts.log;
  }

  /**
   * To be called often. However many processes call it, and however often its time passed meanwhile: each is begun once. What is
   * wrong with one is logged, and keeps no other one waiting.
   */
  async begin(now = Date.now()): Promise<void> {
    const due = await this.#records.read
      .selectFrom('ehrs')
      .select('id')
      .where('schedule_at', '<=', now)
      .orderBy('schedule_at')
      .execute();
    for (const { id } of due) {
      const begun = this.#records.transact((tx) => this.#beginOne(tx, id, now));
      await begun.catch((error: unknown) =>
        this.#log.error({ err: error, ehrId: id }, 'a sync that is due was not begun; it is tried again'),
      );
    }
  }

  async #beginOne(tx: Transaction, id: string, now: number): Promise<void> {
    // Another process may have been first: what it has begun is not due any more.
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
