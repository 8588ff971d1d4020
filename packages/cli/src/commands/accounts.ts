import { bodyOf } from '@ploidy/client';
import type { Command } from 'commander';
import { openSession, say, sayList } from '../session.ts';
import { visible } from '../visible.ts';
import { sayDeleted } from './deletions.ts';

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('accounts that the key works in');
  accounts
    .command('ls')
    .description('list them')
    .action(async (_options: object, command: Command) => {
      const session = await openSession(command);
      const { accounts: items } = bodyOf(await session.client.api.GET('/v1/accounts'));
      sayList(session, items, ['id', 'name', 'owner', 'type', 'deletion'], (one) => [
        one.id,
        one.name,
        one.owner,
        one.type,
        one.deletionDate ?? '',
      ]);
    });
  accounts
    .command('rm')
    .description('delete one with all that it holds, after a grace period')
    .argument('<id>')
    .option('--force', 'at once and for good: its projects, members and keys are gone, this key too')
    .action(async (id: string, { force = false }: { force?: boolean }, command: Command) => {
      const session = await openSession(command);
      const path = { id };
      await session.client.api.DELETE('/v1/accounts/{id}', { params: { path, query: { force } } });
      const present = force
        ? undefined
        : bodyOf(await session.client.api.GET('/v1/accounts/{id}', { params: { path } }));
      sayDeleted(session, 'accounts', id, present);
    });
  accounts
    .command('restore')
    .description('cancel its pending deletion')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const body = { deletionDate: '' };
      const request = { params: { path: { id } }, body };
      const account = bodyOf(await session.client.api.PATCH('/v1/accounts/{id}', request));
      say(session, account, () => `${visible(account.id)} stays.`);
    });
}
