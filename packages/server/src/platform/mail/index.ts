export type { Mail, MailMessage } from './mail.ts';
export { MailError } from './mail.ts';
export { openMail } from './open.ts';
export type { SmtpServer } from './smtp.ts';
