import type { Server } from 'node:http';
import { RequestBoundaries } from './request-boundaries.ts';

/**
 * The method under which a request with the literal method `UPDATE` arrives: routes are registered with it, and what people
 * read (errors, `Allow`, the OpenAPI document) says UPDATE.
 */
export const updateMethod = 'UNBIND';

const methodOnTheWire = 'UPDATE';
/** In no method's name, so that the parser refuses a method that holds it. */
const invalid = '!'.charCodeAt(0);

/**
 * Lets a server take requests with the method `UPDATE`, which the specification has for `/ehrs/{ehrId}` and Node's parser
 * does not know. Before the parser sees a packet, `UPDATE` at the beginning of a request is overwritten in place with
 * `UNBIND`, which the parser knows, which is as long, and which nobody uses; a real `UNBIND` is made invalid (400).
 * To be called before the server listens.
 */
export function acceptUpdateMethod(server: Server): void {
  server.on('connection', (socket) => {
    const rewriter = new MethodRewriter();
    const boundaries = new RequestBoundaries({
      methodByte: (chunk, at, index) => rewriter.rewrite(chunk, at, index),
      upgrades: () => server.listenerCount('upgrade') > 0,
    });
    // In front of the parser's own listener. A 'data' listener also keeps Node from parsing beside the stream's events.
    socket.prependListener('data', (packet: Buffer) => boundaries.follow(packet));
  });
}

/** Rewrites a method byte by byte, as packets may end anywhere and what went before is already with the parser. */
class MethodRewriter {
  #reading: 'UPDATE' | 'UNBIND' | 'other' = 'other';

  rewrite(chunk: Buffer, at: number, index: number): void {
    const letter = String.fromCharCode(chunk[at] ?? 0);
    if (index === 0) this.#reading = letter === 'U' ? 'UPDATE' : 'other';
    else if (index === 1 && this.#reading === 'UPDATE' && letter === 'N') this.#reading = 'UNBIND';
    else if (this.#reading === 'UPDATE') this.#rewriteUpdate(chunk, at, index, letter);
    else if (this.#reading === 'UNBIND') {
      // UNB: no other method begins so.
      if (letter === 'B') chunk[at] = invalid;
      this.#reading = 'other';
    }
  }

  #rewriteUpdate(chunk: Buffer, at: number, index: number, letter: string): void {
    if (letter === methodOnTheWire[index]) {
      chunk[at] = updateMethod.charCodeAt(index);
      return;
    }
    // UPLOCK must not become UNLOCK, nor UPDATEX something else.
    if (index > 1) chunk[at] = invalid;
    this.#reading = 'other';
  }
}
