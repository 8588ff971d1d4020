import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ProbeAnswer, ProbeSettings, Question, ToThread } from './probe-messages.ts';

/**
 * Answers probes in a thread of its own: a flood of connections, or a long turn of the event loop, delays the main thread and
 * not this one. Facts of the main thread are requested from it; while it is busy, its last answer is returned with its age.
 */

/** Time for an answer of the main thread where there is an older one, and where there is none. */
const answerMs = 1_000;
const firstAnswerMs = 5_000;
/** Probes and scrapers need few connections. */
const connectionsMax = 200;

const { host, port, version, silenceMaxMs, heartbeat } = workerData as ProbeSettings;
const waiting = new Map<number, (answer: ProbeAnswer) => void>();
const known = new Map<Question, { answer: ProbeAnswer; at: number }>();
const running = new Map<Question, Promise<ProbeAnswer>>();
let asked = 0;

const post = (message: FromThread): void => parentPort?.postMessage(message);

function silenceMs(): number {
  return Number(process.hrtime.bigint() - Atomics.load(heartbeat, 0)) / 1e6;
}

/** Asks the main thread; callers at the same time share its answer. */
function ask(question: Question): Promise<ProbeAnswer> {
  const present = running.get(question);
  if (present) return present;
  const { promise, resolve } = Promise.withResolvers<ProbeAnswer>();
  asked += 1;
  waiting.set(asked, resolve);
  running.set(question, promise);
  post({ kind: 'question', id: asked, question });
  void promise.then((answer) => {
    known.set(question, { answer, at: performance.now() });
    running.delete(question);
  });
  return promise;
}

/** Returns the answer of the main thread, or its last one with the seconds since then; `undefined` without any. */
async function answerTo(question: Question): Promise<{ answer: ProbeAnswer; ageS: number } | undefined> {
  const last = known.get(question);
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, last ? answerMs : firstAnswerMs, undefined);
  const answer = await Promise.race([ask(question), late]);
  clearTimeout(timer);
  if (answer) return { answer, ageS: 0 };
  return last && { answer: last.answer, ageS: Math.ceil((performance.now() - last.at) / 1000) };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

async function answerReady(response: ServerResponse): Promise<void> {
  const found = await answerTo('/readyz');
  if (found === undefined || found.ageS * 1000 > silenceMaxMs)
    return sendJson(response, 503, { error: 'The main thread does not answer.', code: 'NOT_READY' });
  sendAnswer(response, found);
}

function sendAnswer(response: ServerResponse, { answer, ageS }: { answer: ProbeAnswer; ageS: number }): void {
  response.writeHead(answer.status, { 'content-type': answer.contentType, age: String(ageS) });
  response.end(answer.body);
}

async function answerMetrics(response: ServerResponse): Promise<void> {
  const found = await answerTo('/metrics');
  // A failure is no text of metrics: scrapers report the target as down.
  if (found && found.answer.status !== 200) return sendAnswer(response, found);
  const lines = [
    '# HELP ploidy_main_thread_silence_seconds Time since the main thread ended a turn of its event loop',
    '# TYPE ploidy_main_thread_silence_seconds gauge',
    `ploidy_main_thread_silence_seconds ${(silenceMs() / 1000).toFixed(3)}`,
    '# HELP ploidy_metrics_age_seconds Age of the other metrics, which the main thread counts',
    '# TYPE ploidy_metrics_age_seconds gauge',
    `ploidy_metrics_age_seconds ${found?.ageS ?? 'NaN'}`,
  ];
  response.writeHead(200, { 'content-type': found?.answer.contentType ?? 'text/plain' });
  response.end(`${found?.answer.body ?? ''}${lines.join('\n')}\n`);
}

const server = createServer({ keepAlive: false }, (request, response) => {
  const path = request.url?.split('?', 1)[0];
  response.setHeader('connection', 'close').setHeader('cache-control', 'no-store');
  if (path === '/healthz') {
    const isAlive = silenceMs() <= silenceMaxMs;
    sendJson(response, isAlive ? 200 : 503, { status: isAlive ? 'ok' : 'silent', version });
  } else if (path === '/readyz') void answerReady(response);
  else if (path === '/metrics') void answerMetrics(response);
  else sendJson(response, 404, { error: 'There is nothing here.', code: 'NOT_FOUND' });
});
server.maxConnections = connectionsMax;
server.headersTimeout = 5_000;
server.requestTimeout = 5_000;
server.once('error', (error: NodeJS.ErrnoException) =>
  post({ kind: 'failed', code: error.code ?? '', message: error.message }),
);
server.listen({ host, port }, () =>
  post({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);
parentPort?.on('message', ({ id, answer }: ToThread) => {
  waiting.get(id)?.(answer);
  waiting.delete(id);
});
