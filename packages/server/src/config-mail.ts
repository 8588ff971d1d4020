import { ConfigError, calendarMost, readDuration, readInteger, setting, timerMost } from './config-values.ts';
import type { SmtpServer } from './platform/mail/index.ts';

/** The settings of mail and invitations; part of those in config.ts. */
export const mailSettings = {
  smtpServer: setting(
    'PLOIDY_SMTP_URL',
    readSmtpUrl,
    '',
    'URL',
    'Server that takes mail: `smtp://user:password@host:587` or `smtps://…`. See docs/operate.md. Empty: letters are written to `<data>/outbox`.',
  ),
  mailFrom: setting(
    'PLOIDY_MAIL_FROM',
    readSender,
    '',
    'address',
    'Sender of mail, `Name <name@example.org>`. Must be set with `PLOIDY_SMTP_URL`.',
  ),
  mailRetryMs: setting(
    'PLOIDY_MAIL_RETRY',
    readDuration('1ms', timerMost),
    '1m',
    'duration',
    'How long a mail that did not go out waits for its second try; each further wait is twice as long, up to 4 hours.',
  ),
  mailGiveUpMs: setting(
    'PLOIDY_MAIL_GIVE_UP',
    readDuration('1ms', calendarMost),
    '5d',
    'duration',
    'How long a mail is tried. The invitation stays, and its mail can be sent again.',
  ),
  invitationLifeMs: setting(
    'PLOIDY_INVITATION_LIFE',
    readDuration('1ms', calendarMost),
    '30d',
    'duration',
    'How long an invitation, and the link in its mail, can be answered.',
  ),
  invitationsPerHour: setting(
    'PLOIDY_INVITATIONS_PER_HOUR',
    readInteger(1, 1_000_000),
    '100',
    'mails',
    'Mails with invitations that one account, or one person, may send in an hour; more get 429. So that nobody can use the service to send mail to strangers.',
  ),
};

export function senderMissing(): ConfigError {
  return new ConfigError('PLOIDY_SMTP_URL is set, so PLOIDY_MAIL_FROM must name the sender of mail.');
}

const wanted =
  'PLOIDY_SMTP_URL should be smtp://host, smtps://host, or with user:password@ and :port, and perhaps ?starttls=always or ?verify=false.';

/** The text may hold a password, so it is not repeated when it is wrong. */
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
    // An IPv6 address stands in brackets in a URL only.
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

/** A password goes over an open line to this machine only, unless the operator says otherwise. */
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
