import { constants, createDecipheriv, type KeyObject, privateDecrypt, randomBytes } from 'node:crypto';

/** How data are encrypted: AES. */
export interface DataCipher {
  keyBits: 128 | 192 | 256;
  /** GCM refuses what was changed; CBC does not. */
  mode: 'gcm' | 'cbc';
}

/** Data that are encrypted with a key, and that key, encrypted for somebody by RSA-OAEP. */
export interface Ciphertext {
  cipher: DataCipher;
  /** The initialization vector, the data, and what authenticates them in GCM. */
  data: Buffer;
  wrappedKey: Buffer;
  /** The digest of OAEP and of its mask generation function, which are the same: Node knows one for both. */
  oaepHash: string;
}

const gcmIvBytes = 12;
const gcmTagBytes = 16;
const blockBytes = 16;

/**
 * Decrypts what was encrypted for one of our keys (XML Encryption 1.1 §5.2 and §5.5.2); `undefined` when it was not, or was
 * changed; in CBC also anything else, which the signature of the text has to tell.
 * Nobody may learn which: a key that cannot be had is replaced by one of chance, with which the data fail as wrong ones do, and
 * every private key is tried, whichever fits.
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
 * The padding of XML Encryption: its last byte counts it, the others are anything, which Node's own check would not have. One that
 * counts wrongly stays where it is, so that it is found wrong by whoever reads the text, no sooner than any other wrong byte.
 */
function openCbc({ keyBits }: DataCipher, key: Buffer, data: Buffer): Buffer | undefined {
  if (data.length < 2 * blockBytes || data.length % blockBytes !== 0) return undefined;
  const decipher = createDecipheriv(`aes-${keyBits}-cbc`, key, data.subarray(0, blockBytes));
  decipher.setAutoPadding(false);
  const opened = Buffer.concat([decipher.update(data.subarray(blockBytes)), decipher.final()]);
  const padding = opened.at(-1) ?? 0;
  return padding >= 1 && padding <= blockBytes ? opened.subarray(0, -padding) : opened;
}
