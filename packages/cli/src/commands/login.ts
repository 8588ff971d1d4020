import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { bodyOf, originOf } from '@ploidy/client';
import type { Command } from 'commander';
import {
  type Credentials,
  credentialsPath,
  readStored,
  removeCredentials,
  storeCredentials,
  type Tokens,
} from '../config.ts';
import { CommandError, exitCodes, Interrupted } from '../exit.ts';
import { accountOf, openSession, printResult, wantsJson } from '../session.ts';
import { visible } from '../visible.ts';

interface LoginOptions {
  address?: string;
  /** `true`: read from the terminal. */
  key?: string | true;
  browser: boolean;
  device?: boolean;
  account?: string;
  firstRun?: string;
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('sign in with the browser, or test and store an API key')
    .option('--address <url>', 'address of the service, such as http://127.0.0.1:8080')
    .option(
      '--no-browser',
      'print the sign-in address instead of opening it; the browser must be on this computer',
    )
    .option('--device', 'sign in with a code in a browser on another computer, for remote shells')
    .option('--key [key]', 'use an API key; without a value, it is read from the terminal without echo')
    .option('--account <id>', 'account to work in; your first one by default')
    .option('--first-run <folder>', 'read the address and key from first-run.json in this data folder')
    .action(async (options: LoginOptions, command: Command) => {
      const credentials = await complete(options);
      const before = readStored();
      storeCredentials(credentials);
      await endSignIn(before).catch(() =>
        process.stderr.write('The previous sign-in could not be revoked.\n'),
      );
      const { address, account } = credentials;
      const text = () => `Signed in at ${address}, account ${account}. Stored in ${credentialsPath()}.`;
      printResult({ json: wantsJson(command) }, { address, account }, text);
    });
  program
    .command('logout')
    .description('delete the stored sign-in, and end it at the service')
    .action(async (_options: object, command: Command) => {
      const before = readStored();
      removeCredentials();
      await endSignIn(before);
      printResult({ json: wantsJson(command) }, { signedIn: false }, () => 'Signed out.');
    });
  program
    .command('whoami')
    .alias('status')
    .description('show the user, the address, the account and the project')
    .action(async (_options: object, command: Command) => {
      const session = await openSession(command);
      const { data } = await session.client.api.GET('/v1/accounts');
      const user = bodyOf(await session.client.api.GET('/v1/user'));
      const { address, account, project } = session.credentials;
      const accounts = data?.accounts ?? [];
      const { email = user.id, name } = user.profile;
      const text = () =>
        [
          `user     ${visible(name === undefined ? email : `${email} (${name})`)}`,
          `address  ${address}`,
          `account  ${account}`,
          `project  ${project ?? '(none chosen)'}`,
        ].join('\n');
      printResult(session, { address, account, project, accounts, user }, text);
    });
}

/** Stored credentials of a sign-in with the browser or a key. */
async function complete(options: LoginOptions): Promise<Credentials> {
  const given = options.firstRun ? fromFirstRun(options.firstRun) : {};
  const address = originOf(options.address ?? given.address ?? (await prompt('Address: ')));
  warnUnencrypted(address);
  if (options.key === undefined && given.apiKey === undefined) {
    const tokens = await signIn(address, options);
    const account = await accountOf({ address, apiKey: tokens.accessToken }, options.account);
    return { address, tokens, account };
  }
  const apiKey =
    typeof options.key === 'string' ? options.key : (given.apiKey ?? (await prompt('API key: ', true)));
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new CommandError('This is not an API key.', exitCodes.usage);
  return { address, apiKey, account: await accountOf({ address, apiKey }, options.account) };
}

async function signIn(address: string, { device, browser }: LoginOptions): Promise<Tokens> {
  if (device) {
    const { signInWithCode } = await import('../sign-in/device-sign-in.ts');
    return signInWithCode(address);
  }
  const { signInWithBrowser } = await import('../sign-in/browser-sign-in.ts');
  return signInWithBrowser(address, browser);
}

/** Ends a stored sign-in at the service as well. */
async function endSignIn({ address, tokens }: Partial<Credentials>): Promise<void> {
  if (address === undefined || tokens === undefined) return;
  const { signOut } = await import('../sign-in/browser-sign-in.ts');
  await signOut(address, tokens);
}

function warnUnencrypted(address: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return;
  process.stderr.write(
    `Warning: ${address} is not encrypted; others on the network can read the key and the data.\n`,
  );
}

function fromFirstRun(folder: string): Partial<Credentials> {
  try {
    const { baseUrl, apiKey } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8'));
    return { address: baseUrl, apiKey };
  } catch (error) {
    const readable = !(error instanceof SyntaxError) && !(error instanceof Error && 'syscall' in error);
    if (readable) throw error;
    throw new CommandError(`There is no readable first-run.json in ${folder}.`, exitCodes.usage);
  }
}

/** Prompts on the terminal; without one, fails and names the missing options. */
async function prompt(question: string, hidden = false): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandError(
      'Without a terminal, give --address, and with --key its value (or --first-run).',
      exitCodes.usage,
    );
  }
  // The prompt of a hidden question is written here: what readline writes (the letters, too) goes nowhere.
  if (hidden) process.stderr.write(question);
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!hidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const { promise: refused, reject } = Promise.withResolvers<never>();
  lines.once('SIGINT', () => reject(new Interrupted()));
  lines.once('close', () => reject(new Interrupted()));
  try {
    return (await Promise.race([lines.question(hidden ? '' : question), refused])).trim();
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}
