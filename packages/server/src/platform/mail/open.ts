import type { PlatformLog } from '../records/log.ts';
import type { Mail } from './mail.ts';
import { outboxMail } from './outbox.ts';
import { type SmtpServer, smtpMail } from './smtp.ts';

interface MailSettings {
  /** Server that accepts letters; absent: they are written to `outboxFolder`. */
  smtp: SmtpServer | undefined;
  /** The sender, as `name@example.org` or `Name <name@example.org>`. */
  from: string;
  outboxFolder: string;
  log: PlatformLog;
}

/** Opens the way out. Nothing is connected before a letter is sent. */
export function openMail({ smtp, from, outboxFolder, log }: MailSettings): Mail {
  return smtp ? smtpMail(smtp, from) : outboxMail(outboxFolder, from, log);
}
