import type { Json } from '@ploidy/policy';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { ProblemDetail } from '../../problem.ts';

/** What an account says of a person: `user.customAttributes` of its policies, and of no other account's. */
export type CustomAttributes = Record<string, Json>;

const bytesMax = 16_384;
const namesMax = 100;
const nameLengthMax = 128;
const depthMax = 8;

/** What the accounts say of a person, by account. */
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

/** What an account says of these people, by user. */
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

/** Says this of a person, in place of what the account said before. */
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

/** Forgets what an account said of somebody who leaves it. */
export async function removeAttributes(tx: Transaction, account: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('user_attributes')
    .where('account_id', '=', account)
    .where('user_id', '=', userId)
    .execute();
}

/** What is wrong with attributes; `path` is where they stand in the input. */
export function mistakesInAttributes(attributes: Record<string, unknown>, path: string): ProblemDetail[] {
  const names = Object.keys(attributes);
  const mistakes = names.flatMap((name) => {
    const wrong = nameMistake(name);
    return wrong ? [{ path, message: wrong }] : [];
  });
  if (names.length > namesMax) mistakes.push({ path, message: `holds more than ${namesMax} names` });
  if (depthOf(attributes) > depthMax)
    mistakes.push({ path, message: `is nested deeper than ${depthMax} levels` });
  if (Buffer.byteLength(JSON.stringify(attributes)) > bytesMax)
    mistakes.push({ path, message: `is longer than ${bytesMax} bytes as JSON` });
  return mistakes;
}

/** Policies write paths with dots, so a name that holds one could never be asked for. */
function nameMistake(name: string): string | undefined {
  if (name === '' || name.length > nameLengthMax) return `has a name that is not 1 to ${nameLengthMax} long`;
  if (/[.\u0000-\u001f\u007f]/.test(name)) return 'has a name with a dot or a control character';
  return undefined;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, part) => Math.max(deepest, depthOf(part)), 0);
}
