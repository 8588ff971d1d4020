import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKey } from '../signing-key.ts';

/**
 * Lifetime: half of the permitted five minutes, which tolerates an equal clock difference in both directions.
 */
export const assertionLifeS = 150;
/** Seconds by which `iat` is set back, for a clock slightly ahead of the system's. */
const issuedAgoS = 10;
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Builds the fields of a token request that authenticate a client by its private key (SMART App Launch 2.2,
 * "Client Authentication: Asymmetric"; RFC 7523 §2.2). For one request: each `jti` is accepted once. Omits
 * `jku`: it must equal the registered address, and is wrong if the key itself was registered. Systems then
 * use what was registered.
 */
export async function clientAssertion(
  { privateKey, publicJwk }: SigningKey,
  clientId: string,
  tokenUrl: string,
): Promise<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const assertion = await new SignJWT()
    .setProtectedHeader({ alg: publicJwk.alg, kid: publicJwk.kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setJti(randomUUID())
    // Optional in RFC 7523 §3, but some systems refuse one without it that lives longer than a minute
    // (Keycloak 26).
    .setIssuedAt(now - issuedAgoS)
    .setExpirationTime(now + assertionLifeS)
    .sign(privateKey);
  return { client_assertion_type: type, client_assertion: assertion };
}
