import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../ids.ts';
import type { Records } from '../../platform/records/records.ts';
import { createAccount } from '../accounts/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Keys } from '../keys/index.ts';
import { createUser } from '../users/index.ts';
import { makeToken } from './one-time-links.ts';

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
  const some = await records.read.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (some) return undefined;
  const userId = newId();
  const account = 'main';
  const key = await keys.sign({ userId, account, name: 'First key', expireInDays: keyDays });
  const made = await records.transact(async (tx) => {
    const taken = await tx.selectFrom('users').select('id').limit(1).executeTakeFirst();
    if (taken) return undefined;
    const user = await createUser(tx, 'admin@localhost', { name: 'Administrator' }, userId);
    await createAccount(tx, { id: account, name: 'Main account' }, user);
    await key.store(tx);
    const resource = { type: 'account' as const, id: account };
    const event = { account, userId, via: 'host', resource };
    await audit.append(tx, { ...event, action: 'setup.firstRun', outcome: 'done' });
    return { user, token: await makeToken(tx, userId, signInLifeMs) };
  });
  if (!made) return undefined;
  const firstRun: FirstRun = {
    baseUrl: `${place.baseUrl}/v1`,
    account,
    user: made.user.email,
    apiKey: key.value,
    signInUrl: `${place.baseUrl}/v1/set-up/password?token=${made.token}`,
  };
  await writePrivately(join(place.dataFolder, 'first-run.json'), firstRun);
  return firstRun;
}

async function writePrivately(path: string, content: object): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
