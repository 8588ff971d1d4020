import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../ids.ts';
import type { Records } from '../../platform/records/records.ts';
import { createAccount } from '../accounts/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Keys } from '../keys/index.ts';
import { createUser } from '../users/index.ts';
import { newToken, storeToken } from './one-time-links.ts';

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
  const some = await records.read.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (some) {
    await finishWriting(path);
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
  // Written before the commit, named after it: a crash in between loses nothing, see finishWriting.
  await writePrivately(`${path}.new`, firstRun);
  const made = await records.transact(async (tx) => {
    const taken = await tx.selectFrom('users').select('id').limit(1).executeTakeFirst();
    if (taken) return false;
    const owner = await createUser(tx, user, { name: 'Administrator' }, userId);
    await createAccount(tx, { id: account, name: 'Main account' }, owner);
    await key.store(tx);
    await storeToken(tx, token, { purpose: 'first-password', subject: userId, lifeMs: signInLifeMs });
    const resource = { type: 'account' as const, id: account };
    const event = { account, userId, via: 'host', resource };
    await audit.append(tx, { ...event, action: 'setup.firstRun', outcome: 'done' });
    return true;
  });
  if (!made) return undefined;
  await rename(`${path}.new`, path);
  return firstRun;
}

/** A first start that was cut off right after its commit left the file under its other name. */
async function finishWriting(path: string): Promise<void> {
  await rename(`${path}.new`, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
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
