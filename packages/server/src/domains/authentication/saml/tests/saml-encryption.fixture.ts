import { constants, createCipheriv, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto';
import type { TestApp } from '../../../../../../../test/support/app.ts';

export const xenc = 'http://www.w3.org/2001/04/xmlenc#';
export const xenc11 = 'http://www.w3.org/2009/xmlenc11#';
const ds = 'http://www.w3.org/2000/09/xmldsig#';

/** Encryption by a provider. */
export interface Encryption {
  /** Certificate of the recipient's public key. */
  certificate: string;
  keyBits: 128 | 192 | 256;
  mode: 'gcm' | 'cbc';
  /** `undefined`: the method without parameters, `rsa-oaep-mgf1p` with SHA-1. */
  oaepHash: 'sha1' | 'sha256' | 'sha384' | 'sha512' | undefined;
  /** Place of the key: inside the data, or beside them (an option of Shibboleth). */
  layout: 'inside' | 'beside';
  /** Changes of the right bytes. */
  change: { text?: (text: string) => string | Buffer; data?: Change; wrappedKey?: Change };
}

type Change = (bytes: Buffer) => Buffer;

/** Returns AES-256-GCM with `rsa-oaep-mgf1p`, with changes. */
export function encryptionFor(certificate: string, more: Partial<Encryption> = {}): Encryption {
  return {
    certificate,
    keyBits: 256,
    mode: 'gcm',
    oaepHash: undefined,
    layout: 'inside',
    change: {},
    ...more,
  };
}

/** Returns the service's certificate for encryption. */
export async function encryptionCertificate(app: TestApp): Promise<string> {
  const metadata = await (await fetch(`${app.address}/v1/saml/metadata?encryption=true`)).text();
  const [, base64 = ''] = /use="encryption">.*?<ds:X509Certificate>([^<]+)/s.exec(metadata) ?? [];
  return new X509Certificate(Buffer.from(base64, 'base64')).toString();
}

/** Encrypts the assertion of a response in place: prefixes declared by the response stay undeclared in it. */
export function encrypted(response: string, how: Encryption): string {
  const [assertion = ''] = /<saml:Assertion .*<\/saml:Assertion>/s.exec(response) ?? [];
  return response.replace(assertion, encryptedAssertion(assertion, how));
}

/** Returns an EncryptedAssertion of any text. */
export function encryptedAssertion(text: string, how: Encryption): string {
  const key = randomBytes(how.keyBits / 8);
  const { change } = how;
  const data = encryptedBytes(Buffer.from(change.text?.(text) ?? text), key, how);
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const { publicKey } = new X509Certificate(how.certificate);
  const wrapped = publicEncrypt({ key: publicKey, padding, oaepHash: how.oaepHash ?? 'sha1' }, key);
  const wrappedKey = change.wrappedKey?.(wrapped) ?? wrapped;
  const encryptedKey = `<xenc:EncryptedKey xmlns:xenc="${xenc}" Id="_key">${transport(how)}${cipherData(wrappedKey)}</xenc:EncryptedKey>`;
  const inside = how.layout === 'inside';
  const keyInfo = inside ? encryptedKey : `<ds:RetrievalMethod Type="${xenc}EncryptedKey" URI="#_key"/>`;
  return `<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="${xenc}" Type="${xenc}Element"><xenc:EncryptionMethod Algorithm="${how.mode === 'gcm' ? xenc11 : xenc}aes${how.keyBits}-${how.mode}"/><ds:KeyInfo xmlns:ds="${ds}">${keyInfo}</ds:KeyInfo>${cipherData(change.data?.(data) ?? data)}</xenc:EncryptedData>${inside ? '' : encryptedKey}</saml:EncryptedAssertion>`;
}

/** Flips bytes at one place, counted from the end if negative. */
export const flipped =
  (at: number): Change =>
  (bytes) => {
    const changed = Buffer.from(bytes);
    const place = at < 0 ? bytes.length + at : at;
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
    return changed;
  };

function encryptedBytes(text: Buffer, key: Buffer, { mode, keyBits }: Encryption): Buffer {
  if (mode === 'gcm') {
    const iv = randomBytes(12);
    const cipher = createCipheriv(`aes-${keyBits}-gcm`, key, iv);
    return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  }
  const iv = randomBytes(16);
  const cipher = createCipheriv(`aes-${keyBits}-cbc`, key, iv).setAutoPadding(false);
  // Padding of XML Encryption: only its last byte counts.
  const padding = randomBytes(16 - (text.length % 16));
  padding.writeUInt8(padding.length, padding.length - 1);
  return Buffer.concat([iv, cipher.update(Buffer.concat([text, padding])), cipher.final()]);
}

function transport({ oaepHash }: Encryption): string {
  if (oaepHash === undefined) return `<xenc:EncryptionMethod Algorithm="${xenc}rsa-oaep-mgf1p"/>`;
  const namespaces = {
    sha1: ds,
    sha256: xenc,
    sha384: 'http://www.w3.org/2001/04/xmldsig-more#',
    sha512: xenc,
  };
  return `<xenc:EncryptionMethod Algorithm="${xenc11}rsa-oaep"><ds:DigestMethod xmlns:ds="${ds}" Algorithm="${namespaces[oaepHash]}${oaepHash}"/><xenc11:MGF xmlns:xenc11="${xenc11}" Algorithm="${xenc11}mgf1${oaepHash}"/></xenc:EncryptionMethod>`;
}

function cipherData(bytes: Buffer): string {
  return `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`;
}
