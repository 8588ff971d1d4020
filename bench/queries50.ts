import { setTimeout as delay } from 'node:timers/promises';
import { median, query } from './lake.ts';
import { type Service, startService } from './service.ts';

const projectCount = 5;
/** One project has most of them: it must not keep the others waiting. */
const queriesOf = [46, 1, 1, 1, 1];
const statement = 'SELECT count(*) AS n FROM range(60000000) t(i) WHERE i % 7 = 3';

/** Fifty queries at once from five projects, and what a small read takes meanwhile. */
export async function bench(): Promise<void> {
  const service = await startService();
  try {
    const projects: string[] = [];
    for (let number = 0; number < projectCount; number += 1)
      projects.push((await service.call<{ id: string }>('POST', '/v1/projects', { name: `P${number}` })).id);
    await fifty(service, projects);
  } finally {
    await service.stop();
  }
}

async function fifty(service: Service, projects: string[]): Promise<void> {
  const reads: number[] = [];
  const done = new AbortController();
  const reading = readAgain(service, `/v1/projects/${projects[0]}`, reads, done.signal);
  const ended: { project: number; ms: number }[] = [];
  const from = performance.now();
  const running = projects.flatMap((project, index) =>
    Array.from({ length: queriesOf[index] ?? 0 }, async () => {
      const { rows } = await query(service, project, statement);
      if (rows !== 1) throw new Error(`expected 1 row, got ${rows}`);
      ended.push({ project: index, ms: performance.now() - from });
    }),
  );
  await Promise.all(running);
  const total = performance.now() - from;
  done.abort();
  await reading;
  const single = ended.filter(({ project }) => project > 0).map(({ ms }) => ms);
  const place = Math.max(...single.map((ms) => ended.filter((one) => one.ms <= ms).length));
  process.stdout.write(
    `50 queries: ${total.toFixed(0)} ms · those of the four small projects had ended after ${place} of 50 (wanted ≤ 12) · ` +
      `GET /v1/projects/{id} meanwhile: ${reads.length} reads, median ${median(reads).toFixed(1)} ms, p99 ${quantile(reads, 0.99).toFixed(1)} ms\n`,
  );
}

async function readAgain(service: Service, url: string, times: number[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const from = performance.now();
    await service.call('GET', url);
    times.push(performance.now() - from);
    await delay(5);
  }
}

const quantile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
