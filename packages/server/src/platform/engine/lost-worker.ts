import { Problem } from '../../problem.ts';
import { EngineError } from './engine.ts';

/** What a request is told when the process that worked on it was lost; nothing of any other error. */
export function lostWorker(error: unknown): Problem | undefined {
  if (!(error instanceof EngineError) || error.code !== 'WORKER_LOST') return undefined;
  return new Problem(503, 'ENGINE_UNAVAILABLE', error.message, { cause: error, retryAfterS: 5 });
}
