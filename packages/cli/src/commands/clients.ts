import { type Command, Option } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
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

interface Provider {
  attribute?: string[];
  group?: string[];
  password: boolean;
  none?: boolean;
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
    .command('provider')
    .description('set the SAML identity provider of a client; it replaces the present one')
    .argument('<id>')
    .argument('[metadata]', 'address of the metadata of the provider')
    .option('--attribute <entry>', 'samlAttribute=profileField; may be repeated', collect)
    .option('--group <entry>', 'groupOfProvider=group, by name or id; may be repeated', collect)
    .option('--no-password', 'sign in through the provider alone')
    .option('--none', 'remove the provider')
    .action(async (clientId: string, metadata: string | undefined, options: Provider, command: Command) => {
      if ((metadata === undefined) !== (options.none === true))
        throw new CommandError('Give the address of the metadata, or --none.', exitCodes.usage);
      const session = await openSession(command);
      const { attribute: attributeMapping, group: groupMapping } = options;
      const customIdentityProvider =
        metadata === undefined
          ? null
          : { metadataUrl: metadata, ...definedOf({ attributeMapping, groupMapping }) };
      const identityProviders: ('PASSWORD' | 'SAML')[] = [
        ...(options.password || metadata === undefined ? (['PASSWORD'] as const) : []),
        ...(metadata === undefined ? [] : (['SAML'] as const)),
      ];
      const body = { identityProviders, customIdentityProvider };
      const client = await session.client.operations.replaceClient({ path: { clientId }, body });
      printResult(session, client, () => documentText(client, 2));
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
