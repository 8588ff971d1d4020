import { setTimeout as delay } from 'node:timers/promises';
import { median, query } from './lake.ts';
import { type Service, startService } from './service.ts';

const projectCount = 5;
/** One project has most of them: it must not keep the others waiting. */
const queriesOf = [46, 1, 1, 1, 1];
const numbers = 20_000_000;
const statement = `SELECT count(*) AS n FROM range(${numbers}) t(i) WHERE i % 7 = 3`;
const answer = `n\n${Math.floor((numbers - 1 - 3) / 7) + 1}\n`;
/** Milliseconds of the baseline measurement on an idle service. */
const restMs = 3000;
/** Polling interval of the fifty clients in milliseconds. */
const pollMs = 500;

/** Fifty queries at once from five projects, and the duration of a small read meanwhile. */
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
  const path = `/v1/projects/${projects[0]}`;
  const before = await readsUntil(service, path, delay(restMs));
  const work = Promise.withResolvers<void>();
  const reading = readsUntil(service, path, work.promise);
  const ended: { project: number; ms: number }[] = [];
  const from = performance.now();
  const running = projects.flatMap((project, index) =>
    Array.from({ length: queriesOf[index] ?? 0 }, async () => {
      const { id } = await eventually(() => query(service, project, statement, pollMs));
      const made = await fetch(`${service.address}/v1/files/${id}`, { headers: service.headers });
      const text = await made.text();
      if (text !== answer) throw new Error(`expected ${answer}, got ${text}`);
      ended.push({ project: index, ms: performance.now() - from });
    }),
  );
  await Promise.all(running);
  const total = performance.now() - from;
  work.resolve();
  const during = await reading;
  const single = ended.filter(({ project }) => project > 0).map(({ ms }) => ms);
  const place = Math.max(...single.map((ms) => ended.filter((one) => one.ms <= ms).length));
  const shown = (reads: number[]): string =>
    `${reads.length} reads, median ${median(reads).toFixed(1)} ms, p99 ${quantile(reads, 0.99).toFixed(1)} ms`;
  process.stdout.write(
    `50 queries: ${total.toFixed(0)} ms · those of the four small projects had ended after ${place} of 50 (wanted ≤ 12) · ` +
      `GET /v1/projects/{id} meanwhile: ${shown(during)} (wanted < 50); before: ${shown(before)}\n`,
  );
}

/** Repeats what is refused while too many statements of the caller wait (429). */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes(': 429 '))) throw error;
      await delay(pollMs / 10);
    }
  }
}

/** Durations of sequential reads in milliseconds. */
async function readsUntil(service: Service, url: string, end: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let ended = false;
  void end.finally(() => {
    ended = true;
  });
  while (!ended) {
    const from = performance.now();
    await service.call('GET', url);
    times.push(performance.now() - from);
    await delay(5);
  }
  return times;
}

const quantile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
