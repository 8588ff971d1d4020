import { Worker } from 'node:worker_threads';
import { Problem } from '../../base/problem.ts';
import { build, version } from '../../base/version.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Metrics } from '../metrics.ts';
import type { FromThread, ProbeAnswer, ProbeSettings, Question, ToThread } from './probe-messages.ts';

const beatEveryMs = 250;
const json = 'application/json; charset=utf-8';

export interface ProbeDeps {
  /** Rejects while the service is not ready. */
  ready: () => Promise<void>;
  metrics: Pick<Metrics, 'text'>;
  log: PlatformLog;
}

/** Listener for probes and metrics in a thread of its own, which watches the main thread by its heartbeat. */
export class Probes {
  readonly #thread: Worker;
  readonly #beating: NodeJS.Timeout;
  readonly port: number;

  private constructor(thread: Worker, beating: NodeJS.Timeout, port: number) {
    this.#thread = thread;
    this.#beating = beating;
    this.port = port;
  }

  /** Rejects with the code of the error when it cannot listen. */
  static async open(
    settings: Pick<ProbeSettings, 'host' | 'port' | 'silenceMaxMs'>,
    deps: ProbeDeps,
  ): Promise<Probes> {
    const heartbeat = new BigInt64Array(new SharedArrayBuffer(8));
    const beat = (): void => void Atomics.store(heartbeat, 0, process.hrtime.bigint());
    beat();
    const beating = setInterval(beat, beatEveryMs).unref();
    const workerData: ProbeSettings = { ...settings, version, heartbeat };
    const thread = new Worker(new URL('./probe-thread.ts', import.meta.url), {
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    const { promise: listening, resolve, reject } = Promise.withResolvers<number>();
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'listening') resolve(message.port);
      else if (message.kind === 'failed')
        reject(Object.assign(new Error(message.message), { code: message.code }));
      else void answerOf(message.question, deps).then((answer) => reply(thread, message.id, answer));
    });
    thread.once('error', (error) => {
      deps.log.error({ err: error }, 'the listener for probes ended');
      reject(error);
    });
    try {
      const port = await listening;
      thread.unref();
      return new Probes(thread, beating, port);
    } catch (error) {
      clearInterval(beating);
      await thread.terminate();
      throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#beating);
    await this.#thread.terminate();
  }
}

function reply(thread: Worker, id: number, answer: ProbeAnswer): void {
  thread.postMessage({ id, answer } satisfies ToThread);
}

async function answerOf(question: Question, { ready, metrics, log }: ProbeDeps): Promise<ProbeAnswer> {
  try {
    if (question === '/metrics') return { status: 200, ...(await metrics.text()) };
    await ready();
    return { status: 200, contentType: json, body: JSON.stringify({ status: 'ready', ...build }) };
  } catch (error) {
    const problem = error instanceof Problem ? error : undefined;
    log.error({ err: problem?.cause ?? error }, 'a probe failed');
    const body = { error: problem?.message ?? 'The probe failed.', code: problem?.code ?? 'INTERNAL' };
    return { status: problem?.status ?? 500, contentType: json, body: JSON.stringify(body) };
  }
}
