import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { MappedByThread, OrderToThread } from './mapping-threads.ts';
import { Stretch } from './stretch.ts';
import { StretchMapper } from './stretch-mapper.ts';

/** A thread that maps stretches as they come, unless another one has taken them. */
const mappers = new Map<number, StretchMapper>();

function follow(order: OrderToThread): void {
  if (order.type === 'begin') mappers.set(order.file, new StretchMapper(order.settings));
  else if (order.type === 'end') mappers.delete(order.file);
  else {
    const stretch = new Stretch(order.shared);
    if (!stretch.take(order.number)) return;
    const mapper = mappers.get(order.file);
    if (!mapper) throw new Error('A stretch came of a file that has not begun');
    const mapped = mapper.map(stretch.room.subarray(0, order.byteCount), order.smallGroupsLeft);
    const answer: MappedByThread = { number: order.number, mapped };
    parentPort?.postMessage(
      answer,
      mapped.groups.map(({ bytes }) => bytes.buffer as ArrayBuffer),
    );
  }
}

parentPort?.on('message', follow);
// The process is going to be killed, not to exit; the next one shall find the compiled code.
flushCompileCache();
