import type { IncomingMessage } from 'node:http';
import { http } from '../node-http.ts';

let ended: (() => void)[] = [];

/**
 * Answers are written when the turn of the event loop in which they ended is over, one after the other: to wake whoever waits for
 * an answer at the other end of a connection costs the system more than to write it, and who is awake is woken no more
 * (docs/adr/0013).
 */
export class WrittenTogether<
  Asked extends IncomingMessage = IncomingMessage,
> extends http.ServerResponse<Asked> {
  /** In place of the one that would say so only at the end of the turn. */
  override writableEnded = false;

  override end(...words: unknown[]): this {
    this.writableEnded = true;
    if (ended.length === 0) setImmediate(writeAll);
    ended.push(() => this.#write(words));
    return this;
  }

  /** What cannot be written must not keep those behind it from being written. */
  #write(words: unknown[]): void {
    try {
      super.end(...(words as []));
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}

function writeAll(): void {
  const answers = ended;
  ended = [];
  for (const write of answers) write();
}
