import { type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  boolean,
  explicit,
  integer,
  none,
  objectId,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

/**
 * Creates a self-signed X.509 certificate (RFC 5280) for an RSA key, as PEM. SAML carries keys in
 * certificates, without chains. `node:crypto` reads certificates but cannot create them.
 */
export function selfSignedCertificate(
  keys: { publicKey: KeyObject; privateKey: KeyObject },
  name: string,
  validity: { from: Date; to: Date },
  use: keyof typeof keyUsages = 'signing',
): string {
  const algorithm = sequence(objectId('1.2.840.113549.1.1.11'), none());
  const subject = sequence(set(sequence(objectId('2.5.4.3'), utf8String(name))));
  const version3 = explicit(0, integer(2n));
  const signed = sequence(
    version3,
    integer(serialNumber()),
    algorithm,
    subject,
    sequence(time(validity.from), time(validity.to)),
    subject,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(extension('2.5.29.19', sequence()), extension('2.5.29.15', keyUsages[use]))),
  );
  const signature = sign('sha256', signed, keys.privateKey);
  return pem(sequence(signed, algorithm, bitString(signature)));
}

/**
 * KeyUsage (RFC 5280 §4.2.1.3): digitalSignature is the first bit, keyEncipherment the third. Trailing bits
 * are unused.
 */
const keyUsages = {
  signing: bitString(Buffer.of(0x80), 7),
  encryption: bitString(Buffer.of(0x20), 5),
};

function extension(id: string, value: Uint8Array): Buffer {
  return sequence(objectId(id), boolean(true), octetString(value));
}

/** Returns a random positive number of at most 20 bytes (RFC 5280 §4.1.2.2). */
function serialNumber(): bigint {
  return BigInt(`0x01${randomBytes(15).toString('hex')}`);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
