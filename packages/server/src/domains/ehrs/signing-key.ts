import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
  type webcrypto,
} from 'node:crypto';
import { isObject, type JsonObject } from '@ploidy/formats/fhir';

type SigningAlgorithm = 'RS384' | 'ES384';

/** Public key as in a JWKS (RFC 7517 §4). */
export interface PublicJwk {
  kty: 'RSA' | 'EC';
  kid: string;
  use: 'sig';
  alg: SigningAlgorithm;
  n?: string;
  e?: string;
  crv?: string;
  x?: string;
  y?: string;
}

/** Key that signs token requests (SMART App Launch 2.2, "Client Authentication: Asymmetric"). */
export interface SigningKey {
  privateKey: KeyObject;
  publicJwk: PublicJwk;
}

const rsaBitsMin = 2048;
const form = 'must be a private key that is not encrypted: PEM, or one JWK with its private part';
const primes = 'must be whole: the JWK of an RSA key has p, q, dp, dq and qi beside d';
const kinds = 'must be an RSA key of 2048 bits or more (RS384), or an EC key on the curve P-384 (ES384)';

/**
 * Parses a private key as entered, PEM or JWK. Returns a description of the error, which contains nothing of
 * the key.
 */
export function readSigningKey(text: string): SigningKey | string {
  const jwk = readJwk(text);
  const privateKey = importKey(jwk ?? text);
  if (!privateKey) return jwk && lacksPrimes(jwk) ? primes : form;
  const algorithm = algorithmOf(privateKey);
  if (!algorithm) return kinds;
  const error = jwk === undefined ? undefined : errorIn(jwk, algorithm);
  if (error !== undefined) return error;
  const publicKey = createPublicKey(privateKey);
  if (!isPair(privateKey, publicKey)) return 'must be whole: its parts do not belong together';
  const bare = publicKey.export({ format: 'jwk' }) as Pick<PublicJwk, 'kty' | 'n' | 'e' | 'crv' | 'x' | 'y'>;
  const kid = typeof jwk?.['kid'] === 'string' ? jwk['kid'] : thumbprint(bare);
  return { privateKey, publicJwk: { ...bare, kid, use: 'sig', alg: algorithm } };
}

function readJwk(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Imports a private key; `undefined` on any error: errors of the library quote their input. */
function importKey(source: JsonObject | string): KeyObject | undefined {
  try {
    if (typeof source === 'string') return createPrivateKey(source);
    return createPrivateKey({ key: source as webcrypto.JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Reports missing primes: RFC 7518 §6.3.2 permits `d` alone, and the library does not. */
function lacksPrimes(jwk: JsonObject): boolean {
  const all = ['p', 'q', 'dp', 'dq', 'qi'].every((name) => Object.hasOwn(jwk, name));
  return jwk['kty'] === 'RSA' && Object.hasOwn(jwk, 'd') && !all;
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm | undefined {
  if (asymmetricKeyType === 'rsa')
    return (asymmetricKeyDetails?.modulusLength ?? 0) >= rsaBitsMin ? 'RS384' : undefined;
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ES384' : undefined;
}

/** Describes a property of the JWK (RFC 7517 §4) that contradicts its use. */
function errorIn(jwk: JsonObject, algorithm: SigningAlgorithm): string | undefined {
  const { alg = algorithm, use = 'sig', key_ops: uses = ['sign'], kid = 'kid' } = jwk;
  if (alg !== algorithm) return `must be a key for ${algorithm}: its alg says something else`;
  if (use !== 'sig' || !Array.isArray(uses) || !uses.includes('sign'))
    return 'must be a key that signs: its use or key_ops say something else';
  return typeof kid === 'string' && /^[\x20-\x7e]{1,255}$/.test(kid)
    ? undefined
    : 'must have a kid of 1 to 255 ASCII characters, or none';
}

/** Reports whether both halves match: a wrongly assembled JWK would sign nothing that is accepted. */
function isPair(privateKey: KeyObject, publicKey: KeyObject): boolean {
  const sample = Buffer.from('sample');
  try {
    return verify('sha384', sample, publicKey, sign('sha384', sample, privateKey));
  } catch {
    return false;
  }
}

/** Computes the thumbprint of RFC 7638 §3, over the key's members sorted by name. */
function thumbprint({ kty, n, e, crv, x, y }: Partial<PublicJwk>): string {
  const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}
