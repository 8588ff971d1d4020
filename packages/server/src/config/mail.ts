import type { SmtpServer } from '../platform/mail/index.ts';
import { ConfigError, readInteger, setting } from './values.ts';

/** Settings of mail and invitations; config.ts includes them. */
export const mailSettings = {
  smtpServer: setting(
    'PLOIDY_SMTP_URL',
    readSmtpUrl,
    '',
    'URL',
    'SMTP server: `smtp://user:password@host:587` or `smtps://…`. See docs/operate/mail.md. Empty: mails are written to `<data>/outbox`.',
  ),
  mailFrom: setting(
    'PLOIDY_MAIL_FROM',
    readSender,
    '',
    'address',
    'Sender of mail, `Name <name@example.org>`. Must be set with `PLOIDY_SMTP_URL`.',
  ),
  invitationsPerHour: setting(
    'PLOIDY_INVITATIONS_PER_HOUR',
    readInteger(1, 1_000_000),
    '100',
    'mails',
    'Maximum invitation mails per hour of one account, and of one user; more get 429. Prevents abuse of the service for spam.',
  ),
};

export function senderMissing(): ConfigError {
  return new ConfigError('PLOIDY_SMTP_URL is set, so PLOIDY_MAIL_FROM must name the sender of mails.');
}

const wanted =
  'PLOIDY_SMTP_URL should be smtp://host, smtps://host, or with user:password@ and :port, and perhaps ?starttls=always or ?verify=false.';

/** Parses the address without repeating it in errors: it may hold a password. */
function readSmtpUrl(text: string): SmtpServer | undefined {
  if (text === '') return undefined;
  if (!URL.canParse(text)) throw new ConfigError(wanted);
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(text);
  const options = Object.fromEntries(searchParams);
  const {
    starttls = 'always',
    verify = 'true',
    ...unknown
  } = { ...defaultsFor(hostname, password), ...options };
  const right =
    ['smtp:', 'smtps:'].includes(protocol) &&
    hostname !== '' &&
    ['', '/'].includes(pathname) &&
    ['always', 'offered'].includes(starttls) &&
    ['true', 'false'].includes(verify) &&
    Object.keys(unknown).length === 0;
  if (!right) throw new ConfigError(wanted);
  const secure = protocol === 'smtps:';
  return {
    // IPv6 addresses have brackets in URLs only.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 465 : 587),
    encryption: secure ? 'tls' : starttls === 'always' ? 'starttls' : 'offered',
    user: decoded(username),
    password: decoded(password),
    verifyCertificate: verify === 'true',
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new ConfigError(`${wanted} Characters with a meaning in a URL are written as %XX.`, { cause });
  }
}

/** Allows an unencrypted password to this machine only, unless the operator chooses otherwise. */
function defaultsFor(hostname: string, password: string): { starttls?: string; verify?: string } {
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return { starttls: password === '' || local ? 'offered' : 'always' };
}

const sender = /^(?:[^<>@"\p{C}]+ <[^\s<>@",;]+@[A-Za-z0-9.-]+>|[^\s<>@",;]+@[A-Za-z0-9.-]+)$/u;

function readSender(text: string, variable: string): string {
  if (text === '' || sender.test(text)) return text;
  throw new ConfigError(
    `${variable} is "${text}"; it should be name@example.org or Name <name@example.org>.`,
  );
}
