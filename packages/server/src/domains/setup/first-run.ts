import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../ids.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { newToken } from '../../secret-token.ts';
import { createAccount } from '../accounts/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Keys } from '../keys/index.ts';
import { createUser } from '../users/index.ts';
import { storeToken } from './one-time-links.ts';

/** What the first start tells its operator, once. */
export interface FirstRun {
  baseUrl: string;
  account: string;
  user: string;
  apiKey: string;
  signInUrl: string;
}

const signInLifeMs = 7 * 86_400_000;
const keyDays = 365;

/**
 * On empty records: makes an administrator, an account and an API key, and writes them to `<data>/first-run.json`, which only
 * its owner may read. `undefined` when the service has been set up before. There is no default password.
 */
export async function setUp(
  parts: { records: Records; keys: Keys; audit: Audit },
  place: { dataFolder: string; baseUrl: string },
): Promise<FirstRun | undefined> {
  const { records, keys, audit } = parts;
  const path = join(place.dataFolder, 'first-run.json');
  if (await hasUsers(records.read)) {
    await finishWriting(records, place.dataFolder);
    return undefined;
  }
  const userId = newId();
  const account = 'main';
  const user = 'admin@localhost';
  const token = newToken();
  const key = await keys.sign({ userId, account, name: 'First key', expireInDays: keyDays });
  const firstRun: FirstRun = {
    baseUrl: `${place.baseUrl}/v1`,
    account,
    user,
    apiKey: key.value,
    signInUrl: `${place.baseUrl}/v1/set-up/password?token=${token}`,
  };
  // Written before the commit, named after it: a crash in between loses nothing, see finishWriting. Each process has a file of its own.
  const written = join(place.dataFolder, unfinishedName(userId));
  await writePrivately(written, firstRun);
  const setUpNow = async (tx: Transaction): Promise<boolean> => {
    if (await hasUsers(tx)) return false;
    const owner = await createUser(tx, user, { name: 'Administrator' }, { id: userId });
    await createAccount(tx, { id: account, name: 'Main account' }, owner);
    await key.store(tx);
    await storeToken(tx, token, { purpose: 'first-password', subject: userId, lifeMs: signInLifeMs });
    const resource = { type: 'account' as const, id: account };
    const event = { account, userId, via: 'host', resource };
    await audit.append(tx, { ...event, action: 'setup.firstRun', outcome: 'done' });
    return true;
  };
  const made = await records.transact(setUpNow).catch(async (error: unknown) => {
    // Another process that starts for the first time as well was faster by a moment.
    if (await hasUsers(records.read)) return false;
    throw error;
  });
  if (made) await rename(written, path);
  else await rm(written, { force: true });
  return made ? firstRun : undefined;
}

/** Whether records were ever used: the first start makes a user. */
export async function hasUsers(read: Records['read'] | Transaction): Promise<boolean> {
  return (await read.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

const unfinishedName = (userId: string): string => `first-run.json.${userId}`;

/** A first start that was cut off right after its commit left the file under its other name, which tells whose it is. */
async function finishWriting(records: Records, folder: string): Promise<void> {
  const unfinished = (await readdir(folder)).filter((name) => name.startsWith('first-run.json.'));
  for (const name of unfinished) {
    const userId = name.slice('first-run.json.'.length);
    const user = await records.read
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .executeTakeFirst();
    // Those of processes that lost, or are about to, open nothing.
    if (user) await rename(join(folder, name), join(folder, 'first-run.json'));
  }
}

/** Only its owner may read it; synced, because it is the only place where the key is. */
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
