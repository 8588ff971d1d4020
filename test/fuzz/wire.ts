import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request as it goes out: nothing is added but what HTTP itself needs. */
export interface Sent {
  method: string;
  /** Path and query, percent-encoded as it may be. */
  target: string;
  /** A name may occur more than once. */
  headers: [name: string, value: string][];
  body: Buffer | undefined;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Only a hang needs so long, also on a busy machine. */
const patienceMs = 120_000;

/** Connections to one service. */
export class Wire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #address: URL;

  constructor(address: string) {
    this.#address = new URL(address);
  }

  /** Returns the answer, or a sentence with the reason for its absence. */
  send({ method, target, headers, body }: Sent): Promise<Answered | string> {
    const { hostname, port, host } = this.#address;
    const length = body && !headers.some(([name]) => name === 'transfer-encoding') ? body.length : undefined;
    const all = [
      ['host', host],
      ...headers,
      ...(length === undefined ? [] : [['content-length', String(length)]]),
    ].flat();
    return new Promise((resolve) => {
      const outgoing = request(
        { hostname, port, method, path: target, headers: all, agent: this.#agent, timeout: patienceMs },
        (incoming) => {
          const parts: Buffer[] = [];
          incoming.on('data', (part: Buffer) => parts.push(part));
          incoming.on('error', (error) => resolve(`the answer broke off: ${error.message}`));
          const { statusCode = 0, headers: received } = incoming;
          const end = (): void =>
            resolve({ status: statusCode, headers: received, body: Buffer.concat(parts) });
          incoming.on('end', end);
          // A stream of events goes on until its reader leaves.
          if (!/^text\/event-stream/.test(received['content-type'] ?? '')) return;
          end();
          incoming.destroy();
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${patienceMs} ms`)));
      outgoing.on('error', (error) => resolve(error.message));
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Returns a request as a command for a shell; `$KEY` and the cookie are those of the run. */
export function curlOf({ method, target, headers, body }: Sent, secrets: Map<string, string>): string {
  const quoted = (text: string): string => `$'${escaped(text)}'`;
  const shown = headers.map(([name, value]) => {
    const secret = [...secrets].find(([word]) => value.includes(word));
    return secret ? `-H "${secret[1]}"` : `-H ${quoted(`${name}: ${value}`)}`;
  });
  const data = body === undefined ? [] : [`--data-binary ${quoted(body.toString('latin1'))}`];
  const parts = ['curl -sS -i --path-as-is', `-X ${method}`, ...shown, ...data];
  return `${parts.join(' ')} "$BASE"${quoted(target)}`;
}

/** Quotes for bash's `$'…'`, byte by byte, with long runs of one text cut. */
function escaped(text: string): string {
  return text.replace(
    /[^ -~]|['\\]/g,
    (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
