import type { Profile } from '../../../identity/users/index.ts';
import { mappedField } from '../../clients/index.ts';
import type { Assertion } from './assertion.ts';

type Field = 'email' | 'familyName' | 'givenName' | 'name' | 'preferredUsername' | 'phone';

/**
 * Attribute names of profile fields in order of preference: LDAP names, their OIDs (eduPerson,
 * inetOrgPerson), claims of ADFS and Entra ID, and common words.
 */
const usualNames: Record<Field, readonly string[]> = {
  email: [
    'mail',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'email',
    'emailAddress',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
    'urn:mace:dir:attribute-def:mail',
  ],
  familyName: [
    'sn',
    'urn:oid:2.5.4.4',
    'surname',
    'familyName',
    'lastName',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
    'urn:mace:dir:attribute-def:sn',
  ],
  givenName: [
    'givenName',
    'urn:oid:2.5.4.42',
    'firstName',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
    'urn:mace:dir:attribute-def:givenName',
  ],
  name: [
    'displayName',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'cn',
    'urn:oid:2.5.4.3',
    'http://schemas.microsoft.com/identity/claims/displayname',
    'urn:mace:dir:attribute-def:displayName',
  ],
  preferredUsername: [
    'uid',
    'urn:oid:0.9.2342.19200300.100.1.1',
    'eduPersonPrincipalName',
    'urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
    'urn:mace:dir:attribute-def:uid',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
  ],
  phone: ['telephoneNumber', 'urn:oid:2.5.4.20', 'mobile', 'urn:oid:0.9.2342.19200300.100.1.41'],
};

/** Attributes that identify a person permanently, where the NameID does not. */
const lastingNames = [
  'urn:oasis:names:tc:SAML:attribute:subject-id',
  'urn:oasis:names:tc:SAML:attribute:pairwise-id',
  'urn:oid:1.3.6.1.4.1.5923.1.1.1.13',
  'eduPersonUniqueId',
  'urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
  'eduPersonPrincipalName',
];

/** Max. length of a value in a profile. */
const valueMax = 255;

/** Person as an identity provider describes one. */
export interface ProvidedPerson {
  /** Permanent identifier at this provider, with the kind of name first. */
  subject: string | undefined;
  email: string | undefined;
  profile: Profile;
  /** Groups at the provider; undefined if it has too many to send (Entra ID: over 150). */
  groups: string[] | undefined;
}

/** Extracts the person from an assertion. `mapping`: that of the client, which precedes the usual names. */
export function personOf(
  assertion: Pick<Assertion, 'attributes' | 'lists' | 'nameId' | 'nameIdIsEmail'>,
  mapping: readonly string[],
): ProvidedPerson {
  const { attributes, nameId, nameIdIsEmail } = assertion;
  const own = mapping.map(mappedField).filter((one) => one !== undefined);
  const fields = Object.fromEntries(
    Object.entries(usualNames).flatMap(([field, names]) => {
      const mapped = own.filter((one) => one.field === field).map((one) => one.attribute);
      // A mapped field is read from its mapped attributes only: another one would hide an error in the
      // mapping.
      const value = firstOf(attributes, mapped.length > 0 ? mapped : names);
      return value === undefined ? [] : [[field, value]];
    }),
  ) as Partial<Record<Field, string>>;
  const { email: sentEmail, ...profile } = fields;
  const email = asEmail(sentEmail ?? (nameIdIsEmail ? nameId : undefined));
  const lasting = lastingNames.find((name) => attributes[name] !== undefined);
  const subject = subjectOf(nameId, lasting && attributes[lasting], email);
  return { subject, email, profile, groups: groupsOf(assertion) };
}

/** Attributes of groups: Entra ID, ADFS, Okta and Keycloak as usually set up, LDAP, eduMember. */
const groupNames = [
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/role',
  'http://schemas.xmlsoap.org/claims/Group',
  ...['groups', 'Groups', 'group', 'memberOf', 'isMemberOf', 'Role'],
  'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
  'urn:oid:1.2.840.113556.1.2.102',
];
/** Sent by Entra ID in place of more groups than fit. */
const groupsLink = 'http://schemas.microsoft.com/claims/groups.link';

function groupsOf({ attributes, lists }: Pick<Assertion, 'attributes' | 'lists'>): string[] | undefined {
  if (Object.hasOwn(attributes, groupsLink)) return undefined;
  const all = groupNames.flatMap((name) =>
    Object.hasOwn(lists, name)
      ? (lists[name] ?? [])
      : Object.hasOwn(attributes, name)
        ? [attributes[name]]
        : [],
  );
  return [...new Set(all)].filter((name) => name !== undefined);
}

function subjectOf(
  nameId: string | undefined,
  lasting: string | undefined,
  email: string | undefined,
): string | undefined {
  if (nameId !== undefined) return `nameId:${nameId}`;
  if (lasting !== undefined && lasting.length <= 1024) return `lasting:${lasting}`;
  return email === undefined ? undefined : `email:${email}`;
}

function firstOf(attributes: Record<string, string>, names: readonly string[]): string | undefined {
  const name = names.find((one) => Object.hasOwn(attributes, one));
  const value = name === undefined ? undefined : attributes[name];
  return value !== undefined && value.length <= valueMax && !/\p{Cc}/u.test(value) ? value : undefined;
}

/**
 * Returns a valid e-mail address: never an id, which has no `@`, and in ASCII, as for invitations. Other
 * letters may fold to ASCII: U+212A, the Kelvin sign, becomes `k`, and the address another person's.
 */
function asEmail(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 254) return undefined;
  if (/[^\x21-\x7e]/.test(text)) return undefined;
  return /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/.test(text) ? text.toLowerCase() : undefined;
}
