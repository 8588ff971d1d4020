import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { MasterKeys } from './key-file.ts';

/** Keeps secrets at rest and makes keys for signatures, all from one master key. */
export interface Secrets {
  /** Encrypts. `context` names the content and its owner; only the same context opens it again. URL-safe text. */
  seal(plaintext: string, context: string): string;
  /** Decrypts. Throws when the text was changed, was sealed for another context, or with another master key. */
  open(sealed: string, context: string): string;
  /** Seals a sealed text anew with the present master key; returns current ones unchanged. */
  renew(sealed: string, context: string): string;
  /** A 256-bit key for one purpose, the same at each start; from none of them follows another or the master key. */
  derive(purpose: string): Buffer;
}

/** Form of a sealed text: version, salt, nonce, ciphertext, tag; base64url. */
const version = 1;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + saltBytes + nonceBytes;

/**
 * AES-256-GCM with a fresh key for each text, HMAC-SHA256(sealing key, salt). One key may seal 2³² texts with random nonces
 * (NIST SP 800-38D §8.3). With fresh keys that is no limit, though every page token is sealed.
 */
export function secretsFrom(
  masterKey: Uint8Array,
  { older = [], derive: root = Buffer.from(masterKey) }: Partial<Omit<MasterKeys, 'seal'>> = {},
): Secrets {
  const sealer = sealerFrom(masterKey);
  const others = older.map(sealerFrom);
  const open = (sealed: string, context: string): string => {
    const bytes = bytesOf(sealed);
    for (const one of others.length === 0 ? [] : [sealer, ...others]) {
      const opened = one.tryOpen(bytes, context);
      if (opened !== undefined) return opened;
    }
    return sealer.open(bytes, context);
  };
  return {
    derive: (purpose) => derive(root, purpose),
    seal: sealer.seal,
    open,
    renew: (sealed, context) =>
      sealer.tryOpen(bytesOf(sealed), context) === undefined
        ? sealer.seal(open(sealed, context), context)
        : sealed,
  };
}

function derive(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `ploidy:${purpose}`, 32));
}

/** Seals and opens with one master key. */
interface Sealer {
  seal(plaintext: string, context: string): string;
  open(bytes: Buffer, context: string): string;
  /** `undefined`: it is not sealed with this key, or not for this context. */
  tryOpen(bytes: Buffer, context: string): string | undefined;
}

function sealerFrom(masterKey: Uint8Array): Sealer {
  const sealingKey = derive(masterKey, 'seal');
  const keyFor = (salt: Uint8Array) => createHmac('sha256', sealingKey).update(salt).digest();
  const open: Sealer['open'] = (bytes, context) => {
    const nonce = bytes.subarray(1 + saltBytes, headBytes);
    const decipher = createDecipheriv('aes-256-gcm', keyFor(bytes.subarray(1, 1 + saltBytes)), nonce, {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return decipher.update(bytes.subarray(headBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  };
  return {
    seal: (plaintext, context) => {
      const random = randomBytes(saltBytes + nonceBytes);
      const nonce = random.subarray(saltBytes);
      const cipher = createCipheriv('aes-256-gcm', keyFor(random.subarray(0, saltBytes)), nonce, {
        authTagLength: tagBytes,
      });
      cipher.setAAD(Buffer.from(context));
      const body = [cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat([Buffer.of(version), random, ...body]).toString('base64url');
    },
    open,
    tryOpen: (bytes, context) => {
      try {
        return open(bytes, context);
      } catch {
        // The tag is another one's; Node has no code of its own for it.
        return undefined;
      }
    },
  };
}

function bytesOf(sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  // Buffer skips what is no base64url; one secret has one spelling only.
  if (bytes.length < headBytes + tagBytes || bytes[0] !== version || bytes.toString('base64url') !== sealed) {
    throw new Error('This is not a sealed text.');
  }
  return bytes;
}
