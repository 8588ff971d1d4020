import { type Answer, decodePrint, type Merged, type Print } from './decode.ts';
import { type Ordered, orderOf, type Sorting } from './order.ts';

/** Question to the worker: a new answer of the service, or another order of the last one. */
export interface Question {
  id: number;
  answer?: { oncoprint: Answer; merged: readonly Merged[] };
  sorting: Sorting;
}

/** Reply of the worker; with the print, if the question had a new answer. */
export interface Reply {
  id: number;
  print?: Print;
  ordered: Ordered;
}

let print: Print | undefined;

addEventListener('message', ({ data: { id, answer, sorting } }: MessageEvent<Question>) => {
  if (answer) print = decodePrint(answer.oncoprint, answer.merged);
  if (!print) return;
  const reply: Reply = { id, ordered: orderOf(print, sorting), ...(answer && { print }) };
  postMessage(reply);
});
