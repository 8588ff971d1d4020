import { type Command, InvalidArgumentError } from 'commander';
import { listCommand } from '../list-command.ts';
import { openSession, printResult } from '../session.ts';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('your API keys in the account');
  listCommand(
    keys.command('ls').description('list your API keys; a key itself is shown only when it is created'),
    (session) => session.client.apiKeys(),
    ['id', 'name', 'created', 'expires'],
    (key) => [key.id, key.name, key.created, key.expires],
  );
  keys
    .command('create')
    .description('create an API key and print it, this once')
    .argument('<name>')
    .option('--days <n>', 'days until it expires, 1 to 365', daysIn, 90)
    .action(async (name: string, { days }: { days: number }, command: Command) => {
      const session = await openSession(command);
      const body = { name, expireInDays: days };
      const made = await session.client.operations.createApiKey({ body });
      printResult(session, made, () => made.key);
    });
  keys
    .command('rm')
    .description('revoke an API key; it stops working at once')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      await session.client.operations.deleteApiKey({ path: { id } });
      printResult(session, { id, deleted: true }, () => 'Revoked.');
    });
}

function daysIn(word: string): number {
  if (!/^[1-9]\d{0,2}$/.test(word) || Number(word) > 365)
    throw new InvalidArgumentError('It should be a number from 1 to 365.');
  return Number(word);
}
