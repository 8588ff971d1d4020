import type { KeyObject } from 'node:crypto';
import { Problem } from '../../../../base/problem.ts';
import { decrypt } from '../encryption/decryption.ts';
import {
  ciphertextOf,
  isEncrypted,
  scopeOf,
  undeclaredPrefixes,
  unsupported,
} from '../encryption/encrypted-assertion.ts';
import type { Provider } from '../provider-metadata.ts';
import { malformed, refused } from './refusal.ts';
import {
  childrenOf,
  decodeBase64,
  decodeXml,
  everything,
  isNamed,
  namespaces,
  readXml,
  type XmlElement,
  XmlError,
  type XmlLimits,
} from './xml.ts';

/** Max. size of a response. */
const responseBytesMax = 256 * 1024;

/**
 * Limits of a response and its signed text, which canonical XML makes longer. The library verifies signatures in quadratic
 * time, before it identifies the signer. 1500 elements fit the 1015 groups of a user in Active Directory (the limit of
 * Windows), each an AttributeValue.
 */
const responseLimits: XmlLimits = { bytesMax: responseBytesMax, elementsMax: 1500, allowsComments: false };
export const signedLimits: XmlLimits = { ...responseLimits, bytesMax: 2 * responseBytesMax };

const { assertion: saml, protocol: samlp, signature: ds } = namespaces;

/** Accepted algorithms of signatures and digests; SHA-1 is refused (NIST SP 800-131A), and the library lacks ECDSA. */
const signatureAlgorithms = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
]);
const digestAlgorithms = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);

/** Well-formed response. It is unverified: it only determines what to verify. */
interface Envelope {
  xml: string;
  /** True when the response as a whole is signed, besides its assertion. */
  signed: boolean;
  /** Entity ID for which its assertion is encrypted; `undefined` for a plain one. */
  encryptedFor: string | undefined;
}

/** Means to open an encrypted assertion. */
export interface Opening {
  /** Candidate keys. */
  privateKeys: readonly KeyObject[];
  /** Reports whether no other response had this wrapped key. A repeated one opens nothing in CBC. */
  isFirst: (wrappedKey: Buffer) => Promise<boolean>;
}

/** Expected properties of a response. */
export interface Expected {
  acsUrl: string;
  requestId: string;
  /** Entity ID of this service. */
  entityId: string;
}

/**
 * Parses a `SAMLResponse` field. A response has one permitted shape: one direct assertion, encrypted or not,
 * at most two signatures in their places, no repeated ID. So signature wrapping is refused before any
 * verification.
 */
export function readEnvelope(field: string, expected: Expected): Envelope {
  const xml = decodeField(field);
  const root = readStrictly(xml);
  if (!isNamed(root, samlp, 'Response') || root.attributes.get('Version') !== '2.0')
    throw malformed('it is no response of SAML 2.0');
  requireSuccess(root);
  // Early refusal of misdirected responses: both are checked again in the signed assertion.
  const destination = root.attributes.get('Destination');
  if (destination !== undefined && destination !== '' && destination !== expected.acsUrl)
    throw refused('SAML_DESTINATION', 'The identity provider’s response is meant for another service.');
  if (root.attributes.get('InResponseTo') !== expected.requestId) throw unsolicitedResponse();
  const assertion = requireShape(root);
  const signed = childrenOf(root, ds, 'Signature').length > 0;
  if (!isEncrypted(assertion)) return { xml, signed, encryptedFor: undefined };
  const { cipher } = orMalformed(() => ciphertextOf(assertion, expected.entityId));
  // Malleable CBC plus observable outcomes reveal the content (Jager, Somorovsky: How to Break XML
  // Encryption, 2011).
  if (cipher.mode === 'cbc' && !signed) throw unsupported('AES-CBC in a response that is not signed itself');
  return { xml, signed, encryptedFor: expected.entityId };
}

/** Returns the refusal of a response to no request, or to another one. */
export function unsolicitedResponse(): Error {
  return refused('SAML_IN_RESPONSE_TO', 'The identity provider’s response does not belong to this sign-in.');
}

/**
 * Returns the assertion as the bytes signed with one of the provider's keys, or `undefined`. Failures of an
 * encrypted one are not distinguished: that would be a decryption oracle.
 */
export async function verifiedAssertion(
  envelope: Envelope,
  provider: Provider,
  opening: Opening | undefined,
): Promise<string | undefined> {
  const plain =
    envelope.encryptedFor === undefined
      ? envelope
      : opening && (await openEnvelope(envelope, provider, opening));
  if (!plain) return undefined;
  // Loaded at the first sign-in, like the library for requests.
  const { SignatureVerifier } = await import('./signature-verifier.ts');
  const verifier = new SignatureVerifier(provider.certificates, plain.signed);
  // Encoded again, so that the library parses the text that was checked here.
  const SAMLResponse = Buffer.from(plain.xml).toString('base64');
  try {
    await verifier.validatePostResponseAsync({ SAMLResponse });
    return verifier.assertionXml;
  } catch {
    // The library throws for every missing, wrong or foreign signature. Its messages contain input.
    return undefined;
  }
}

/**
 * Returns the response around the decrypted assertion, then checked like a plain one. A signed response is
 * verified first, and only its signed bytes are decrypted.
 */
async function openEnvelope(
  envelope: Envelope,
  provider: Provider,
  { privateKeys, isFirst }: Opening,
): Promise<Envelope | undefined> {
  const { xml, signed, encryptedFor = '' } = envelope;
  const { verifiedResponse } = await import('./signature-verifier.ts');
  const source = signed ? await verifiedResponse(xml, provider.certificates) : xml;
  if (source === undefined) return undefined;
  try {
    const ciphertext = ciphertextOf(requireShape(readStrictly(source, signedLimits)), encryptedFor);
    // Before decryption, so that the time of this step does not depend on its success.
    const around = readStrictly(xml);
    if (ciphertext.cipher.mode === 'cbc' && !(await isFirst(ciphertext.wrappedKey))) return undefined;
    const bytes = decrypt(ciphertext, privateKeys);
    if (!bytes) return undefined;
    // Only the prefixes in scope at its place, also in canonical XML, and no further element or name.
    const assertion = decodeXml(bytes);
    const needed = undeclaredPrefixes(readStrictly(`<Response>${assertion}</Response>`));
    const plain = `<Response${scopeOf(around, needed)}>${assertion}</Response>`;
    const root = readStrictly(plain);
    const isAlone = root.children.length === 1 && root.text.trim() === '' && !isEncrypted(requireShape(root));
    return isAlone ? { xml: plain, signed: false, encryptedFor: undefined } : undefined;
  } catch (error) {
    if (error instanceof Problem || error instanceof XmlError) return undefined;
    throw error;
  }
}

function decodeField(field: string): string {
  const base64 = field.replace(/\s+/g, '');
  if (base64.length > Math.ceil(responseBytesMax / 3) * 4)
    throw malformed(`it is larger than ${responseBytesMax >> 10} KiB`);
  return orMalformed(() => decodeXml(decodeBase64(base64)));
}

function readStrictly(xml: string, limits = responseLimits): XmlElement {
  return orMalformed(() => readXml(xml, limits));
}

/** Runs work on received XML; its errors become Problem 400. */
export function orMalformed<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof XmlError) throw malformed(error.message, error);
    throw error;
  }
}

function requireSuccess(root: XmlElement): void {
  const [code] = childrenOf(root, samlp, 'Status').flatMap((one) => childrenOf(one, samlp, 'StatusCode'));
  const status = code?.attributes.get('Value') ?? '';
  if (status === 'urn:oasis:names:tc:SAML:2.0:status:Success') return;
  throw refused('SAML_STATUS', 'The identity provider did not sign you in, or you cancelled there.');
}

/** Returns the assertion, encrypted or not. */
function requireShape(root: XmlElement): XmlElement {
  const all = [...everything(root)];
  const [assertion, ...more] = all.filter(
    ({ name }) => name === 'Assertion' || name === 'EncryptedAssertion',
  );
  if (!assertion || more.length > 0 || assertion.namespace !== saml || !root.children.includes(assertion))
    throw malformed('it must hold one assertion');
  const encrypted = isEncrypted(assertion);
  const places = [root, ...(encrypted ? [] : [assertion])].flatMap((one) => childrenOf(one, ds, 'Signature'));
  const signatures = all.filter((one) => one.name === 'Signature');
  if (
    signatures.length !== places.length ||
    places.length > 2 ||
    signatures.some((one) => !places.includes(one))
  )
    throw malformed('it holds a signature in a place where none belongs');
  if (!encrypted && childrenOf(assertion, ds, 'Signature').length !== 1)
    throw refused('SAML_UNSIGNED', 'The identity provider’s assertion is not signed.');
  if (childrenOf(root, ds, 'Signature').length > 1) throw malformed('it is signed twice');
  requireOneOfEachId(all);
  requireAlgorithms(signatures.flatMap((one) => [...everything(one)]));
  return assertion;
}

function requireOneOfEachId(all: XmlElement[]): void {
  const ids = all.flatMap(({ attributes }) =>
    [...attributes].filter(([name]) => /^(?:\{.*\})?id$/i.test(name)).map(([, value]) => value),
  );
  if (new Set(ids).size !== ids.length) throw malformed('it holds an ID twice');
}

function requireAlgorithms(all: XmlElement[]): void {
  const wrong = all.some(({ name, attributes }) => {
    const algorithm = attributes.get('Algorithm') ?? '';
    if (name === 'SignatureMethod') return !signatureAlgorithms.has(algorithm);
    if (name === 'DigestMethod') return !digestAlgorithms.has(algorithm);
    return false;
  });
  if (wrong)
    throw refused(
      'SAML_ALGORITHM',
      'The identity provider signs in a way that is not accepted. Its administrator can choose RSA with SHA-256; SHA-1 and elliptic curves (ECDSA) are not.',
    );
}
