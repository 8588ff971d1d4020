import { rm } from 'node:fs/promises';
import type {
  AnswerTask,
  ConversionOutcome,
  ConversionProgress,
  Engine,
  LookedUp,
  QueryOutcome,
  QueryProgress,
  WriteTask,
} from './engine.ts';
import { Guard } from './guard/guard.ts';
import type { WorkerScript } from './limited-process.ts';
import type { ConversionOrder } from './messages.ts';
import { WorkerPool } from './pool.ts';
import type { RewriteOutcome } from './rewrite-task.ts';
import { type EngineLog, openScratch } from './scratch.ts';
import type { DuckdbEngineSettings, WorkerLimits } from './settings.ts';
import { WorkerProcess } from './worker-process.ts';

export { type Edit, type Token, tokensOf } from '@ploidy/formats/statement-text';
export {
  type RemotePages,
  type RemoteStatement,
  runRemotely,
  type TrinoAddress,
  TrinoRefused,
} from './cluster/client.ts';
export { rowsOfPages } from './cluster/pages.ts';
export type * from './conversion.ts';
export * from './engine.ts';
export { TooManyWaiting } from './fair-turns.ts';
export { placeOf } from './guard/guard.ts';
export { edited, type Respelled } from './guard/spelling/respell.ts';
export { isNoDisk } from './limit-errors.ts';
export type * from './rewrite-task.ts';
export {
  type ConverterAddress,
  type Converters,
  type DuckdbEngineSettings,
  engineDefaults,
} from './settings.ts';
export type * from './table-conditions.ts';
export { type TimestampForm, timestampForms } from './task-runtime/csv.ts';
export { identifier, literal } from './task-runtime/quote.ts';
export type { Segment } from './task-runtime/segments.ts';
export { noRows, schemaOption } from './task-runtime/stored-columns.ts';

const mebibyte = 1024 ** 2;

/** Conversions of rows of the lake, which give way to everything else. */
const fillingTypes: ReadonlySet<string> = new Set(['annotated', 'derived']);

/**
 * DuckDB in processes of their own. Rejects when its processes cannot be started.
 *
 * A query that fails leaves no file at its `outputPath`, and a conversion no `outputFolder`. An abort rejects at once and
 * this is so a moment later, when the process is gone; so each run needs a path of its own.
 */
export async function duckdbEngine(settings: DuckdbEngineSettings, log: EngineLog): Promise<Engine> {
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
  const lookUps = new WorkerPool(starter('look-up', settings.lookUp), settings.lookUp);
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
    const pools = [queries, conversions, fillings, answers, lookUps, rewrites];
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

  const answer = (task: AnswerTask | WriteTask, signal: AbortSignal, caller?: string): Promise<unknown> => {
    const outputPath = 'outputPath' in task ? task.outputPath : undefined;
    const output = outputPath === undefined ? {} : { outputPath };
    const run = (worker: WorkerProcess) => worker.run({ task, limits: settings.answer, ...output, signal });
    const cleanUp = async () => outputPath && rm(outputPath, { force: true });
    return answers.use(signal, run, async () => void (await cleanUp()), caller);
  };

  return {
    check: (sql, tableNames, countsMin, caller) => guard.check(sql, tableNames, countsMin, caller),
    bind: (sql, checked, tables, caller) => guard.bind(sql, checked, tables, caller),
    prove: (sql, checked, tables, caller) => guard.prove(sql, checked, tables, caller),
    translate: (task, caller) => guard.translate(task, caller),
    query: async (task, signal, onProgress) => {
      const { outputPath } = task;
      const { runTimeMaxMs: limitMs, outputMaxBytes: limitBytes } = settings.query;
      const runTimeMaxMs = Math.min(task.runTimeMaxMs ?? limitMs, limitMs);
      const outputMaxBytes = Math.min(task.outputMaxBytes ?? limitBytes, limitBytes);
      const run = (worker: WorkerProcess) =>
        worker.run({
          task,
          limits: { ...settings.query, runTimeMaxMs, outputMaxBytes },
          outputPath,
          signal,
          onProgress: (progress) => onProgress?.(progress as QueryProgress),
        });
      const cleanUp = () => rm(outputPath, { force: true });
      return (await queries.use(signal, run, cleanUp, task.caller)) as QueryOutcome;
    },
    answer: async (task, signal, caller) =>
      ((await answer(task, signal, caller)) as { rows: Record<string, unknown>[] }).rows,
    lookUp: async (task, signal, caller) => {
      const run = (worker: WorkerProcess) => worker.run({ task, limits: settings.lookUp, signal });
      return (await lookUps.use(signal, run, async () => undefined, caller)) as LookedUp;
    },
    write: async (task, signal, caller) => (await answer(task, signal, caller)) as RewriteOutcome,
    convert: async (task, signal, onProgress) => {
      const { outputFolder } = task;
      const [pool, limits] = fillingTypes.has(task.type)
        ? [fillings, settings.filling]
        : [conversions, settings.conversion];
      const converter = settings.converters[task.type];
      if (!converter) throw new Error(`The engine has no converter of ${task.type}.`);
      const order: ConversionOrder = { task, converter };
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
