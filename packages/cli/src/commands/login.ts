import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { PloidyClient } from '@ploidy/client';
import type { Command } from 'commander';
import { type Credentials, credentialsPath, forgetCredentials, storeCredentials } from '../config.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { openSession, say, wantsJson } from '../session.ts';

interface LoginOptions {
  address?: string;
  key?: string;
  account?: string;
  firstRun?: string;
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('store the address and the API key of a service, after trying them')
    .option('--address <url>', 'address of the service, such as http://127.0.0.1:8080')
    .option('--key <key>', 'API key; asked for without echo when absent')
    .option('--account <id>', 'account; the key’s own when absent')
    .option('--first-run <folder>', 'take all of it from first-run.json in this data folder')
    .action(async (options: LoginOptions, command: Command) => {
      const credentials = await complete(options);
      storeCredentials(credentials);
      const { address, account } = credentials;
      const text = () => `Signed in at ${address}, account ${account}. Kept in ${credentialsPath()}.`;
      say({ json: wantsJson(command) }, { address, account }, text);
    });
  program
    .command('logout')
    .description('forget the stored address and key')
    .action((_options: object, command: Command) => {
      forgetCredentials();
      say({ json: wantsJson(command) }, { signedIn: false }, () => 'Forgotten.');
    });
  program
    .command('whoami')
    .description('show the address, the account and the projects of the stored key')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command);
      const { data } = await session.client.api.GET('/v1/accounts');
      const { address, account, project } = session.credentials;
      const accounts = data?.accounts ?? [];
      const text = () =>
        [`address  ${address}`, `account  ${account}`, `project  ${project ?? '(none chosen)'}`].join('\n');
      say(session, { address, account, project, accounts }, text);
    });
}

async function complete(options: LoginOptions): Promise<Credentials> {
  const given = options.firstRun ? fromFirstRun(options.firstRun) : {};
  const address = options.address ?? given.address ?? (await ask('Address: '));
  const apiKey = options.key ?? given.apiKey ?? (await ask('API key: ', true));
  const client = new PloidyClient({ address, apiKey, account: options.account ?? '' });
  const { data } = await client.api.GET('/v1/accounts');
  const accounts = (data?.accounts ?? []).map(({ id }) => id);
  const account = options.account ?? accounts[0];
  if (account === undefined || !accounts.includes(account)) {
    throw new CommandError(`The key does not work in the account ${account ?? ''}.`, exitCodes.signedOut);
  }
  return { address: client.origin, apiKey, account };
}

function fromFirstRun(folder: string): Partial<Credentials> {
  try {
    const { baseUrl, apiKey } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8'));
    return { address: baseUrl, apiKey };
  } catch {
    throw new CommandError(`There is no readable first-run.json in ${folder}.`, exitCodes.usage);
  }
}

/** Asks on the terminal; without one, says which flag is missing. */
async function ask(question: string, hidden = false): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandError('Without a terminal, give --address and --key (or --first-run).', exitCodes.usage);
  }
  process.stderr.write(question);
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!hidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}
