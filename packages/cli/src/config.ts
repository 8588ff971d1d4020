import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { originOf } from '@ploidy/client';
import { CommandError, exitCodes } from './exit.ts';

/** What a sign-in in the browser gave. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Where the service is, who calls, and in which project; kept by `ploidy login`. */
export interface Credentials {
  /** Without a path. */
  address: string;
  /** One of the two. */
  apiKey?: string;
  tokens?: Tokens;
  account: string;
  /** Id of the project that commands are about when none is named. */
  project?: string;
}

/** The user's own file; only he may read it. */
export function credentialsPath(): string {
  const { XDG_CONFIG_HOME: config, APPDATA: roaming } = process.env;
  return join(config || roaming || join(homedir(), '.config'), 'ploidy', 'credentials.json');
}

/**
 * What the environment says (`PLOIDY_ADDRESS`, `PLOIDY_API_KEY`, `PLOIDY_ACCOUNT`), over what is stored. The stored key is for the
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

/** What `ploidy login` kept, whatever the environment says. */
export function readStored(): Partial<Credentials> {
  const path = credentialsPath();
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

/** Keeps the project beside the stored key. What came from the environment is not stored. */
export function storeProject(session: Credentials, project: string): void {
  const stored = readStored();
  const { address, apiKey, tokens, account } = stored;
  const own = address === session.address && apiKey === session.apiKey && (apiKey ?? tokens) !== undefined;
  if (!own || !address || !account || (session.tokens === undefined) !== (tokens === undefined)) {
    const message = 'The key comes from the environment and is not kept; name the project with --project.';
    throw new CommandError(message, exitCodes.usage);
  }
  storeCredentials({ ...stored, address, account, project });
}

export function forgetCredentials(): void {
  rmSync(credentialsPath(), { force: true });
}
