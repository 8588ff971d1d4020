import type { Records } from '../../platform/records/records.ts';
import { invalidInput, notFound } from '../../problem.ts';
import { type Audit, actor } from '../audit/index.ts';
import { lockAccount } from '../groups/index.ts';
import {
  attributesByAccount,
  type By,
  type CustomAttributes,
  mistakesInAttributes,
  storeAttributes,
  type User,
} from '../users/index.ts';
import { keepAdministrator } from './administrators.ts';
import { belongsTo } from './membership.ts';

/** Names that an audit event lists; the rest is counted. */
const toldNamesMax = 20;

/** What an account says of its people, for its policies (`user.customAttributes`). */
export class Attributes {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  async read(account: string, user: User): Promise<CustomAttributes> {
    return (await attributesByAccount(this.#records.read, user.id)).get(account) ?? {};
  }

  /** Replaces them; they count from the next request on. Problem 409 when that takes the last administrator away. */
  async write(account: string, user: User, attributes: CustomAttributes, by: By): Promise<CustomAttributes> {
    await this.#records.transact(async (tx) => {
      await lockAccount(tx, account);
      if (!(await belongsTo(tx, [account], user.id))) throw notFound();
      await keepAdministrator(tx, account, { user: user.id }, () =>
        storeAttributes(tx, account, user.id, attributes),
      );
      await this.#records.announce(tx, `user:${user.id}`);
      const names = Object.keys(attributes);
      await this.#audit.append(tx, {
        account,
        ...actor(by.caller, by.requestId),
        action: 'members.writeAttributes',
        resource: { type: 'user', id: user.id },
        outcome: 'done',
        details: { count: names.length, names: names.slice(0, toldNamesMax).join(' ') },
      });
    });
    return attributes;
  }
}

/** Problem 400 with all that is wrong with attributes that were sent. */
export function requireValid(attributes: Record<string, unknown>): asserts attributes is CustomAttributes {
  const mistakes = mistakesInAttributes(attributes, 'body/customAttributes');
  if (mistakes.length > 0) throw invalidInput(mistakes);
}
