import { invalidInput, notFound } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { lockAccount } from '../groups/index.ts';
import {
  attributesByAccount,
  type By,
  type CustomAttributes,
  faultsInAttributes,
  storeAttributes,
  type User,
} from '../users/index.ts';
import { keepAdministrator } from './administrators.ts';
import { belongsTo } from './membership.ts';

/** Names that an audit event lists; the rest is counted. */
const listedNamesMax = 20;

/** Attributes that an account gives its members, for its policies (`user.customAttributes`). */
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

  /** Replaces the attributes from the next request on. Throws 409 when that removes the last administrator. */
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
        details: { count: names.length, names: names.slice(0, listedNamesMax).join(' ') },
      });
    });
    return attributes;
  }
}

/** Throws 400 with all errors in the given attributes. */
export function requireValid(attributes: Record<string, unknown>): asserts attributes is CustomAttributes {
  const faults = faultsInAttributes(attributes, 'body/customAttributes');
  if (faults.length > 0) throw invalidInput(faults);
}
