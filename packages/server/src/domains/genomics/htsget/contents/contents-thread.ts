import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import type { Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';
import { chunksOf, UnknownName } from './chunks.ts';
import { Contents, RefusedFile } from './contents.ts';
import type { FromThread, Outcome, Question, ToThread } from './messages.ts';

/** Reads headers and indexes in a thread: their files decide the number of their names. The main thread sends the bytes. */

/** Bytes of a read. */
const readBytes = 2 ** 20;

/** Signals that a read of the main thread failed: the reason is there. */
class FailedRead extends Error {
  readonly read: number;
  constructor(read: number) {
    super('A read failed.');
    this.read = read;
  }
}

const reads = new Map<number, (bytes: Uint8Array | undefined) => void>();
const aborts = new Map<number, AbortController>();
let readsMade = 0;
const post = (message: FromThread): void => parentPort?.postMessage(message);

async function read(key: string, range: ByteRange): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
  readsMade += 1;
  const id = readsMade;
  reads.set(id, resolve);
  post({ kind: 'read', id, key, range });
  const bytes = await promise;
  if (!bytes) throw new FailedRead(id);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function* readInParts(key: string, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += readBytes)
    yield await read(key, { start: at, end: Math.min(end, at + readBytes) });
}

const blobs: Pick<Blobs, 'open'> = {
  open: async (key, range = { start: 0, end: 0 }) => Readable.from(readInParts(key, range)),
};
const contents = new Contents(blobs, workerData as number);

async function outcomeOf(question: Question, signal: AbortSignal): Promise<Outcome> {
  try {
    if (question.kind === 'chunks') return { chunks: await chunksOf(contents, question.of, signal) };
    const { format, inline, end, contentEnd } = await contents.header(question.of);
    return { header: { format, inline, end, contentEnd } };
  } catch (error) {
    if (error instanceof RefusedFile) return { refused: error.message };
    if (error instanceof UnknownName) return { isNameUnknown: true };
    if (error instanceof FailedRead) return { failedRead: error.read };
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function answer(id: number, question: Question): Promise<void> {
  const controller = new AbortController();
  aborts.set(id, controller);
  const outcome = await outcomeOf(question, controller.signal);
  aborts.delete(id);
  post({ kind: 'outcome', id, outcome });
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'question') void answer(message.id, message.question);
  else if (message.kind === 'abort') aborts.get(message.id)?.abort();
  else {
    reads.get(message.id)?.(message.bytes);
    reads.delete(message.id);
  }
});
