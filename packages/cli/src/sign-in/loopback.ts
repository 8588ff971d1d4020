import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from '../exit.ts';

const path = '/callback';
/** Long enough for a user to find a password. */
const patienceMs = 10 * 60_000;

/** Parameters that identify the awaited answer. */
interface Expected {
  state: string;
  issuer: string;
}

/** A listener on this computer alone, for the browser's way back (RFC 8252 §7.3). */
export class Loopback {
  readonly #server: Server;
  readonly redirectUri: string;

  private constructor(server: Server) {
    this.#server = server;
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  }

  static async open(): Promise<Loopback> {
    const server = createServer({ requestTimeout: 10_000 });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new Loopback(server);
  }

  /** Returns the code that the browser brings. Answers with another state are ignored. */
  async code(expected: Expected, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#server.on('request', (request, response) => {
      const query = this.#queryOf(request, expected);
      if (!query) return show(response, 404, 'Nothing here', 'This address is for the answer to a sign-in.');
      const error = query.get('error');
      const code = query.get('code');
      if (error !== null || !code) {
        show(response, 400, 'Not signed in', 'The terminal shows the reason. You can close this page.');
        return reject(new CommandError(`The sign-in failed: ${query.get('error_description') ?? error}`));
      }
      show(response, 200, 'You are signed in', 'Go back to the terminal. You can close this page.');
      return resolve(code);
    });
    const late = setTimeout(() => reject(new CommandError('No sign-in within ten minutes.')), patienceMs);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  /** Returns the query of the answer that is waited for. The host is compared, so that no other name leads here (DNS rebinding). */
  #queryOf({ method, url = '', headers }: IncomingMessage, expected: Expected): URLSearchParams | undefined {
    const { host, pathname } = new URL(this.redirectUri);
    const [asked, search = ''] = url.split('?', 2);
    if (method !== 'GET' || headers.host !== host || asked !== pathname) return undefined;
    const query = new URLSearchParams(search);
    // RFC 9207 §2.4: an answer of another service is refused.
    if (query.get('iss') !== expected.issuer) return undefined;
    return same(query.get('state') ?? '', expected.state) ? query : undefined;
  }
}

function same(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function show(response: ServerResponse, status: number, title: string, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  const style =
    ':root{color-scheme:light dark;font:17px/1.5 system-ui,sans-serif}body{display:grid;place-items:center;min-height:80vh;margin:0;padding:1rem}';
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Ploidy</title><style>${style}</style><main><h1>${title}</h1><p>${sentence}</p></main></html>`,
  );
}
