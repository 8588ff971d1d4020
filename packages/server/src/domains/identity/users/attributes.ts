import type { Json } from '@ploidy/policy';
import type { ProblemDetail } from '../../../base/problem.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';

/** Attributes that an account gives a user: `user.customAttributes` of its policies only. */
export type CustomAttributes = Record<string, Json>;

const bytesMax = 16_384;
const namesMax = 100;
const nameLengthMax = 128;
const depthMax = 8;

/** Reads the attributes of a user, by account. */
export async function attributesByAccount(
  read: Reader | Transaction,
  userId: string,
): Promise<Map<string, CustomAttributes>> {
  const rows = await read
    .selectFrom('user_attributes')
    .select(['account_id', 'document'])
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map((row) => [row.account_id, JSON.parse(row.document) as CustomAttributes]));
}

/** Reads an account's attributes of users, by user. */
export async function attributesByUser(
  read: Reader | Transaction,
  account: string,
  userIds: string[],
): Promise<Map<string, CustomAttributes>> {
  if (userIds.length === 0) return new Map();
  const rows = await read
    .selectFrom('user_attributes')
    .select(['user_id', 'document'])
    .where('account_id', '=', account)
    .where('user_id', 'in', userIds)
    .execute();
  return new Map(rows.map((row) => [row.user_id, JSON.parse(row.document) as CustomAttributes]));
}

/** Replaces an account's attributes of a user. */
export async function storeAttributes(
  tx: Transaction,
  account: string,
  userId: string,
  attributes: CustomAttributes,
): Promise<void> {
  const row = { document: JSON.stringify(attributes), updated_at: Date.now() };
  await tx
    .insertInto('user_attributes')
    .values({ account_id: account, user_id: userId, ...row })
    .onConflict((conflict) => conflict.columns(['user_id', 'account_id']).doUpdateSet(row))
    .execute();
}

/** Removes an account's attributes of a leaving member. */
export async function removeAttributes(tx: Transaction, account: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('user_attributes')
    .where('account_id', '=', account)
    .where('user_id', '=', userId)
    .execute();
}

/** Lists errors of attributes; `path` is their place in the input. */
export function faultsInAttributes(attributes: Record<string, unknown>, path: string): ProblemDetail[] {
  const names = Object.keys(attributes);
  const faults = names.flatMap((name) => {
    const wrong = nameFault(name);
    return wrong ? [{ path, message: wrong }] : [];
  });
  if (names.length > namesMax) faults.push({ path, message: `holds more than ${namesMax} names` });
  if (depthOf(attributes) > depthMax)
    faults.push({ path, message: `is nested deeper than ${depthMax} levels` });
  if (Buffer.byteLength(JSON.stringify(attributes)) > bytesMax)
    faults.push({ path, message: `is longer than ${bytesMax} bytes as JSON` });
  return faults;
}

/** Refuses dots in names: paths in policies are separated by dots. */
function nameFault(name: string): string | undefined {
  if (name === '' || name.length > nameLengthMax) return `has a name that is not 1 to ${nameLengthMax} long`;
  if (/[.\u0000-\u001f\u007f]/.test(name)) return 'has a name with a dot or a control character';
  return undefined;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, part) => Math.max(deepest, depthOf(part)), 0);
}

/** Removes the attributes that an account gives its users. Users and their pictures remain. */
export const userRemovers: readonly Remover[] = [rowsOf('account', 'user_attributes', { key: 'user_id' })];
