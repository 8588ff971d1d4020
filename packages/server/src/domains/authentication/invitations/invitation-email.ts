import { timestamp } from '../../../base/ids.ts';
import type { MailMessage } from '../../../platform/mail/mail.ts';
import { text } from '../setup/index.ts';
import { type Invitation, inviterOutside } from './invitation.ts';

/** Path of links. */
export const linkPath = '/v1/set-up/invitation';

/** Returns the link of a mail. */
export function linkOf(publicUrl: string, token: string): string {
  return `${publicUrl}${linkPath}?token=${token}`;
}

/** Longer names are cut: a sender must not write the text of the letter by a name. */
const nameLengthMax = 60;

/** Returns the mail of an invitation: equal with or without a user of the address. `url` is its link. */
export function composeEmail(invitation: Invitation, url: string): MailMessage {
  const { id, mailNumber, email } = invitation;
  const inviter = shown(inviterOutside(invitation) ?? 'A user');
  const account = shown(invitation.accountName);
  const group = shown(invitation.groupName);
  const until = `${timestamp(invitation.expiresAt).slice(0, 16).replace('T', ' ')} UTC`;
  const lines = {
    invites: `${inviter} invites you to join the group "${group}" of "${account}" on Ploidy.`,
    works: `The link works once, until ${until}. It is only for ${email}: do not pass it on.`,
    ignore: 'If you did not expect this mail, you can ignore it.',
  };
  return {
    id: `${id}.${mailNumber}`,
    to: email,
    subject: `Invitation to ${account}`,
    text: [
      'Hello,',
      lines.invites,
      `To accept or reject the invitation, open this link:\n\n${url}`,
      lines.works,
      lines.ignore,
    ]
      .join('\n\n')
      .concat('\n'),
    html: html(lines, url, `Invitation to ${account}`),
  };
}

/**
 * Neutralises a name, which an attacker may choose: one line, short, and without an address that a mail
 * program links.
 */
function shown(name: string): string {
  const line = name
    .replace(/\b(?:[a-z][a-z0-9+.-]*:\/+|mailto:|www\.)/gi, ' ')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > nameLengthMax ? `${characters.slice(0, nameLengthMax).join('')}…` : line;
}

function html(lines: { invites: string; works: string; ignore: string }, url: string, title: string): string {
  const button =
    'display:inline-block;padding:12px 20px;border-radius:6px;background:#0b57d0;color:#ffffff;text-decoration:none';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${text(title)}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:560px;margin:0 auto;padding:16px">
<p>Hello,</p>
<p>${text(lines.invites)}</p>
<p><a href="${text(url)}" style="${button}">See the invitation</a></p>
<p>Or open this address:<br><a href="${text(url)}" style="word-break:break-all">${text(url)}</a></p>
<p>${text(lines.works)}</p>
<p>${text(lines.ignore)}</p>
</body>
</html>
`;
}
