import { Problem } from '../problem.ts';
import { Answer, type Route, route } from '../route.ts';
import { Type } from '../schema.ts';
import type { Metrics } from './metrics.ts';

/** The parts of the service that /readyz asks. */
export type ReadinessChecks = Record<string, () => Promise<void>>;

const readyTimeoutMs = 5_000;

/** For those who run the service: is it alive, is it ready, what does it count. */
export function serviceRoutes(checks: ReadinessChecks, metrics: Metrics): Route[] {
  const look = shared(async () => {
    await Promise.all(Object.entries(checks).map(([part, check]) => answersInTime(part, check)));
  });
  return [
    route({
      method: 'GET',
      path: '/healthz',
      operation: 'service.health',
      neverTurnedAway: true,
      tag: 'Service',
      summary: 'Whether the process lives',
      answers: { 200: { schema: Type.Object({ status: Type.Literal('ok') }), description: 'It does' } },
      handle: async () => ({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      operation: 'service.ready',
      neverTurnedAway: true,
      tag: 'Service',
      summary: 'Whether records, blobs and engine answer',
      answers: {
        200: { schema: Type.Object({ status: Type.Literal('ready') }), description: 'All answer' },
      },
      handle: async () => {
        await look();
        return { status: 'ready' };
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      operation: 'service.metrics',
      neverTurnedAway: true,
      tag: 'Service',
      summary: 'Counts and timings for Prometheus',
      answers: { 200: { schema: Type.String(), description: 'Prometheus text', contentType: 'text/plain' } },
      handle: async () => {
        const { contentType, body } = await metrics.text();
        return new Answer(200, body, { 'content-type': contentType });
      },
    }),
  ];
}

/**
 * One look at a time, which all share who ask while it runs. It writes into the records and the store, may start a process, and needs no
 * key: many at once would cost what is to be served, above all where a part hangs.
 */
function shared(look: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function answersInTime(part: string, check: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${readyTimeoutMs} ms`)), readyTimeoutMs);
  });
  try {
    await Promise.race([check(), late]);
  } catch (cause) {
    throw new Problem(503, 'NOT_READY', `The service is not ready: ${part} does not answer.`, {
      cause,
      retryAfterS: 5,
    });
  } finally {
    clearTimeout(timer);
  }
}
