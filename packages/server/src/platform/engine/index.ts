import { rm } from 'node:fs/promises';
import type { PlatformLog } from '../records/log.ts';
import type {
  AnswerTask,
  ConversionOutcome,
  ConversionProgress,
  Engine,
  QueryOutcome,
  QueryProgress,
} from './engine.ts';
import { Guard } from './guard/guard.ts';
import type { ConversionOrder } from './messages.ts';
import { WorkerPool } from './pool.ts';
import { openScratch } from './scratch.ts';
import type { DuckdbEngineSettings, WorkerLimits } from './settings.ts';
import { WorkerProcess, type WorkerScript } from './worker-process.ts';

export type { ConversionTask, Convert, ConvertedTable, Reporter, Sql, Warning } from './conversion.ts';
export * from './engine.ts';
export { type DuckdbEngineSettings, engineDefaults } from './settings.ts';

const mebibyte = 1024 ** 2;

/**
 * DuckDB in processes of their own. Rejects when its processes cannot be started.
 *
 * A query that fails leaves no file at its `outputPath`, and a conversion no `outputFolder`. An abort rejects at once and
 * this is so a moment later, when the process is gone; so each run needs a path of its own.
 */
export async function duckdbEngine(settings: DuckdbEngineSettings, log: PlatformLog): Promise<Engine> {
  const scratchFolder = await openScratch(settings.scratchFolder, log);
  const starter = (script: WorkerScript, limits: WorkerLimits) => () =>
    WorkerProcess.start({
      script,
      scratchFolder,
      memoryMaxBytes: limits.memoryMaxBytes,
      threads: limits.threads,
      temporaryMaxBytes: limits.temporaryMaxBytes,
      dataMaxBytes: limits.residentMaxBytes,
      waits: limits.idleWorkers > 0,
      silenceMaxMs: settings.silenceMaxMs,
    });
  const queries = new WorkerPool(starter('query', settings.query), settings.query);
  const conversions = new WorkerPool(starter('conversion', settings.conversion), settings.conversion);
  // Not opened with the others: the first question starts its process, which then stays.
  const answers = new WorkerPool(starter('answer', settings.answer), settings.answer);
  // Apart from the conversions that people wait for: those have their turn and the processor first.
  const fillings = new WorkerPool(starter('filling', settings.filling), settings.filling);
  const rewrites = new WorkerPool(starter('rewrite', settings.rewrite), settings.rewrite);
  const guard = new Guard(
    () =>
      WorkerProcess.start({
        script: 'guard',
        scratchFolder,
        memoryMaxBytes: 128 * mebibyte,
        threads: 1,
        temporaryMaxBytes: mebibyte,
        dataMaxBytes: settings.check.residentMaxBytes,
        waits: true,
        silenceMaxMs: settings.silenceMaxMs,
      }),
    settings.check,
  );
  const close = async (): Promise<void> => {
    const pools = [queries, conversions, fillings, answers, rewrites];
    await Promise.all([...pools.map((pool) => pool.close()), guard.close()]);
    await rm(scratchFolder, { recursive: true, force: true });
  };
  const held = settings.query.idleWorkers > 0 ? [guard, queries, conversions] : [];
  const opened = await Promise.allSettled(held.map((processes) => processes.open()));
  const failure = opened.find((result) => result.status === 'rejected');
  if (failure) {
    await close();
    throw failure.reason;
  }

  const answer = (task: AnswerTask, signal: AbortSignal): Promise<unknown> => {
    const { outputPath } = task;
    const output = outputPath === undefined ? {} : { outputPath };
    const run = (worker: WorkerProcess) => worker.run({ task, limits: settings.answer, ...output, signal });
    const cleanUp = async () => outputPath && rm(outputPath, { force: true });
    return answers.use(signal, run, async () => void (await cleanUp()));
  };

  return {
    check: (sql, tableNames, countsMin) => guard.check(sql, tableNames, countsMin),
    bind: (sql, checked, tables) => guard.bind(sql, checked, tables),
    prove: (sql, checked, tables) => guard.prove(sql, checked, tables),
    query: async (task, signal, onProgress, mayBegin) => {
      const { outputPath } = task;
      const { runTimeMaxMs: mostMs } = settings.query;
      const runTimeMaxMs = Math.min(task.runTimeMaxMs ?? mostMs, mostMs);
      const run = (worker: WorkerProcess) =>
        worker.run({
          task,
          limits: { ...settings.query, runTimeMaxMs },
          outputPath,
          signal,
          onProgress: (progress) => onProgress?.(progress as QueryProgress),
          ...(mayBegin && { mayBegin }),
        });
      const outcome = await queries.use(signal, run, () => rm(outputPath, { force: true }));
      return outcome as QueryOutcome;
    },
    hasSpareWorker: () => queries.hasSpare,
    answer: async (task, signal) =>
      ((await answer(task, signal)) as { rows: Record<string, unknown>[] }).rows,
    write: async (task, signal) => (await answer(task, signal)) as QueryOutcome,
    convert: async (task, signal, onProgress) => {
      const { outputFolder } = task;
      const [pool, limits] =
        task.type === 'annotated' ? [fillings, settings.filling] : [conversions, settings.conversion];
      const order: ConversionOrder = { task, converter: settings.converters?.[task.type] };
      const run = (worker: WorkerProcess) =>
        worker.run({
          task: order,
          limits,
          outputPath: outputFolder,
          signal,
          onProgress: (progress) => onProgress?.(progress as ConversionProgress),
        });
      const cleanUp = () => rm(outputFolder, { recursive: true, force: true });
      return (await pool.use(signal, run, cleanUp)) as ConversionOutcome;
    },
    rewrite: async (task, signal) => {
      const { outputFolder } = task;
      const run = (worker: WorkerProcess) =>
        worker.run({ task, limits: settings.rewrite, outputPath: outputFolder, signal });
      const cleanUp = () => rm(outputFolder, { recursive: true, force: true });
      return (await rewrites.use(signal, run, cleanUp)) as QueryOutcome[];
    },
    ready: () => queries.ping(),
    close,
  };
}
