import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../base/ids.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import { newToken } from '../../../platform/secrets/secret-token.ts';
import type { Audit } from '../../audit/index.ts';
import { createAccount } from '../../identity/accounts/index.ts';
import { createUser } from '../../identity/users/index.ts';
import type { Keys } from '../keys/index.ts';
import { openingPath, storeToken } from './one-time-links.ts';

/** Result of the first start, shown to the operator once. */
export interface FirstRun {
  baseUrl: string;
  account: string;
  user: string;
  apiKey: string;
  signInUrl: string;
  /** Opens the console with a session, once. */
  consoleUrl: string;
}

const signInLifeMs = 7 * 86_400_000;
const openingLifeMs = 3_600_000;
const keyDays = 365;

/**
 * Sets up empty records: creates an administrator, an account and an API key in `<data>/first-run.json`,
 * readable by its owner only. `undefined` when already set up. There is no default password.
 */
export async function setUp(
  deps: { records: Records; keys: Keys; audit: Audit },
  place: { dataFolder: string; baseUrl: string },
): Promise<FirstRun | undefined> {
  const { records, keys, audit } = deps;
  const path = join(place.dataFolder, 'first-run.json');
  if (await hasUsers(records.read)) {
    await finishWriting(records, place.dataFolder);
    return undefined;
  }
  const userId = newId();
  const account = 'main';
  const user = 'admin@localhost';
  const token = newToken();
  const opening = newToken();
  const key = await keys.sign({ userId, account, name: 'First key', expireInDays: keyDays });
  const firstRun: FirstRun = {
    baseUrl: `${place.baseUrl}/v1`,
    account,
    user,
    apiKey: key.value,
    signInUrl: `${place.baseUrl}/v1/set-up/password?token=${token}`,
    consoleUrl: `${place.baseUrl}${openingPath}?token=${opening}`,
  };
  // Written before the commit and renamed after it: a crash in between loses nothing, see finishWriting. Each
  // process has its own file.
  const written = join(place.dataFolder, unfinishedName(userId));
  await writePrivately(written, firstRun);
  const setUpNow = async (tx: Transaction): Promise<boolean> => {
    if (await hasUsers(tx)) return false;
    const owner = await createUser(tx, user, { name: 'Administrator' }, { id: userId });
    await createAccount(tx, { id: account, name: 'Main account' }, owner);
    await key.store(tx);
    await storeToken(tx, token, { purpose: 'first-password', subject: userId, lifeMs: signInLifeMs });
    await storeToken(tx, opening, { purpose: 'opening', subject: userId, lifeMs: openingLifeMs });
    const resource = { type: 'account' as const, id: account };
    const event = { account, userId, via: 'host', resource };
    await audit.append(tx, { ...event, action: 'setup.firstRun', outcome: 'done' });
    return true;
  };
  const made = await records.transact(setUpNow).catch(async (error: unknown) => {
    // Another process has just completed its first start.
    if (await hasUsers(records.read)) return false;
    throw error;
  });
  if (made) await rename(written, path);
  else await rm(written, { force: true });
  return made ? firstRun : undefined;
}

/** Reports whether records are in use: the first start creates a user. */
async function hasUsers(read: Records['read'] | Transaction): Promise<boolean> {
  return (await read.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

const unfinishedName = (userId: string): string => `first-run.json.${userId}`;

/** Renames the file of a first start that was killed after its commit; the name contains the user. */
async function finishWriting(records: Records, folder: string): Promise<void> {
  const unfinished = (await readdir(folder)).filter((name) => name.startsWith('first-run.json.'));
  for (const name of unfinished) {
    const userId = name.slice('first-run.json.'.length);
    const user = await records.read
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .executeTakeFirst();
    // Files of processes that lost the race open nothing.
    if (user) await rename(join(folder, name), join(folder, 'first-run.json'));
  }
}

/** Writes a file readable by its owner only; synced, because it is the only copy of the key. */
async function writePrivately(path: string, content: object): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
