import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { InputError } from '@ploidy/formats/input-error';
import type { Answer, Failure, Order, Work, WorkAddress } from './threads.ts';

/** Thread of the conversions of a process: it runs one task after the other, for one conversion at a time. */
let opened: Promise<Work<unknown>> | undefined;

async function open({ module, name, known }: WorkAddress): Promise<Work<unknown>> {
  const exported: Record<string, unknown> = await import(module);
  // The process is killed instead of exiting; the next one finds the compiled code.
  flushCompileCache();
  return (exported[name] as (known: unknown) => Work<unknown>)(known);
}

async function follow(order: Order): Promise<void> {
  if (order.kind === 'open') {
    opened = open(order.address);
    // The first task reports the error.
    opened.catch(() => undefined);
  } else if (order.kind === 'close') opened = undefined;
  else {
    const { number, task } = order;
    try {
      if (!opened) throw new Error('A task arrived for a conversion that has not begun');
      const { outcome, moved } = (await opened)(task);
      answer({ number, outcome }, moved);
    } catch (error) {
      answer({ number, failure: failureOf(error) }, []);
    }
  }
}

function answer(content: Answer, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(content, moved);
}

function failureOf(error: unknown): Failure {
  if (error instanceof InputError)
    return { message: error.message, line: error.line, column: error.column, isInput: true };
  return { message: error instanceof Error ? error.message : String(error), isInput: false };
}

parentPort?.on('message', follow);
