import { createHash } from 'node:crypto';
import {
  type Engine,
  EngineError,
  EngineUnavailable,
  isNoDisk,
  StatementRefused,
  TooManyWaiting,
} from '@ploidy/engine';
import { Problem, storageFull } from '../../base/problem.ts';
import { traced } from '../../platform/log/traced.ts';
import type { PlatformLog } from '../../platform/records/log.ts';

/** Problem 503 for a request whose worker process was lost, or for which no disk space was left; undefined for any other error. */
export function temporaryProblem(error: unknown): Problem | undefined {
  if (!(error instanceof EngineError)) return undefined;
  if (isNoDisk(error)) return storageFull(error);
  return error.code === 'WORKER_LOST' ? unavailable(error) : undefined;
}

/**
 * Maps refusals of the engine to Problems: 400 `INVALID_QUERY` (path `body/query`), 503 `ENGINE_UNAVAILABLE`.
 */
export function withProblems(engine: Engine): Engine {
  return {
    ...engine,
    check: (...input) => engine.check(...input).catch(throwProblem),
    bind: (...input) => engine.bind(...input).catch(throwProblem),
    prove: (...input) => engine.prove(...input).catch(throwProblem),
    translate: (...input) => engine.translate(...input).catch(throwProblem),
  };
}

function throwProblem(error: unknown): never {
  if (error instanceof StatementRefused) {
    const details = [{ path: 'body/query', message: error.reason }];
    throw new Problem(400, 'INVALID_QUERY', error.message, { details, cause: error });
  }
  if (error instanceof TooManyWaiting)
    throw new Problem(429, 'TOO_MANY_REQUESTS', error.message, { cause: error, retryAfterS: 2 });
  throw error instanceof EngineUnavailable ? unavailable(error) : error;
}

function unavailable(error: Error): Problem {
  return new Problem(503, 'ENGINE_UNAVAILABLE', error.message, { cause: error, retryAfterS: 5 });
}

/**
 * Traces statements and conversions, and logs statements that run for longer than the limit: the digest of the text (`queries show` has it), format, rows and time. No
 * text, as it holds values.
 */
export function loggingSlow(
  engine: Engine,
  { slowQueryMs, log }: { slowQueryMs: number; log: PlatformLog },
): Engine {
  return {
    ...engine,
    convert: (task, ...more) =>
      traced('engine.convert', { 'ploidy.format': task.type }, () => engine.convert(task, ...more)),
    query: async (task, ...more) => {
      const startedAt = performance.now();
      const end = (outcome: { rowCount?: number; failed?: string }): void => {
        const durationMs = Math.round(performance.now() - startedAt);
        if (durationMs < slowQueryMs) return;
        const digest = createHash('sha256').update(task.statement.sql).digest('hex').slice(0, 16);
        const { format = 'csv', caller: userId, statement } = task;
        const tables = statement.tables.length;
        log.warn({ digest, format, userId, tables, durationMs, ...outcome }, 'a statement was slow');
      };
      try {
        const about = { 'ploidy.tables': task.statement.tables.length };
        const outcome = await traced('engine.query', about, () => engine.query(task, ...more));
        end({ rowCount: outcome.rowCount });
        return outcome;
      } catch (error) {
        end({ failed: error instanceof EngineError ? error.code : 'INTERNAL' });
        throw error;
      }
    },
  };
}
