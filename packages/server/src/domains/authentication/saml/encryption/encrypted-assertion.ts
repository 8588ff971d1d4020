import { text } from '../../setup/index.ts';
import { malformed, refused } from '../messages/refusal.ts';
import {
  childrenOf,
  decodeBase64,
  everything,
  isNamed,
  namespaces,
  type XmlElement,
} from '../messages/xml.ts';
import type { Ciphertext, DataCipher } from './decryption.ts';

const { assertion: saml, signature: ds, encryption: xenc, encryption11: xenc11 } = namespaces;

/** Max. recipients: more than any provider has in one assertion. */
const encryptedKeysMax = 10;

const dataCiphers = new Map<string, DataCipher>(
  ([128, 192, 256] as const).flatMap((keyBits) => [
    [`${xenc11}aes${keyBits}-gcm`, { keyBits, mode: 'gcm' }],
    [`${xenc}aes${keyBits}-cbc`, { keyBits, mode: 'cbc' }],
  ]),
);

const digests = new Map([
  [`${ds}sha1`, 'sha1'],
  [`${xenc}sha256`, 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  [`${xenc}sha512`, 'sha512'],
]);

const maskDigests = new Map(
  ['sha1', 'sha256', 'sha384', 'sha512'].map((digest) => [`${xenc11}mgf1${digest}`, digest]),
);

/** Reports whether an element is an EncryptedAssertion (SAML V2.0 Core §2.3.4). */
export function isEncrypted(assertion: XmlElement): boolean {
  return isNamed(assertion, saml, 'EncryptedAssertion');
}

/**
 * Extracts the ciphertext of an EncryptedAssertion for the service of this entity ID. Refusals here depend on
 * visible content only, so they may be explained. References are not followed: they have only one possible
 * target.
 */
export function ciphertextOf(assertion: XmlElement, entityId: string): Ciphertext {
  const data = only(assertion, xenc, 'EncryptedData');
  if ((data.attributes.get('Type') ?? `${xenc}Element`) !== `${xenc}Element`)
    throw malformed('what it holds encrypted is no element');
  const cipher = dataCiphers.get(methodOf(data).attributes.get('Algorithm') ?? '');
  if (!cipher) throw unsupported(nameOf(methodOf(data)));
  // Inside (SimpleSAMLphp, Shibboleth, ADFS), or beside with a RetrievalMethod inside.
  const inside = childrenOf(data, ds, 'KeyInfo').flatMap((one) => childrenOf(one, xenc, 'EncryptedKey'));
  const key = keyFor([...inside, ...childrenOf(assertion, xenc, 'EncryptedKey')], entityId);
  return { cipher, data: bytesOf(data), wrappedKey: bytesOf(key), oaepHash: oaepHashOf(methodOf(key)) };
}

/**
 * Returns the namespace declarations in scope of the encrypted assertion, as attributes: its text may use
 * prefixes without declaring them. Those of the response are all included, since an inclusive signature
 * (Canonical XML 1.0) covers them. Those of the EncryptedAssertion, which was made after that signature, are
 * included if needed.
 */
export function scopeOf(response: XmlElement, needed: ReadonlySet<string>): string {
  const around = response.children.filter(isEncrypted).flatMap(({ declarations }) => [...declarations]);
  const declared = new Map([...response.declarations, ...around.filter(([prefix]) => needed.has(prefix))]);
  const written = [...declared].map(
    ([prefix, namespace]) => ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${text(namespace)}"`,
  );
  return written.join('');
}

/** Lists the prefixes that an element's content uses without declaring them; '' for names without prefix. */
export function undeclaredPrefixes({ children }: XmlElement): Set<string> {
  const found = new Set<string>();
  for (const { namespace, prefix, attributes } of children.flatMap((child) => [...everything(child)])) {
    if (namespace === '') found.add(prefix);
    for (const name of attributes.keys()) {
      const [undeclared, ...local] = name.split(':');
      if (undeclared !== undefined && local.length > 0 && !name.startsWith('{')) found.add(undeclared);
    }
  }
  return found;
}

/** Returns the refusal of an encryption method. `what` must be a fixed name, no input. */
export function unsupported(what: string): Error {
  return refused(
    'SAML_ENCRYPTED',
    `The identity provider encrypts with ${what}, which is not accepted. Its administrator can choose AES-GCM, or AES-CBC and a signature of the whole response, and for the key RSA-OAEP with the same digest in both places, SHA-1 or SHA-256.`,
  );
}

function keyFor(keys: XmlElement[], entityId: string): XmlElement {
  const ours = keys.filter(({ attributes }) => attributes.get('Recipient') === entityId);
  const [key, ...more] = keys.length === 1 ? keys : ours;
  if (!key || more.length > 0 || keys.length > encryptedKeysMax)
    throw malformed('its assertion is not encrypted with one key for this service');
  return key;
}

/** Returns the digest of RSA-OAEP and its mask (XML Encryption 1.1 §5.5.2): SHA-1 by default. */
function oaepHashOf(method: XmlElement): string {
  const algorithm = method.attributes.get('Algorithm');
  const isFixed = algorithm === `${xenc}rsa-oaep-mgf1p`;
  if (!isFixed && algorithm !== `${xenc11}rsa-oaep`) throw unsupported(nameOf(method));
  if (childrenOf(method, xenc, 'OAEPparams').some((one) => one.text.trim() !== ''))
    throw unsupported('a label of RSA-OAEP (OAEPparams)');
  const digest = digests.get(algorithmOf(method, ds, 'DigestMethod') ?? `${ds}sha1`);
  const mask = maskDigests.get(algorithmOf(method, xenc11, 'MGF') ?? `${xenc11}mgf1sha1`);
  if (!digest || !mask) throw unsupported('a digest of RSA-OAEP that is unknown here');
  if (digest !== mask || (isFixed && mask !== 'sha1')) throw unsupported('two different digests of RSA-OAEP');
  return digest;
}

function nameOf(method: XmlElement): string {
  const algorithm = method.attributes.get('Algorithm');
  if (algorithm === `${xenc}rsa-1_5`) return 'RSA of PKCS #1 v1.5 (rsa-1_5)';
  return algorithm === `${xenc}tripledes-cbc` ? 'Triple DES' : 'an algorithm that is unknown here';
}

function methodOf(encrypted: XmlElement): XmlElement {
  return only(encrypted, xenc, 'EncryptionMethod');
}

function algorithmOf(method: XmlElement, namespace: string, name: string): string | undefined {
  return childrenOf(method, namespace, name).length === 0
    ? undefined
    : (only(method, namespace, name).attributes.get('Algorithm') ?? '');
}

function bytesOf(encrypted: XmlElement): Buffer {
  return decodeBase64(only(only(encrypted, xenc, 'CipherData'), xenc, 'CipherValue').text);
}

function only(parent: XmlElement, namespace: string, name: string): XmlElement {
  const [found, ...more] = childrenOf(parent, namespace, name);
  if (!found || more.length > 0) throw malformed(`its encrypted assertion must hold one ${name}`);
  return found;
}
