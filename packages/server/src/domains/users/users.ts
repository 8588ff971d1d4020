import { newId } from '../../ids.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';

/** What a person says of himself. */
export interface Profile {
  familyName?: string;
  givenName?: string;
  name?: string;
  picture?: string;
  preferredUsername?: string;
  phone?: string;
}

export interface User {
  id: string;
  /** Lower case. */
  email: string;
  type: string;
  profile: Profile;
}

/** E-mail addresses are compared without regard to case. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Makes a user without a password; he sets one through a one-time link, or signs in elsewhere. */
export async function createUser(
  tx: Transaction,
  email: string,
  profile: Profile = {},
  id: string = newId(),
  type: 'person' | 'client' = 'person',
): Promise<User> {
  const user: User = { id, email: emailKey(email), type, profile };
  await tx
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      type: user.type,
      profile: JSON.stringify(profile),
      password_hash: null,
      email_verified_at: null,
      created_at: Date.now(),
    })
    .execute();
  return user;
}

/** Finds a user by id or e-mail address. */
export async function findUser(read: Reader | Transaction, idOrEmail: string): Promise<User | undefined> {
  const row = await read
    .selectFrom('users')
    .select(['id', 'email', 'type', 'profile'])
    .where((where) => where.or([where('id', '=', idOrEmail), where('email', '=', emailKey(idOrEmail))]))
    .executeTakeFirst();
  return row && { ...row, profile: JSON.parse(row.profile) as Profile };
}

/** The user has followed a link that was sent to his address. The first time counts. */
export async function proveEmail(tx: Transaction, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email_verified_at: Date.now() })
    .where('id', '=', id)
    .where('email_verified_at', 'is', null)
    .execute();
}
