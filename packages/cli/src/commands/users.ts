import type { Command } from 'commander';
import { openSession, sayList } from '../session.ts';

export function addUsers(program: Command): void {
  const users = program.command('users').description('people of the account');
  users
    .command('ls')
    .description('list them; administrators also see e-mail addresses and groups')
    .argument('[prefix]', 'only whose name (for administrators, or e-mail address) begins with this')
    .action(async (prefix: string | undefined, _options: object, command: Command) => {
      const session = await openSession(command);
      const items = await Array.fromAsync(session.client.users(prefix));
      sayList(session, items, ['id', 'email', 'name', 'groups'], ({ id, profile, owner, groups = [] }) => [
        id,
        profile.email ?? '',
        profile.name ?? '',
        [...(owner ? ['(owner)'] : []), ...groups.map(({ name }) => name)].join(', '),
      ]);
    });
}
