import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { build } from '../base/version.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';

/** Counts and timings for Prometheus. Labels hold routes and kinds, never names, ids or addresses. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Histogram;

  constructor(jobs: Jobs) {
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
    new Gauge({
      name: 'ploidy_jobs',
      help: 'Jobs by kind and state',
      labelNames: ['kind', 'state'],
      registers,
      async collect() {
        this.reset();
        // `/readyz` reports unavailable records; the other metrics matter the more then.
        const stats = await jobs.stats().catch(() => []);
        for (const { kind, state, count } of stats) this.set({ kind, state }, count);
      },
    });
  }

  answered(method: string, route: string | undefined, status: number, durationMs: number): void {
    this.#requests.observe({ method, route: route ?? 'none', status }, durationMs / 1000);
  }

  async text(): Promise<{ contentType: string; body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}
