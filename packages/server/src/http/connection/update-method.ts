import type { Server } from 'node:http';
import { RequestBoundaries } from './request-boundaries.ts';

/**
 * Method under which a request with the literal method `UPDATE` reaches the router. Errors, `Allow` and the OpenAPI document name
 * UPDATE.
 */
export const updateMethod = 'UNBIND';

const methodOnTheWire = 'UPDATE';
/** A byte of no method's name: the parser refuses a method with it. */
const invalid = '!'.charCodeAt(0);

/**
 * Accepts requests with the method `UPDATE`, which the specification has for `/ehrs/{ehrId}` and Node's parser refuses. Before
 * the parser reads a packet, `UPDATE` at a request's start becomes `UNBIND`, an unused method of equal length. A real `UNBIND`
 * is made invalid (400). Call it before the server listens.
 */
export function acceptUpdateMethod(server: Server): void {
  server.on('connection', (socket) => {
    const rewriter = new MethodRewriter();
    const boundaries = new RequestBoundaries({
      methodByte: (chunk, at, index) => rewriter.rewrite(chunk, at, index),
      upgrades: () => server.listenerCount('upgrade') > 0,
    });
    // Runs before the parser's own listener. A 'data' listener also keeps Node from parsing outside of stream events.
    socket.prependListener('data', (packet: Buffer) => boundaries.follow(packet));
  });
}

/** Rewrites a method byte by byte: a packet may end anywhere, and the parser already has the bytes before. */
class MethodRewriter {
  #reading: 'UPDATE' | 'UNBIND' | 'other' = 'other';

  rewrite(chunk: Buffer, at: number, index: number): void {
    const letter = String.fromCharCode(chunk[at] ?? 0);
    if (index === 0) this.#reading = letter === 'U' ? 'UPDATE' : 'other';
    else if (index === 1 && this.#reading === 'UPDATE' && letter === 'N') this.#reading = 'UNBIND';
    else if (this.#reading === 'UPDATE') this.#rewriteUpdate(chunk, at, index, letter);
    else if (this.#reading === 'UNBIND') {
      // No other method begins with UNB.
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
