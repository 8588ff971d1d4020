import { connect, type Socket } from 'node:net';

/** A request, as its bytes. */
export interface Shot {
  kind: string;
  bytes: string | Buffer;
  /** Called with a good answer's body, before the next request is chosen. */
  done?(body: string): void;
  /** Called on rejection. */
  refused?(): void;
}

export interface Figures {
  rate: number;
  sent: number;
  /** Milliseconds from when a request was due, of good answers. */
  p50: number;
  p99: number;
  /** Answers by status, and `broken` connections. */
  statuses: Record<string, number>;
  /** Statuses other than 2xx and 503, by kind. */
  wrong: Record<string, number>;
}

const tickMs = 1;

/**
 * Sends requests at a rate whether or not the answers arrive, each on its own connection. Waits count from the time when each
 * was due. A server that stalls is not spared the requests that would have arrived meanwhile ("coordinated omission").
 */
export class OpenLoop {
  readonly #port: number;
  readonly #host: string;
  readonly #connectionsMax: number;
  #idle: Connection[] = [];
  #open = 0;

  constructor(address: string, connectionsMax = 512) {
    this.#connectionsMax = connectionsMax;
    const { hostname, port } = new URL(address);
    this.#host = hostname;
    this.#port = Number(port);
  }

  async run(rate: number, seconds: number, next: () => Shot): Promise<Figures> {
    const latencies: number[] = [];
    const statuses: Record<string, number> = {};
    const wrong: Record<string, number> = {};
    const waiting: ({ shot: Shot; due: number } | undefined)[] = [];
    /** Index of the first waiting request: removal from a long array would cost more than sending. */
    let head = 0;
    const total = Math.round(rate * seconds);
    let answered = 0;
    let sent = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = (shot: Shot, due: number, status: number, body: string): void => {
      const name = status === 0 ? 'broken' : String(status);
      statuses[name] = (statuses[name] ?? 0) + 1;
      if (status >= 200 && status < 300) {
        latencies.push(performance.now() - due);
        shot.done?.(body);
      } else if (status === 503) shot.refused?.();
      else wrong[`${shot.kind} ${name}`] = (wrong[`${shot.kind} ${name}`] ?? 0) + 1;
      answered++;
      send();
      if (answered === total) resolve();
    };
    const send = (): void => {
      for (let one = waiting[head]; one !== undefined; one = waiting[head]) {
        const connection = this.#take();
        if (!connection) return;
        waiting[head++] = undefined;
        const { shot, due } = one;
        connection.ask(shot.bytes, (status, body, reusable) => {
          if (reusable) this.#idle.push(connection);
          else this.#open--;
          answer(shot, due, status, body);
        });
      }
    };
    const start = performance.now();
    let due = start;
    const timer = setInterval(() => {
      const now = performance.now();
      for (; sent < total && due <= now; sent++) {
        waiting.push({ shot: next(), due });
        // Arrivals that know nothing of each other (Poisson).
        due += (-Math.log(1 - Math.random()) / rate) * 1000;
      }
      send();
      if (sent === total) clearInterval(timer);
    }, tickMs);
    await promise;
    latencies.sort((a, b) => a - b);
    const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
    return { rate, sent: total, p50: at(0.5), p99: at(0.99), statuses, wrong };
  }

  /** Sends so many requests, some at a time, as fast as they are answered; gives how many had no good answer. */
  async send(requests: number, atOnce: number, next: () => Shot): Promise<number> {
    let left = requests;
    let failed = 0;
    const lane = async (): Promise<void> => {
      const connection = new Connection(this.#host, this.#port);
      while (left-- > 0) {
        const shot = next();
        const status = await new Promise<number>((resolve) =>
          connection.ask(shot.bytes, (answered, body) => {
            if (answered >= 200 && answered < 300) shot.done?.(body);
            resolve(answered);
          }),
        );
        if (status < 200 || status >= 300) failed++;
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return failed;
  }

  close(): void {
    for (const connection of this.#idle) connection.close();
    this.#idle = [];
    this.#open = 0;
  }

  #take(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.closed) return idle;
      this.#open--;
    }
    if (this.#open >= this.#connectionsMax) return undefined;
    this.#open++;
    return new Connection(this.#host, this.#port);
  }
}

type Reply = (status: number, body: string, reusable: boolean) => void;

/** One kept connection, one request at a time: of an answer it reads the status, the length and the bytes. */
class Connection {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #size = 0;
  #head: { status: number; begin: number; end: number; reusable: boolean } | undefined;
  #settle: Reply | undefined;

  constructor(host: string, port: number) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => this.#end(0, '', false));
  }

  ask(bytes: string | Buffer, settle: Reply): void {
    this.#settle = settle;
    if (this.#socket.destroyed) this.#end(0, '', false);
    else this.#socket.write(bytes);
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#head ??= this.#readHead();
    if (!this.#head || this.#size < this.#head.end) return;
    const { status, begin, reusable } = this.#head;
    const body = Buffer.concat(this.#chunks).toString('utf8', begin);
    this.#chunks = [];
    this.#size = 0;
    this.#head = undefined;
    if (!reusable) this.#socket.destroy();
    this.#end(status, body, reusable);
  }

  #readHead() {
    const text = Buffer.concat(this.#chunks).toString('latin1');
    const begin = text.indexOf('\r\n\r\n') + 4;
    if (begin < 4) return undefined;
    const head = text.slice(0, begin);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const reusable = !/\r\nconnection: close/i.test(head);
    return { status: Number(head.slice(9, 12)), begin, end: begin + length, reusable };
  }

  #end(status: number, body: string, reusable: boolean): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(status, body, reusable);
  }
}
