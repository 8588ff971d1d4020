import { bodyOf } from '@ploidy/client';
import type { Command } from 'commander';
import { openSession, printList, printResult } from '../session.ts';
import { visible } from '../visible.ts';
import { printDeleted } from './deletions.ts';

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('your accounts');
  accounts
    .command('ls')
    .description('list your accounts')
    .action(async (_options: object, command: Command) => {
      const session = await openSession(command);
      const { accounts: items } = bodyOf(await session.client.api.GET('/v1/accounts'));
      printList(session, items, ['id', 'name', 'owner', 'type', 'deletion'], (one) => [
        one.id,
        one.name,
        one.owner,
        one.type,
        one.deletionDate ?? '',
      ]);
    });
  accounts
    .command('rm')
    .description('delete an account and everything in it, after a grace period')
    .argument('<id>')
    .option('--force', 'delete at once and for good, with its projects, members and keys, including this key')
    .action(async (id: string, { force = false }: { force?: boolean }, command: Command) => {
      const session = await openSession(command);
      const path = { id };
      await session.client.api.DELETE('/v1/accounts/{id}', { params: { path, query: { force } } });
      const present = force
        ? undefined
        : bodyOf(await session.client.api.GET('/v1/accounts/{id}', { params: { path } }));
      printDeleted(session, 'accounts', id, present);
    });
  accounts
    .command('restore')
    .description('cancel the deletion of an account')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const body = { deletionDate: '' };
      const request = { params: { path: { id } }, body };
      const account = bodyOf(await session.client.api.PATCH('/v1/accounts/{id}', request));
      printResult(session, account, () => `${visible(account.id)} will not be deleted.`);
    });
}
