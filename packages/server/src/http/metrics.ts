import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { build } from '../base/version.ts';
import type { JobEnd, Jobs } from '../platform/jobs/index.ts';

/** Sources of the metrics of a process. */
interface Measured {
  jobs: Jobs;
  /** Bytes of the disk of the data folder: free ones and all; `undefined` where the system does not report them. */
  disk: () => Promise<{ freeBytes: number; bytes: number } | undefined>;
  /** Time of the last complete backup, epoch milliseconds; `undefined` before the first. */
  lastBackup: () => Promise<number | undefined>;
}

/** Counts and timings for Prometheus. Labels hold routes, kinds and codes, never names, ids or addresses. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Histogram;

  constructor({ jobs, disk, lastBackup }: Measured) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Histogram({
      name: 'ploidy_http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    });
    new Gauge({
      name: 'ploidy_build_info',
      help: 'Always 1; its labels are the version that runs, its commit and the time at which it was packed',
      labelNames: ['version', 'commit', 'built_at'],
      registers,
    }).set(
      { version: build.version, commit: build.commit ?? 'unknown', built_at: build.builtAt ?? 'unknown' },
      1,
    );
    countWaiting(jobs, this.registry);
    jobs.onEnd(countEnds(this.registry));
    new Gauge({
      name: 'ploidy_disk_bytes',
      help: 'Bytes of the disk of the data folder, `free` and `all`',
      labelNames: ['part'],
      registers,
      async collect() {
        this.reset();
        const found = await disk();
        if (!found) return;
        this.set({ part: 'free' }, found.freeBytes);
        this.set({ part: 'all' }, found.bytes);
      },
    });
    const backup = new Gauge({
      name: 'ploidy_last_backup_timestamp_seconds',
      help: 'Time of the last complete backup; 0 before the first',
      registers,
      async collect() {
        // While the records are away the last known time stays: an outage makes no backup old.
        const found = await lastBackup().catch(() => Number.NaN);
        if (!Number.isNaN(found)) this.set((found ?? 0) / 1000);
      },
    });
    // A gauge begins with 0, which would say that there is no backup.
    backup.remove();
  }

  answered(method: string, route: string | undefined, status: number, durationMs: number): void {
    this.#requests.observe({ method, route: route ?? 'none', status }, durationMs / 1000);
  }

  async text(): Promise<{ contentType: string; body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}

/** Counts jobs of all processes by kind and state, and the longest wait of each kind. */
function countWaiting(jobs: Jobs, registry: Registry): void {
  const registers = [registry];
  let asked: ReturnType<Jobs['stats']> | undefined;
  // Both gauges are of one answer. `/readyz` reports unavailable records; the other metrics matter the more then.
  const stats = (): ReturnType<Jobs['stats']> => {
    asked ??= jobs
      .stats()
      .catch(() => [])
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  new Gauge({
    name: 'ploidy_jobs',
    help: 'Jobs by kind and state',
    labelNames: ['kind', 'state'],
    registers,
    async collect() {
      this.reset();
      for (const { kind, state, count } of await stats()) this.set({ kind, state }, count);
    },
  });
  new Gauge({
    name: 'ploidy_job_queue_age_seconds',
    help: 'Time that the oldest job which may start has waited, by kind',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset();
      for (const { kind, state, dueSince } of await stats())
        if (state === 'queued' && dueSince)
          this.set({ kind }, Math.max(0, Date.now() - Number(dueSince)) / 1000);
    },
  });
}

/** Counts the runs that end in this process: outcomes, durations, rows, bytes and codes of failures. */
function countEnds(registry: Registry): (end: JobEnd) => void {
  const registers = [registry];
  const durations = new Histogram({
    name: 'ploidy_job_duration_seconds',
    help: 'Time of a run of a job, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400],
    registers,
  });
  const failures = new Counter({
    name: 'ploidy_job_failures_total',
    help: 'Runs that failed, by kind and code; WORKER_LOST: a process of the engine ended',
    labelNames: ['kind', 'code'],
    registers,
  });
  const rows = new Counter({
    name: 'ploidy_job_rows_total',
    help: 'Rows that jobs read or made, by kind',
    labelNames: ['kind'],
    registers,
  });
  const bytes = new Counter({
    name: 'ploidy_job_bytes_total',
    help: 'Bytes of files that jobs read or made, by kind',
    labelNames: ['kind'],
    registers,
  });
  return ({ job: { kind }, outcome, durationMs, figures, reason }) => {
    if (durationMs !== undefined) durations.observe({ kind, outcome }, durationMs / 1000);
    if (reason !== undefined) failures.inc({ kind, code: reason });
    if (figures.rows !== undefined) rows.inc({ kind }, figures.rows);
    if (figures.bytes !== undefined) bytes.inc({ kind }, figures.bytes);
  };
}
