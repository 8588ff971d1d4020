import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A letter as the server got it. */
export interface Letter {
  to: string[];
  raw: string;
  /** True for an encrypted connection. */
  secure: boolean;
  /** The user who signed in, or ''. */
  user: string;
}

export interface MailServerOptions {
  port?: number;
  /** TLS from the first byte. */
  secure?: boolean;
  /** Without, no STARTTLS is offered. */
  starttls?: boolean;
  /** Credentials that clients must present. */
  credentials?: { user: string; password: string };
}

/** A real SMTP server on a free port of 127.0.0.1, with a self-signed certificate. */
export interface MailServer {
  port: number;
  letters: Letter[];
  /** The letters to one address. */
  to(address: string): Letter[];
  /** Answers these codes to the next tries for an address, then takes the letter. */
  refuse(address: string, ...codes: number[]): void;
  stop(): Promise<void>;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const letters: Letter[] = [];
  const refusals = new Map<string, number[]>();
  const { port = 0, secure = false, starttls = true, credentials } = options;
  const server = new SMTPServer({
    secure,
    authOptional: credentials === undefined,
    allowInsecureAuth: true,
    disabledCommands: [...(starttls ? [] : ['STARTTLS']), ...(credentials ? [] : ['AUTH'])],
    closeTimeout: 100,
    // Otherwise it warns of its certificate, whose key is public.
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === credentials?.user && password === credentials?.password)
        return done(null, { user: username });
      return done(new Error('Wrong password'));
    },
    onRcptTo: ({ address }, _session, done) => {
      const code = refusals.get(address)?.shift();
      if (code === undefined) return done();
      return done(Object.assign(new Error(`not for ${address}`), { responseCode: code }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const raw = Buffer.concat(chunks).toString();
        letters.push({ to, raw, secure: session.secure, user: String(session.user ?? '') });
        done();
      });
    },
  });
  // Clients that hang up in the middle of a handshake.
  server.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    letters,
    to: (address) => letters.filter(({ to }) => to.includes(address)),
    refuse: (address, ...codes) => void refusals.set(address, codes),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns a part of a letter, decoded. */
export function partOf(raw: string, type: 'text/plain' | 'text/html'): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? '';
  const part = raw.split(`--${boundary}`).find((one) => one.includes(`Content-Type: ${type}`)) ?? '';
  const body = part.slice(part.indexOf('\r\n\r\n') + 4).replaceAll('=\r\n', '');
  const bytes = body.replace(/=([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

/** Returns the link in a letter. */
export function linkIn(raw: string): string {
  const link = /http\S+token=\S+/.exec(partOf(raw, 'text/plain'))?.[0];
  if (!link) throw new Error(`There is no link in: ${raw}`);
  return link;
}
