import { newId } from '../../../base/ids.ts';
import { emailKey, nameKey } from '../../../base/names.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';

/** Profile as its user wrote it. */
export interface Profile {
  familyName?: string;
  givenName?: string;
  name?: string;
  /** Address of the picture; absent without one. Not stored. */
  picture?: string;
  preferredUsername?: string;
  phone?: string;
}

export interface User {
  id: string;
  /** Lower case. */
  email: string;
  /** Account whose identity provider alone vouches for the address. */
  claimedBy: string | undefined;
  type: string;
  profile: Profile;
}

/**
 * Creates a user without a password, to be set by a one-time link unless the user signs in elsewhere.
 * `claimedBy`: the account whose identity provider vouches for the address; without it the address counts in
 * the whole service.
 */
export async function createUser(
  tx: Transaction,
  email: string,
  profile: Profile = {},
  {
    id = newId(),
    type = 'person',
    claimedBy,
  }: { id?: string; type?: 'person' | 'client'; claimedBy?: string } = {},
): Promise<User> {
  const { picture: _, ...stated } = profile;
  const user: User = { id, email: emailKey(email), claimedBy, type, profile: stated };
  await tx
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      type: user.type,
      profile: JSON.stringify(stated),
      name_keys: nameKeys(stated),
      password_hash: null,
      email_verified_at: null,
      email_claimed_by: claimedBy ?? null,
      created_at: Date.now(),
    })
    .execute();
  return user;
}

/** Finds a user by id or owned e-mail address, regardless of case. A claimed address is not owned. */
export async function findUser(read: Reader | Transaction, idOrEmail: string): Promise<User | undefined> {
  const found = await findNamesakes(read, idOrEmail);
  return found.find((user) => user.claimedBy === undefined || user.id === emailKey(idOrEmail));
}

/** Finds users by id or e-mail address: the owner of the address first, then those with claims. */
export async function findNamesakes(read: Reader | Transaction, idOrEmail: string): Promise<User[]> {
  const key = emailKey(idOrEmail);
  const rows = await userQuery(read)
    .where((where) => where.or([where('users.id', '=', key), where('users.email', '=', key)]))
    .orderBy('users.id')
    .execute();
  const users = rows.map(toUser);
  return [
    ...users.filter((user) => user.claimedBy === undefined),
    ...users.filter((user) => user.claimedBy !== undefined),
  ];
}

/** Finds a user by a known id. */
export async function findUserById(read: Reader | Transaction, id: string): Promise<User | undefined> {
  const row = await userQuery(read).where('users.id', '=', id).executeTakeFirst();
  return row && toUser(row);
}

/** Replaces the stored profile of a user. */
export async function storeProfile(tx: Transaction, id: string, profile: Profile): Promise<void> {
  const { picture: _, ...stated } = profile;
  await tx
    .updateTable('users')
    .set({ profile: JSON.stringify(stated), name_keys: nameKeys(stated) })
    .where('id', '=', id)
    .execute();
}

/** Locks a user until the transaction ends; false when the user is gone. */
export async function lockUser(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx
    .updateTable('users')
    .set({ id })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Selects users with their visible fields, to be narrowed by callers.
 *
 * @internal Its type names tables that no declaration of the package exports.
 */
export function userQuery(read: Reader | Transaction) {
  return read
    .selectFrom('users')
    .leftJoin('pictures', 'pictures.user_id', 'users.id')
    .select([
      'users.id',
      'users.email',
      'users.email_claimed_by',
      'users.type',
      'users.profile',
      'pictures.id as picture_id',
    ]);
}

export function toUser(row: {
  id: string;
  email: string;
  email_claimed_by: string | null;
  type: string;
  profile: string;
  picture_id: string | null;
}): User {
  const { picture_id, profile, email_claimed_by, ...user } = row;
  const { picture: _, ...stated } = JSON.parse(profile) as Profile;
  return {
    ...user,
    claimedBy: email_claimed_by ?? undefined,
    profile: picture_id === null ? stated : { ...stated, picture: `/v1/users/${user.id}/picture` },
  };
}

/** Joins all names of a user, folded, each after a line feed: `\n` and a prefix finds one of them. */
function nameKeys({ name, givenName, familyName, preferredUsername }: Profile): string {
  const names = [name, givenName, familyName, preferredUsername].filter((one) => one !== undefined);
  return [...new Set(names.map((one) => `\n${nameKey(one)}`))].join('');
}

/**
 * Makes the address owned in the whole service, not only in the account that claimed it. Throws a unique
 * violation when another user owns it.
 */
export async function ownEmail(tx: Transaction, id: string): Promise<void> {
  await tx.updateTable('users').set({ email_claimed_by: null }).where('id', '=', id).execute();
}

/** Records that the user followed a link sent to the address, which makes it owned (`ownEmail`). The first time counts. */
export async function proveEmail(tx: Transaction, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email_verified_at: Date.now(), email_claimed_by: null })
    .where('id', '=', id)
    .where('email_verified_at', 'is', null)
    .execute();
}
