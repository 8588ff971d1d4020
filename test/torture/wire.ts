import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `open`: bytes pass. `cut`: every connection ends. `silent`: connections stay, and no byte passes. */
export type WireState = 'open' | 'cut' | 'silent';

/** Network between the processes and a store. */
export class Wire {
  readonly port: number;
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #target: number;
  readonly #end: () => void;
  #state: WireState = 'open';

  private constructor(port: number, target: number, end: () => void) {
    this.port = port;
    this.#target = target;
    this.#end = end;
  }

  /** Opens one to a port of this computer. */
  static async to(target: number): Promise<Wire> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const wire = new Wire((server.address() as AddressInfo).port, target, () => server.close());
    server.on('connection', (socket) => wire.#take(socket));
    return wire;
  }

  set(state: WireState): void {
    this.#state = state;
    for (const pair of this.#pairs) this.#obey(pair);
  }

  close(): void {
    this.#end();
    this.set('cut');
  }

  #take(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    const pair: [Socket, Socket] = [client, server];
    this.#pairs.add(pair);
    for (const [one, other] of [pair, [server, client]] as const) {
      one.on('data', (bytes) => other.write(bytes));
      one.on('error', () => undefined);
      one.once('close', () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
    }
    this.#obey(pair);
  }

  #obey(pair: readonly [Socket, Socket]): void {
    for (const socket of pair) {
      if (this.#state === 'cut') socket.destroy();
      else if (this.#state === 'silent') socket.pause();
      else socket.resume();
    }
  }
}
