import { constants, createDecipheriv, type KeyObject, privateDecrypt, randomBytes } from 'node:crypto';

/** Cipher of the data: AES. */
export interface DataCipher {
  keyBits: 128 | 192 | 256;
  /** GCM detects changes; CBC does not. */
  mode: 'gcm' | 'cbc';
}

/** Data encrypted with a key, and that key encrypted by RSA-OAEP. */
export interface Ciphertext {
  cipher: DataCipher;
  /** Initialization vector, data, and in GCM the authentication tag. */
  data: Buffer;
  wrappedKey: Buffer;
  /** Digest of both OAEP and its mask generation function: Node supports only equal ones. */
  oaepHash: string;
}

const gcmIvBytes = 12;
const gcmTagBytes = 16;
const blockBytes = 16;

/**
 * Decrypts data for one of our keys (XML Encryption 1.1 §5.2 and §5.5.2); `undefined` on failure. In CBC the
 * result may be anything, until the signature of the text is verified. Failures must be indistinguishable: a
 * random key replaces an undecryptable one, and every private key is tried.
 */
export function decrypt(ciphertext: Ciphertext, privateKeys: readonly KeyObject[]): Buffer | undefined {
  const { cipher, data } = ciphertext;
  const keyBytes = cipher.keyBits / 8;
  const chance = randomBytes(keyBytes);
  const found = privateKeys.map((key) => unwrap(ciphertext, key));
  const key = found.find((one) => one?.length === keyBytes) ?? chance;
  return cipher.mode === 'gcm' ? openGcm(cipher, key, data) : openCbc(cipher, key, data);
}

function unwrap({ wrappedKey, oaepHash }: Ciphertext, key: KeyObject): Buffer | undefined {
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, wrappedKey);
  } catch {
    return undefined;
  }
}

function openGcm({ keyBits }: DataCipher, key: Buffer, data: Buffer): Buffer | undefined {
  if (data.length < gcmIvBytes + gcmTagBytes) return undefined;
  const options = { authTagLength: gcmTagBytes };
  const decipher = createDecipheriv(`aes-${keyBits}-gcm`, key, data.subarray(0, gcmIvBytes), options);
  decipher.setAuthTag(data.subarray(-gcmTagBytes));
  const opened = decipher.update(data.subarray(gcmIvBytes, -gcmTagBytes));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    return undefined;
  }
}

/**
 * Removes the padding of XML Encryption: its last byte is the count, the others are arbitrary, which Node's
 * own check rejects. Invalid padding stays: it must fail while parsing, no sooner than any other wrong byte.
 */
function openCbc({ keyBits }: DataCipher, key: Buffer, data: Buffer): Buffer | undefined {
  if (data.length < 2 * blockBytes || data.length % blockBytes !== 0) return undefined;
  const decipher = createDecipheriv(`aes-${keyBits}-cbc`, key, data.subarray(0, blockBytes));
  decipher.setAutoPadding(false);
  const opened = Buffer.concat([decipher.update(data.subarray(blockBytes)), decipher.final()]);
  const padding = opened.at(-1) ?? 0;
  return padding >= 1 && padding <= blockBytes ? opened.subarray(0, -padding) : opened;
}
