import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** New key pair, with the private key as an administrator enters it. */
export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
  pem: string;
}

const pemOf = ({ publicKey, privateKey }: Omit<KeyPair, 'pem'>): KeyPair => ({
  publicKey,
  privateKey,
  pem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
});

/** Makes a key for RS384. */
export const rsaKey = (): KeyPair => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
/** Makes a key for ES384. */
export const ecKey = (): KeyPair => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }));
