import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the service is, who calls, and in which project; kept by `ploidy login`. */
export interface Credentials {
  address: string;
  apiKey: string;
  account: string;
  /** Id of the project that commands are about when none is named. */
  project?: string;
}

const environment = process.env;

/** The user's own file; only he may read it. */
export function credentialsPath(): string {
  const config = environment['XDG_CONFIG_HOME'] || environment['APPDATA'] || join(homedir(), '.config');
  return join(config, 'ploidy', 'credentials.json');
}

/** What is stored, under what the environment says (`PLOIDY_ADDRESS`, `PLOIDY_API_KEY`, `PLOIDY_ACCOUNT`). */
export function readCredentials(): Partial<Credentials> {
  const stored = readStored();
  const { PLOIDY_ADDRESS: address, PLOIDY_API_KEY: apiKey, PLOIDY_ACCOUNT: account } = environment;
  return {
    ...stored,
    ...(address && { address }),
    ...(apiKey && { apiKey }),
    ...(account && { account }),
  };
}

function readStored(): Partial<Credentials> {
  try {
    return JSON.parse(readFileSync(credentialsPath(), 'utf8')) as Credentials;
  } catch (error) {
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

export function forgetCredentials(): void {
  rmSync(credentialsPath(), { force: true });
}
