import { parentPort } from 'node:worker_threads';
import { InputError, TooLargeError } from '@ploidy/formats/fhir-documents';
import { Page } from './page.ts';
import type { PageAnswer, PageOrder } from './read-page.ts';

/** Parses in a thread: a large page would block the event loop and all requests. */
let page = new Page();

function follow(order: PageOrder): PageAnswer | undefined {
  if (order.kind === 'end') return { content: page.end() };
  if (order.kind === 'chunk') return { lines: new TextEncoder().encode(page.push(order.bytes)) };
  page = new Page();
  return undefined;
}

function failureOf(error: unknown): PageAnswer {
  if (error instanceof TooLargeError) return { failure: 'tooLarge' };
  if (error instanceof InputError || error instanceof SyntaxError || error instanceof TypeError)
    return { failure: 'broken' };
  throw error;
}

function answered(order: PageOrder): PageAnswer | undefined {
  try {
    return follow(order);
  } catch (error) {
    return failureOf(error);
  }
}

parentPort?.on('message', (order: PageOrder) => {
  const answer = answered(order);
  if (answer) parentPort?.postMessage(answer, 'lines' in answer ? [answer.lines.buffer] : []);
});
