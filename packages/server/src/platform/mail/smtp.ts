import type { NodemailerError } from 'nodemailer';
import { compose } from './compose.ts';
import { type Mail, MailError } from './mail.ts';

/** The server that letters are handed to. */
export interface SmtpServer {
  host: string;
  port: number;
  /** `tls`: from the first byte. `starttls`: before any other command. `offered`: STARTTLS if the server has it. */
  encryption: 'tls' | 'starttls' | 'offered';
  user: string;
  password: string;
  /** Requires a certificate that this machine trusts. */
  verifyCertificate: boolean;
}

/** A connection that hangs costs a job that long. RFC 5321 §4.5.3.2 asks for minutes, between servers; a relay answers faster. */
const connectTimeoutMs = 15_000;
const silenceTimeoutMs = 120_000;

/** Hands letters to an SMTP server, on a connection each. */
export function smtpMail(server: SmtpServer, from: string): Mail {
  const { host, port, encryption, user, password, verifyCertificate } = server;
  const options = {
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ...(user !== '' && { auth: { user, pass: password } }),
    tls: { rejectUnauthorized: verifyCertificate },
    dnsTimeout: connectTimeoutMs,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
  };
  return {
    place: 'server',
    send: async (message, signal) => {
      // With the first letter: reading the library is a fourteenth of the start of a service.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(options);
      try {
        await transport.sendMail({ ...compose(message, from), ...(signal && { signal }) });
      } catch (error) {
        signal?.throwIfAborted();
        throw asMailError(error);
      }
    },
  };
}

/** Message in the service's own words: those of a server may repeat the address, and a library's the password. */
function asMailError(error: unknown): MailError {
  const { code, responseCode, command } = (error instanceof Error ? error : {}) as Partial<NodemailerError>;
  if (code === 'EAUTH')
    return new MailError('The mail server does not accept the user name and password.', false);
  if (code === 'ETLS')
    return new MailError('The connection to the mail server could not be encrypted.', false);
  if (typeof responseCode === 'number') {
    const about = command === 'RCPT TO' || command === 'DATA';
    const permanent = about && responseCode >= 500 && responseCode < 600;
    const what = command === 'RCPT TO' ? 'this address' : command === 'MAIL FROM' ? 'the sender' : 'the mail';
    const when = permanent ? 'does not take' : 'does not take at present';
    return new MailError(`The mail server ${when} ${what} (answer ${responseCode}).`, permanent);
  }
  // Nothing has been sent while connecting, so errors of the system or TLS are about the server alone.
  const cause = command === 'CONN' ? { cause: error } : undefined;
  return new MailError('The mail server cannot be reached.', false, cause);
}
