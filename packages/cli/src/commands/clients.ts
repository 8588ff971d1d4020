import { type Command, Option } from 'commander';
import { collect, definedOf } from '../input.ts';
import { openSession, printList, printResult } from '../session.ts';
import { documentText, visible } from '../visible.ts';

interface CreateOptions {
  callback?: string[];
  logout?: string[];
  flow?: ('code' | 'implicit' | 'token' | 'client_credentials')[];
  scope?: ('openid' | 'email' | 'profile' | 'phone' | 'offline_access')[];
  refreshTokens?: 'rotating' | 'lasting';
  secret?: boolean;
}

export function addClients(program: Command): void {
  const clients = program.command('clients').description('OAuth clients (applications) of the account');
  clients
    .command('ls')
    .description('list the clients')
    .action(async (_options: object, command: Command) => {
      const session = await openSession(command);
      const { clients: items } = await session.client.operations.listClients();
      printList(session, items, ['id', 'name', 'flows', 'callbacks'], (client) => [
        client.id,
        client.name,
        client.allowedOAuthFlows.join(' '),
        client.callbackUrls.join(' '),
      ]);
    });
  clients
    .command('show')
    .description('show a client')
    .argument('<id>')
    .action(async (clientId: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const client = await session.client.operations.getClient({ path: { clientId } });
      printResult(session, client, () => documentText(client, 2));
    });
  clients
    .command('create')
    .description('create a client; its secret is printed only this once')
    .argument('<name>')
    .option('--callback <url>', 'redirect address after signing in; may be repeated', collect)
    .option('--logout <url>', 'redirect address after signing out; may be repeated', collect)
    .addOption(
      new Option(
        '--flow <flow>',
        'flow: code, implicit, token or client_credentials; may be repeated',
      ).argParser(collect),
    )
    .option(
      '--scope <scope>',
      'scope: openid, email, profile, phone or offline_access; may be repeated',
      collect,
    )
    .addOption(
      new Option('--refresh-tokens <kind>', 'replace refresh tokens with each use, or keep them').choices([
        'rotating',
        'lasting',
      ]),
    )
    .option('--secret', 'generate a secret, for an application on a server')
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const session = await openSession(command);
      const body = {
        name,
        ...definedOf({
          callbackUrls: options.callback,
          logoutUrls: options.logout,
          allowedOAuthFlows: options.flow,
          allowedScopes: options.scope,
          refreshTokens: options.refreshTokens,
          generateSecret: options.secret,
        }),
      };
      const made = await session.client.operations.createClient({ body });
      printResult(session, made, () =>
        [made.id, ...(made.secret ? [made.secret] : [])].map(visible).join('\n'),
      );
    });
  clients
    .command('rm')
    .description('delete a client; its tokens stop working at once')
    .argument('<id>')
    .action(async (clientId: string, _options: object, command: Command) => {
      const session = await openSession(command);
      await session.client.operations.deleteClient({ path: { clientId } });
      printResult(session, { id: clientId, deleted: true }, () => 'Deleted.');
    });
}
