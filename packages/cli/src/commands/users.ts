import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { listCommand } from '../list-command.ts';
import { openSession, printResult } from '../session.ts';
import { documentText } from '../visible.ts';

export function addUsers(program: Command): void {
  const users = program.command('users').description('users of the account');
  listCommand(
    users
      .command('ls')
      .description('list the users; administrators also see e-mail addresses and groups')
      .argument('[prefix]', 'only names (for administrators, also e-mail addresses) that begin with this'),
    (session, prefix: string | undefined) => session.client.users(prefix),
    ['id', 'email', 'name', 'groups'],
    ({ id, profile, owner, groups = [] }) => [
      id,
      profile.email ?? '',
      profile.name ?? '',
      [...(owner ? ['(owner)'] : []), ...groups.map(({ name }) => name)].join(', '),
    ],
  );
  users
    .command('attributes')
    .description('print the attributes of a user for policies, after changing some')
    .argument('<user>', 'id or e-mail address')
    .argument('[changes...]', 'such as department=cardiology; an empty value removes the attribute')
    .action(async (username: string, changes: string[], _options: object, command: Command) => {
      const { client, json } = await openSession(command);
      const path = { username };
      const { customAttributes } = await client.operations.getUserAttributes({ path });
      for (const change of changes) applyTo(customAttributes, change);
      if (changes.length > 0) {
        await client.operations.replaceUserAttributes({ path, body: { customAttributes } });
      }
      printResult({ json }, customAttributes, () => documentText(customAttributes, 2));
    });
}

/** Sets or removes one attribute. A value that is JSON is taken as that, else as text. */
function applyTo(attributes: Record<string, unknown>, change: string): void {
  const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(change) ?? [];
  if (name === '') throw new CommandError(`"${change}" is not NAME=VALUE.`, exitCodes.usage);
  if (text === '') delete attributes[name];
  else attributes[name] = parsed(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
