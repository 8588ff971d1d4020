import { ClientError, errorFrom, unreachable } from './client-error.ts';
import { Backoff, pause } from './retry.ts';

/** A block of an htsget ticket: an address, and headers that its request needs. */
interface Block {
  url: string;
  headers?: object | undefined;
}

/**
 * Yields the bytes of the blocks of an htsget ticket, which together are one file. A block whose connection breaks is asked for
 * again, and what was read of it is left out: blocks of one ticket do not change.
 */
export async function* bytesOfBlocks(
  blocks: readonly Block[],
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const block of blocks) yield* bytesOfBlock(block, signal);
}

async function* bytesOfBlock(block: Block, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const backoff = new Backoff();
  for (let read = 0; ; ) {
    let at = 0;
    try {
      for await (const chunk of chunksOf(block, signal)) {
        const fresh = chunk.subarray(Math.max(0, read - at));
        at += chunk.length;
        if (fresh.length === 0) continue;
        read = at;
        backoff.renew();
        yield fresh;
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ClientError)) throw error;
      await pause(backoff.pauseAfter(error), signal);
    }
  }
}

/** Makes one attempt. Failures of the connection are a `ClientError`; those of the reader do not pass through here. */
async function* chunksOf(
  { url, headers }: Block,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const origin = url.startsWith('data:') ? 'data:' : new URL(url).origin;
  const lost = (cause: unknown): never => {
    throw unreachable(origin, cause);
  };
  const response = await fetch(url, { headers: { ...headers }, ...(signal && { signal }) }).catch(lost);
  if (!response.ok) throw await errorFrom(response).catch(lost);
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read().catch(lost)) ?? { done: true, value: undefined };
      if (done || value === undefined) return;
      yield value;
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}
