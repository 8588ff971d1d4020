import { bodyOf, ClientError, type Invitation, pause } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { isId, namedAs, openSession, printList, printResult, type Session } from '../session.ts';
import { visible } from '../visible.ts';

type Ending = 'ACCEPTED' | 'REJECTED' | 'REVOKED';

export function addInvitations(program: Command): void {
  const invitations = program.command('invitations').description('invitations to groups of the account');
  invitations
    .command('ls')
    .description('list the invitations that you received, newest first')
    .option('--sent', 'list the invitations that you sent, with the state of their e-mails')
    .option('--all', 'list all invitations of the account that you may administer')
    .action(async (options: { sent?: boolean; all?: boolean }, command: Command) => {
      const session = await openSession(command);
      const { account = '' } = session.credentials;
      const query = options.all ? { account, sender: 'anyone' as const } : options.sent ? { account } : {};
      const items = await Array.fromAsync(session.client.invitations(query));
      printList(session, items, ['id', 'status', 'e-mail', 'group', 'account', 'mail', 'expires'], (one) => [
        one.id,
        one.status,
        one.email,
        one.groupName,
        one.accountName,
        one.delivery?.state ?? '',
        one.expires,
      ]);
    });
  invitations
    .command('send')
    .description('invite a person by e-mail')
    .argument('<email>')
    .option('-g, --group <group>', 'id or name', 'Users')
    .action(async (email: string, options: { group: string }, command: Command) => {
      const session = await openSession(command);
      const group = await groupOf(session, options.group);
      const sent = await delivered(session, await session.client.invite(group, email));
      printResult(session, sent, () =>
        [
          `${sent.id}  ${visible(sent.email)} is invited to ${visible(sent.groupName)}.`,
          ...deliveryNote(sent),
        ].join('\n'),
      );
    });
  invitations
    .command('resend')
    .description('send the e-mail again with a new link; the old link stops working')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const params = { path: { id } };
      const sent = bodyOf(await session.client.api.POST('/v1/invitations/{id}/resend', { params }));
      printResult(session, sent, () => `The e-mail to ${visible(sent.email)} was sent again.`);
    });
  addEnding(invitations, 'accept', 'accept an invitation and join its group', 'ACCEPTED');
  addEnding(invitations, 'reject', 'reject an invitation', 'REJECTED');
  addEnding(invitations, 'revoke', 'revoke an invitation', 'REVOKED');
}

/** Attempts to learn what became of the e-mail, 200 ms apart. */
const looksMax = 10;

/** Waits a moment for the first attempt to send the e-mail of an invitation. */
async function delivered({ client }: Session, sent: Invitation): Promise<Invitation> {
  let found = sent;
  for (let look = 0; look < looksMax && found.delivery?.state === 'queued'; look += 1) {
    await pause(200);
    found = bodyOf(await client.api.GET('/v1/invitations/{id}', { params: { path: { id: sent.id } } }));
  }
  return found;
}

function deliveryNote({ delivery }: Invitation): string[] {
  if (delivery?.state === 'outbox')
    return ['No mail server is set: the e-mail with its link is a file in the folder outbox of the data.'];
  if (delivery?.state === 'failed') return [visible(`The e-mail was not sent: ${delivery.error ?? ''}`)];
  return [];
}

function addEnding(invitations: Command, name: string, description: string, status: Ending): void {
  invitations
    .command(name)
    .description(description)
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const ended = await end(session, id, status);
      printResult(
        session,
        ended,
        () => `The invitation to ${visible(ended.groupName)} is ${status.toLowerCase()}.`,
      );
    });
}

/** Ends an invitation. A change whose answer was lost is sent again, and refused then: the state is as requested. */
async function end({ client }: Session, id: string, status: Ending): Promise<Invitation> {
  const params = { path: { id } };
  try {
    return bodyOf(await client.api.PATCH('/v1/invitations/{id}', { params, body: { status } }));
  } catch (error) {
    const isSo = error instanceof ClientError && error.code === `INVITATION_ALREADY_${status}`;
    if (!isSo) throw error;
    return bodyOf(await client.api.GET('/v1/invitations/{id}', { params }));
  }
}

/** Returns the group named by id or by name, in the account of the session. */
async function groupOf(session: Session, named: string): Promise<string> {
  if (isId(named)) return named;
  const params = { path: { id: session.credentials.account ?? '' }, query: { include: 'groups' as const } };
  const { groups = [] } = bodyOf(await session.client.api.GET('/v1/accounts/{id}', { params }));
  const found = await namedAs(groups, named);
  if (!found) throw new CommandError(`There is no group "${named}" in the account.`, exitCodes.notFound);
  return found.id;
}
