import type { KeyObject } from 'node:crypto';
import { Problem } from '../../problem.ts';
import { decrypt } from './decryption.ts';
import {
  ciphertextOf,
  isEncrypted,
  scopeOf,
  undeclaredPrefixes,
  unsupported,
} from './encrypted-assertion.ts';
import type { Provider } from './provider-metadata.ts';
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

/** Largest response that is read. */
const responseBytesMax = 256 * 1024;

/**
 * How a response is read, and what was signed in it, which canonical XML makes longer. Signatures are verified by a library that
 * takes a time which grows with the square of the number of elements, before it knows who signed: 1500 hold the 1015 groups which
 * somebody can have in Active Directory (Windows signs in nobody who has more), each an AttributeValue.
 */
const responseLimits: XmlLimits = { bytesMax: responseBytesMax, elementsMax: 1500, allowsComments: false };
export const signedLimits: XmlLimits = { ...responseLimits, bytesMax: 2 * responseBytesMax };

const { assertion: saml, protocol: samlp, signature: ds } = namespaces;

/** Algorithms of signatures and digests that are believed; SHA-1 is not (NIST SP 800-131A), and the library knows no ECDSA. */
const signatureAlgorithms = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
]);
const digestAlgorithms = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);

/** A response that has the shape of one. Nothing in it has been verified: it says only what to verify. */
export interface Envelope {
  xml: string;
  /** Whether the response as a whole is signed, beside its assertion. */
  signed: boolean;
  /** The entity ID for which its assertion is encrypted; `undefined` where it is not. */
  encryptedFor: string | undefined;
}

/** With what an encrypted assertion is opened. */
export interface Opening {
  /** Those for which it may be encrypted. */
  privateKeys: readonly KeyObject[];
  /** Whether a wrapped key has not come with another answer. One that has opens nothing in CBC. */
  isFirst: (wrappedKey: Buffer) => Promise<boolean>;
}

/** What a response has to be an answer to. */
export interface Expected {
  acsUrl: string;
  requestId: string;
  /** Our own. */
  entityId: string;
}

/**
 * Reads a `SAMLResponse` field. A response has one shape only: one assertion directly in it, encrypted or not, at most two
 * signatures in their places, no ID twice. Whatever signature wrapping puts elsewhere is refused before a signature is looked at.
 */
export function readEnvelope(field: string, expected: Expected): Envelope {
  const xml = decodeField(field);
  const root = readStrictly(xml);
  if (!isNamed(root, samlp, 'Response') || root.attributes.get('Version') !== '2.0')
    throw malformed('it is no response of SAML 2.0');
  requireSuccess(root);
  // Only an early answer for what cannot fit: both are checked again in the signed assertion.
  const destination = root.attributes.get('Destination');
  if (destination !== undefined && destination !== '' && destination !== expected.acsUrl)
    throw refused('SAML_DESTINATION', 'The identity provider’s answer is meant for another service.');
  if (root.attributes.get('InResponseTo') !== expected.requestId) throw unasked();
  const assertion = requireShape(root);
  const signed = childrenOf(root, ds, 'Signature').length > 0;
  if (!isEncrypted(assertion)) return { xml, signed, encryptedFor: undefined };
  const { cipher } = orMalformed(() => ciphertextOf(assertion, expected.entityId));
  // Who can change what is in CBC and sees what becomes of it can read it (Jager, Somorovsky: How to Break XML Encryption, 2011).
  if (cipher.mode === 'cbc' && !signed) throw unsupported('AES-CBC in a response that is not signed itself');
  return { xml, signed, encryptedFor: expected.entityId };
}

/** The answer belongs to no request, or to another one. */
export function unasked(): Error {
  return refused('SAML_IN_RESPONSE_TO', 'The identity provider’s answer does not belong to this sign-in.');
}

/**
 * The assertion, as the bytes that were signed with one of the provider's keys, or `undefined`. Whatever is wrong with an
 * encrypted one, nobody is told more: who can tell failures apart can decrypt.
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
  // With the first sign-in, as the library for requests.
  const { SignatureVerifier } = await import('./signature-verifier.ts');
  const verifier = new SignatureVerifier(provider.certificates, plain.signed);
  // Encoded again, so that it reads the very text that was looked at here.
  const SAMLResponse = Buffer.from(plain.xml).toString('base64');
  try {
    await verifier.validatePostResponseAsync({ SAMLResponse });
    return verifier.assertionXml;
  } catch {
    // It throws for every signature that is missing, wrong or by somebody else. Its messages hold what was sent.
    return undefined;
  }
}

/**
 * A response around the decrypted assertion, which is checked from here on as if it had come so. If the response is signed, that is
 * verified first, and only what was signed is decrypted.
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
    // Before decryption: what depends on the response around it must not take its time only where something was opened.
    const around = readStrictly(xml);
    if (ciphertext.cipher.mode === 'cbc' && !(await isFirst(ciphertext.wrappedKey))) return undefined;
    const bytes = decrypt(ciphertext, privateKeys);
    if (!bytes) return undefined;
    // The prefixes that mean something where it stood, in canonical XML too, and no element or name more.
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

/** Does something with XML that was sent; what it finds wrong is a Problem 400. */
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
  throw refused('SAML_STATUS', 'The identity provider did not sign you in, or you turned back there.');
}

/** Answers the assertion, encrypted or not. */
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
