import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestApp } from '../../../../../../../test/support/app.ts';
import { quickJobs } from '../../../../../../../test/support/jobs.ts';
import { silent } from '../../../../../../../test/support/records.ts';
import { Callers } from '../../../identity/callers/index.ts';
import { Deliveries } from './deliveries.ts';
import { spreadEvents } from './spread.ts';

/** Message that a receiver got. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Receiver of webhooks on this computer. */
export class Receiver {
  readonly received: Received[] = [];
  /** Statuses of the next answers; then 204. */
  readonly answers: number[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        receiver.received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
        response.writeHead(receiver.answers.shift() ?? 204, { location: 'http://127.0.0.1:1/' }).end();
      });
    });
    const receiver = new Receiver(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Kinds of the messages so far. */
  get kinds(): string[] {
    return this.received.map(({ body }) => JSON.parse(body).type);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Computes a signature as the specification of Standard Webhooks describes it. */
export function signatureOf({ headers, body }: Received, secret: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** Queues the events so far at once, as the service does every few seconds. */
export async function spread(app: TestApp): Promise<void> {
  const { records } = app.people;
  const deliveries = new Deliveries({ records, jobs: quickJobs(records) });
  const deps = { records, log: silent, callers: new Callers(records), deliveries };
  await spreadEvents(deps, AbortSignal.timeout(60_000));
}

/** Lets every delivery that waits for its next attempt be tried at once. */
export async function hurry(app: TestApp): Promise<void> {
  await app.people.records.transact((tx) =>
    tx.updateTable('jobs').set({ not_before: 0 }).where('kind', '=', 'webhooks.deliver').execute(),
  );
}
