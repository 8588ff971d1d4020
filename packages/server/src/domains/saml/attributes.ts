import { mappedField } from '../clients/index.ts';
import type { Profile } from '../users/index.ts';
import type { Assertion } from './assertion.ts';

type Field = 'email' | 'familyName' | 'givenName' | 'name' | 'preferredUsername' | 'phone';

/**
 * Names under which identity providers send the fields of a profile, the first that is there counts: LDAP names, their OIDs
 * (eduPerson, inetOrgPerson), the claims of ADFS and Entra ID, and the usual words.
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

/** Attributes that name a person for good, where the NameID does not. */
const lastingNames = [
  'urn:oasis:names:tc:SAML:attribute:subject-id',
  'urn:oasis:names:tc:SAML:attribute:pairwise-id',
  'urn:oid:1.3.6.1.4.1.5923.1.1.1.13',
  'eduPersonUniqueId',
  'urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
  'eduPersonPrincipalName',
];

/** Longest value that a profile takes. */
const valueMax = 255;

/** A person as an identity provider describes him. */
export interface ProvidedPerson {
  /** Names him for good at this provider, with the kind of name first. */
  subject: string | undefined;
  email: string | undefined;
  profile: Profile;
}

/** What an assertion says of a person. `mapping`: that of the client, which comes before the usual names. */
export function personOf(
  assertion: Pick<Assertion, 'attributes' | 'nameId' | 'nameIdIsEmail'>,
  mapping: readonly string[],
): ProvidedPerson {
  const { attributes, nameId, nameIdIsEmail } = assertion;
  const own = mapping.map(mappedField).filter((one) => one !== undefined);
  const fields = Object.fromEntries(
    Object.entries(usualNames).flatMap(([field, names]) => {
      const mapped = own.filter((one) => one.field === field).map((one) => one.attribute);
      // A field that the client maps is taken from there only: another attribute would be somebody's mistake.
      const value = firstOf(attributes, mapped.length > 0 ? mapped : names);
      return value === undefined ? [] : [[field, value]];
    }),
  ) as Partial<Record<Field, string>>;
  const { email: told, ...profile } = fields;
  const email = asEmail(told ?? (nameIdIsEmail ? nameId : undefined));
  const lasting = lastingNames.find((name) => attributes[name] !== undefined);
  return { subject: subjectOf(nameId, lasting && attributes[lasting], email), email, profile };
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
 * An address as users have it: never an id, which has no `@`; in ASCII, as invitations want it. Outside of it there are letters
 * whose small form is another's: U+212A, the sign for kelvin, becomes `k`, and with it one person another.
 */
function asEmail(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 254) return undefined;
  if (/[^\x21-\x7e]/.test(text)) return undefined;
  return /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/.test(text) ? text.toLowerCase() : undefined;
}
