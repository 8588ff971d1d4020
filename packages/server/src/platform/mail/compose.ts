import type { SendMailOptions } from 'nodemailer';
import type { MailMessage } from './mail.ts';

/** Message of the mail library (RFC 5322). */
export function compose({ id, to, subject, text, html }: MailMessage, from: string): SendMailOptions {
  return {
    from,
    // As an object it is one address, whatever is in it; as a text it could be a list.
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domainOf(from)}>`,
    // No absence notes in reply (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function domainOf(from: string): string {
  return /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}
