import { orMalformed, signedLimits, unsolicitedResponse } from './envelope.ts';
import { malformed, refused, skewMs } from './refusal.ts';
import { childrenOf, isNamed, namespaces, readXml, type XmlElement } from './xml.ts';

const saml = namespaces.assertion;
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** Content of a verified assertion. */
export interface Assertion {
  id: string;
  /** Epoch milliseconds, as all times here. */
  expiresAt: number;
  /** NameID, unless it is transient. */
  nameId: string | undefined;
  /** True when the NameID is the person's e-mail address. */
  nameIdIsEmail: boolean;
  /** Time of authentication. */
  authenticatedAt: number;
  /** End of the session, set by the provider. */
  sessionEndsAt: number | undefined;
  /** First value of each attribute, by its names. */
  attributes: Record<string, string>;
  /** All values of attributes that have several. */
  lists: Record<string, string[]>;
}

/** Required content of the assertion. */
interface Wanted {
  entityId: string;
  audience: string;
  acsUrl: string;
  requestId: string;
  now: number;
}

/**
 * Parses an assertion from its verified bytes alone, and checks all its content (SAML V2.0 Profiles §4.1.4.2
 * and §4.1.4.3). Throws 403 when a check fails.
 */
export function readAssertion(xml: string, wanted: Wanted): Assertion {
  const root = orMalformed(() => readXml(xml, signedLimits));
  const id = root.attributes.get('ID') ?? '';
  if (!isNamed(root, saml, 'Assertion') || id === '' || id.length > 256)
    throw malformed('its assertion has no ID');
  if (only(root, 'Issuer').text !== wanted.entityId)
    throw refused(
      'SAML_ISSUER',
      'The assertion is from another identity provider than that of the application.',
    );
  const subject = only(root, 'Subject');
  const confirmedUntil = confirmationEnd(subject, wanted);
  requireConditions(only(root, 'Conditions'), wanted);
  const statements = childrenOf(root, saml, 'AuthnStatement');
  const [statement] = statements;
  if (!statement) throw malformed('its assertion does not say that anybody signed in');
  const ends = statements.map((one) => timeOf(one, 'SessionNotOnOrAfter')).filter((at) => at !== undefined);
  const sessionEndsAt = ends.length > 0 ? Math.min(...ends) : undefined;
  if (sessionEndsAt !== undefined && sessionEndsAt <= wanted.now) throw expired();
  return {
    id,
    expiresAt: confirmedUntil + skewMs,
    ...nameIdOf(subject),
    authenticatedAt: timeOf(statement, 'AuthnInstant') ?? 0,
    sessionEndsAt,
    ...attributesOf(root),
  };
}

/** Returns the time until which a bearer may present it here, if not past. */
function confirmationEnd(subject: XmlElement, wanted: Wanted): number {
  const bearers = childrenOf(subject, saml, 'SubjectConfirmation').filter(
    ({ attributes }) => attributes.get('Method') === 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  );
  const all = bearers.flatMap((one) => childrenOf(one, saml, 'SubjectConfirmationData'));
  const here = all.filter((one) => one.attributes.get('Recipient') === wanted.acsUrl);
  if (here.length === 0)
    throw refused('SAML_RECIPIENT', 'The identity provider’s assertion is meant for another service.');
  const ours = here.filter((one) => one.attributes.get('InResponseTo') === wanted.requestId);
  if (ours.length === 0) throw unsolicitedResponse();
  const ends = ours.flatMap((one) => {
    requireBegun(one, wanted.now);
    const end = timeOf(one, 'NotOnOrAfter');
    return end !== undefined && end + skewMs > wanted.now ? [end] : [];
  });
  if (ends.length === 0) throw expired();
  return Math.max(...ends);
}

function requireConditions(conditions: XmlElement, { audience, now }: Wanted): void {
  requireBegun(conditions, now);
  const end = timeOf(conditions, 'NotOnOrAfter');
  if (end !== undefined && end + skewMs <= now) throw expired();
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];
  if (conditions.children.some((one) => one.namespace !== saml || !known.includes(one.name)))
    throw malformed('its assertion has a condition that is not understood');
  const restrictions = childrenOf(conditions, saml, 'AudienceRestriction');
  const named = restrictions.every((one) =>
    childrenOf(one, saml, 'Audience').some(({ text }) => text.trim() === audience),
  );
  if (restrictions.length === 0 || !named)
    throw refused('SAML_AUDIENCE', 'The identity provider’s assertion is meant for another audience.');
}

function requireBegun(element: XmlElement, now: number): void {
  const begin = timeOf(element, 'NotBefore');
  if (begin !== undefined && begin - skewMs > now)
    throw refused(
      'SAML_NOT_YET_VALID',
      'The identity provider’s assertion is not valid yet. Its clock, or that of this service, is wrong.',
    );
}

function expired(): Error {
  return refused('SAML_EXPIRED', 'The identity provider’s assertion has expired. Sign in again.');
}

/** Returns the whole text of the NameID; other content is refused. */
function nameIdOf(subject: XmlElement): Pick<Assertion, 'nameId' | 'nameIdIsEmail'> {
  if (childrenOf(subject, saml, 'EncryptedID').length > 0)
    throw refused(
      'SAML_ENCRYPTED',
      'The identity provider encrypts the name of the person separately (EncryptedID), which is not accepted. Its administrator can encrypt the whole assertion instead.',
    );
  const nameId = only(subject, 'NameID');
  const text = nameId.text.trim();
  if (nameId.children.length > 0 || text === '' || text.length > 1024)
    throw malformed('its NameID is not a text of reasonable length');
  const format = nameId.attributes.get('Format') ?? '';
  return {
    nameId: format === transient ? undefined : text,
    nameIdIsEmail: format.endsWith(':nameid-format:emailAddress'),
  };
}

function attributesOf(root: XmlElement): Pick<Assertion, 'attributes' | 'lists'> {
  const found = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const attributes = childrenOf(root, saml, 'AttributeStatement').flatMap((one) =>
    childrenOf(one, saml, 'Attribute'),
  );
  for (const attribute of attributes) {
    const values = childrenOf(attribute, saml, 'AttributeValue');
    const texts = values.filter(({ children }) => children.length === 0).map(({ text }) => text.trim());
    if (texts.length > 1)
      for (const name of namesOf(attribute)) lists.set(name, [...(lists.get(name) ?? []), ...texts]);
    const [value] = values;
    if (!value || value.children.length > 0 || value.text.trim() === '') continue;
    for (const name of namesOf(attribute)) if (!found.has(name)) found.set(name, value.text.trim());
  }
  return { attributes: Object.fromEntries(found), lists: Object.fromEntries(lists) };
}

function namesOf({ attributes }: XmlElement): string[] {
  return [attributes.get('Name'), attributes.get('FriendlyName')].filter((name) => name !== undefined);
}

function only(parent: XmlElement, name: string): XmlElement {
  const [found, ...more] = childrenOf(parent, saml, name);
  if (!found || more.length > 0) throw malformed(`its assertion must hold one ${name}`);
  return found;
}

/** Parses an attribute as xs:dateTime with a zone. Other forms are refused. */
function timeOf({ attributes }: XmlElement, name: string): number | undefined {
  const text = attributes.get(name);
  if (text === undefined) return undefined;
  const written = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const at = written ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw malformed(`its ${name} is no time`);
  return at;
}
