import { newId } from '../../ids.ts';
import { emailKey, nameKey } from '../../names.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';

/** What a person says of himself. */
export interface Profile {
  familyName?: string;
  givenName?: string;
  name?: string;
  /** Where the picture is asked for; only there when he has one. Not stored. */
  picture?: string;
  preferredUsername?: string;
  phone?: string;
}

export interface User {
  id: string;
  /** Lower case. */
  email: string;
  /** The account whose identity provider alone says that the address is his. */
  claimedBy: string | undefined;
  type: string;
  profile: Profile;
}

/**
 * Makes a user without a password; he sets one through a one-time link, or signs in elsewhere. `claimedBy`: the account whose identity
 * provider vouches for him; without it the address is his in the whole service.
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
  const { picture: _, ...said } = profile;
  const user: User = { id, email: emailKey(email), claimedBy, type, profile: said };
  await tx
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      type: user.type,
      profile: JSON.stringify(said),
      name_keys: nameKeys(said),
      password_hash: null,
      email_verified_at: null,
      email_claimed_by: claimedBy ?? null,
      created_at: Date.now(),
    })
    .execute();
  return user;
}

/** Finds a user by id, or the one whose e-mail address it is, without regard to case. Nobody's is what is only claimed. */
export async function findUser(read: Reader | Transaction, idOrEmail: string): Promise<User | undefined> {
  const found = await findNamesakes(read, idOrEmail);
  return found.find((user) => user.claimedBy === undefined || user.id === emailKey(idOrEmail));
}

/** The user of an id, or all of an e-mail address: whose it is, then for whom accounts claim it. */
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

/** Finds a user whose id is known for certain. */
export async function findUserById(read: Reader | Transaction, id: string): Promise<User | undefined> {
  const row = await userQuery(read).where('users.id', '=', id).executeTakeFirst();
  return row && toUser(row);
}

/** Stores what a person says of himself now, in place of what he said before. */
export async function storeProfile(tx: Transaction, id: string, profile: Profile): Promise<void> {
  const { picture: _, ...said } = profile;
  await tx
    .updateTable('users')
    .set({ profile: JSON.stringify(said), name_keys: nameKeys(said) })
    .where('id', '=', id)
    .execute();
}

/** Nobody else gets past here with this user until the transaction ends; false when he is gone. */
export async function lockUser(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx
    .updateTable('users')
    .set({ id })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return found !== undefined;
}

/** Users with what they show, to be narrowed by whoever lists them. */
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
  const { picture: _, ...said } = JSON.parse(profile) as Profile;
  return {
    ...user,
    claimedBy: email_claimed_by ?? undefined,
    profile: picture_id === null ? said : { ...said, picture: `/v1/users/${user.id}/picture` },
  };
}

/** All names of a person, folded, each after a line feed: a prefix of one of them is found as `\n` and the prefix. */
function nameKeys({ name, givenName, familyName, preferredUsername }: Profile): string {
  const names = [name, givenName, familyName, preferredUsername].filter((one) => one !== undefined);
  return [...new Set(names.map((one) => `\n${nameKey(one)}`))].join('');
}

/** The address is his from now on, not only in the account that claimed it. A unique violation when it is another user's. */
export async function ownEmail(tx: Transaction, id: string): Promise<void> {
  await tx.updateTable('users').set({ email_claimed_by: null }).where('id', '=', id).execute();
}

/** The user has followed a link that was sent to his address, which makes it his (`ownEmail`). The first time counts. */
export async function proveEmail(tx: Transaction, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email_verified_at: Date.now(), email_claimed_by: null })
    .where('id', '=', id)
    .where('email_verified_at', 'is', null)
    .execute();
}
