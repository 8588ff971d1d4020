import type { MailMessage } from '../../../../platform/mail/mail.ts';
import { text } from '../../setup/index.ts';

/** Returns the mail for a forgotten password. */
export function composeEmail(id: string, to: string, url: string): MailMessage {
  const asked = `A new password was requested for ${to} on Ploidy.`;
  const works = 'The link works once, for an hour. Using it signs you out everywhere.';
  const ignore = 'If you did not request it, you can ignore this mail: your password stays unchanged.';
  const subject = 'Your new password';
  return {
    id: `password.${id}`,
    to,
    subject,
    text: `${['Hello,', asked, `To choose a new password, open this link:\n\n${url}`, works, ignore].join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${subject}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:560px;margin:0 auto;padding:16px">
<p>Hello,</p>
<p>${text(asked)}</p>
<p><a href="${text(url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#0b57d0;color:#ffffff;text-decoration:none">Choose a new password</a></p>
<p>Or open this address:<br><a href="${text(url)}" style="word-break:break-all">${text(url)}</a></p>
<p>${works}</p>
<p>${ignore}</p>
</body>
</html>
`,
  };
}
