import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { originOf } from '@ploidy/client';
import { CommandError, exitCodes } from './exit.ts';

/** Tokens of a browser sign-in. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Address, credentials and project; stored by `ploidy login`. */
export interface Credentials {
  /** Without a path. */
  address: string;
  /** One of the two. */
  apiKey?: string;
  tokens?: Tokens;
  account: string;
  /** Id of the project of commands that name none. */
  project?: string;
}

/** Folder of the user's private files. */
function privateFolder(): string {
  const { XDG_CONFIG_HOME: config, APPDATA: roaming } = process.env;
  return join(config || roaming || join(homedir(), '.config'), 'ploidy');
}

/** Makes commands use the sign-in of a profile, as `PLOIDY_PROFILE` does. */
export function useProfile(name: string): void {
  process.env['PLOIDY_PROFILE'] = name;
}

/** Returns a variable that a file of the user names. */
export const environmentVariable = (name: string): string | undefined => process.env[name];

const unnamed = 'default';

/** Path of the credentials of a profile; without a name, of `--profile` or `PLOIDY_PROFILE`. */
export function credentialsPath(profile = process.env['PLOIDY_PROFILE'] || unnamed): string {
  if (!/^[\w.-]{1,64}$/.test(profile))
    throw new CommandError(`"${profile}" is not the name of a profile.`, exitCodes.usage);
  const name = profile === unnamed ? 'credentials.json' : `credentials-${profile}.json`;
  return join(privateFolder(), name);
}

/** Lists the profiles with stored credentials. */
export function profileNames(): string[] {
  if (!existsSync(privateFolder())) return [];
  return readdirSync(privateFolder()).flatMap((file) => {
    const [whole, name = unnamed] = /^credentials(?:-([\w.-]+))?\.json$/.exec(file) ?? [];
    return whole === undefined ? [] : [name];
  });
}

/**
 * Reads the environment (`PLOIDY_ADDRESS`, `PLOIDY_API_KEY`, `PLOIDY_ACCOUNT`), over what is stored. The stored key is for the
 * service that it was stored with: it goes to no other address. The stored account and project belong to the stored key.
 */
export function readCredentials(): Partial<Credentials> {
  const stored = readStored();
  const { PLOIDY_ADDRESS: address, PLOIDY_API_KEY: apiKey, PLOIDY_ACCOUNT: account } = process.env;
  const elsewhere = Boolean(address) && originOf(address ?? '') !== stored.address;
  const other = Boolean(apiKey) && apiKey !== stored.apiKey;
  return {
    ...(elsewhere ? {} : other ? { ...(stored.address && { address: stored.address }) } : stored),
    ...(address && { address: originOf(address) }),
    ...(apiKey && { apiKey }),
    ...(account && { account }),
  };
}

/** Reads the stored values of `ploidy login`, without the environment. */
export function readStored(profile?: string): Partial<Credentials> {
  const path = credentialsPath(profile);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Credentials;
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new CommandError(`${path} is damaged. Run "ploidy login" again.`, exitCodes.signedOut);
    }
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

export function storeCredentials(credentials: Credentials): void {
  const path = credentialsPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Keeps the project beside the stored key. Values from the environment are not stored. */
export function storeProject(session: Credentials, project: string): void {
  const stored = readStored();
  const { address, apiKey, tokens, account } = stored;
  const own = address === session.address && apiKey === session.apiKey && (apiKey ?? tokens) !== undefined;
  if (!own || !address || !account || (session.tokens === undefined) !== (tokens === undefined)) {
    const message = 'The key is from the environment and is not stored. Name the project with --project.';
    throw new CommandError(message, exitCodes.usage);
  }
  storeCredentials({ ...stored, address, account, project });
}

export function removeCredentials(): void {
  rmSync(credentialsPath(), { force: true });
}
