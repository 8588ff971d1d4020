import { prepared } from '../../../../platform/records/prepared.ts';
import type { Reader } from '../../../../platform/records/records.ts';
import type { UsersTable } from '../../../../platform/records/schema.ts';
import type { Profile } from '../../../identity/users/index.ts';
import { hasScope } from '../scopes.ts';

/** Claims of a user for a client (OpenID Connect Core §5.1). Absent fields are left out. */
export type Claims = Record<string, string | boolean>;

/** Reads the claims of a user by scope (§5.4). */
export type ClaimsReader = (userId: string, scope: string) => Promise<Claims>;

/** Returns a reader whose query is compiled once: nearly every refresh runs it. */
export function claimsReader(read: Reader): ClaimsReader {
  const byId = prepared(read, (from, id: string) =>
    from.selectFrom('users').select(['email', 'profile', 'email_verified_at']).where('id', '=', id),
  );
  return async (userId, scope) => {
    const [user] = await byId(userId);
    return user ? claimsOf(user, scope) : {};
  };
}

function claimsOf(user: Pick<UsersTable, 'email' | 'profile' | 'email_verified_at'>, scope: string): Claims {
  const profile = JSON.parse(user.profile) as Profile;
  const named: Record<string, string | undefined> = {
    // Keycloak's default mapping sends the parts of a name only.
    name: profile.name ?? [profile.givenName, profile.familyName].filter(Boolean).join(' '),
    family_name: profile.familyName,
    given_name: profile.givenName,
    preferred_username: profile.preferredUsername,
  };
  return {
    ...(hasScope(scope, 'profile') && withoutAbsent(named)),
    ...(hasScope(scope, 'email') && {
      email: user.email,
      // Only proven addresses: a link sent there was followed.
      ...(user.email_verified_at !== null && { email_verified: true }),
    }),
    ...(hasScope(scope, 'phone') && withoutAbsent({ phone_number: profile.phone })),
  };
}

function withoutAbsent(fields: Record<string, string | undefined>): Claims {
  const present = Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(present);
}
