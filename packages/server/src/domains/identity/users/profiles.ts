import { emailKey } from '../../../base/names.ts';
import { invalidInput, notFound, type ProblemDetail } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { Audit } from '../../audit/index.ts';
import { appendOwnChange, type By } from './oneself.ts';
import { findUserById, lockUser, type Profile, storeProfile, type User } from './users.ts';

/** Fields of a profile that its user changes; null or an empty string clears one. */
const changeable = ['familyName', 'givenName', 'name', 'preferredUsername'] as const;

type ProfileChange = Partial<Record<(typeof changeable)[number] | 'email' | 'picture', string | null>>;

/** Profiles as their users change them. */
export class Profiles {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** Reads the caller. */
  async read(userId: string): Promise<User> {
    const user = await findUserById(this.#records.read, userId);
    if (!user) throw notFound();
    return user;
  }

  /** Merges a change into the caller's profile. Throws 400 when it would change the e-mail address or the picture. */
  async update(change: ProfileChange, by: By): Promise<User> {
    const { userId } = by.caller;
    return this.#records.transact(async (tx) => {
      await lockUser(tx, userId);
      const user = await findUserById(tx, userId);
      if (!user) throw notFound();
      const faults = faultsIn(change, user);
      if (faults.length > 0) throw invalidInput(faults);
      const profile = merged(user.profile, change);
      await storeProfile(tx, userId, profile);
      const fields = changeable.filter((field) => change[field] !== undefined).join(' ');
      await appendOwnChange(this.#audit, tx, by, { action: 'users.updateSelf', details: { fields } });
      return { ...user, profile };
    });
  }
}

/** Lists changes of read-only fields; unchanged values may be sent back. */
function faultsIn({ email, picture }: ProfileChange, user: User): ProblemDetail[] {
  const faults: ProblemDetail[] = [];
  if (email !== undefined && emailKey(email ?? '') !== user.email) {
    faults.push({ path: 'body/profile/email', message: 'cannot be changed here' });
  }
  const { picture: present } = user.profile;
  // Answers show it behind the path of the service.
  const isSame = present === undefined ? !picture : picture?.endsWith(present);
  if (picture !== undefined && !isSame) {
    faults.push({
      path: 'body/profile/picture',
      message: 'is changed with PUT and DELETE /v1/users/{username}/picture',
    });
  }
  return faults;
}

function merged(profile: Profile, change: ProfileChange): Profile {
  const result = { ...profile };
  for (const field of changeable) {
    const value = change[field];
    if (value === undefined) continue;
    if (value === null || value === '') delete result[field];
    else result[field] = value;
  }
  return result;
}
