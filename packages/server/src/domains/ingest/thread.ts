import { parentPort, workerData } from 'node:worker_threads';
import { InputError } from '@ploidy/formats';
import type { Answer, Failure, Work, WorkAddress } from './threads.ts';

/** A thread of a conversion: it does one task after the other. */
const { module, name, known } = workerData as WorkAddress;
const exported: Record<string, unknown> = await import(module);
const open = exported[name] as (known: unknown) => Work<unknown>;
const work = open(known);

parentPort?.on('message', ({ number, task }: { number: number; task: unknown }) => {
  try {
    const { outcome, moved } = work(task);
    answer({ number, outcome }, moved);
  } catch (error) {
    answer({ number, failure: failureOf(error) }, []);
  }
});

function answer(content: Answer, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(content, moved);
}

function failureOf(error: unknown): Failure {
  if (error instanceof InputError)
    return { message: error.message, line: error.line, column: error.column, isInput: true };
  return { message: error instanceof Error ? error.message : String(error), isInput: false };
}
