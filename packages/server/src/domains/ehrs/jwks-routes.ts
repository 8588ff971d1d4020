import { Type } from 'typebox';
import { Answer, type Route, route } from '../../api/route.ts';
import { idOf, optionalText, textOf } from '../../api/shapes.ts';
import { notFound } from '../../base/problem.ts';
import { jwksCacheMs, jwksPath } from './ehr.ts';
import type { Ehrs } from './ehrs.ts';

/** JWKS with a public key (RFC 7517 §5). */
export const jwksShape = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: textOf('Type of the key: `RSA` or `EC`'),
        kid: textOf('Id of the key'),
        use: textOf('Use of the key: `sig`'),
        alg: textOf('Algorithm of signatures: `RS384` or `ES384`'),
        n: optionalText('RSA: modulus, base64url'),
        e: optionalText('RSA: exponent, base64url'),
        crv: optionalText('EC: curve, `P-384`'),
        x: optionalText('EC: first coordinate, base64url'),
        y: optionalText('EC: second coordinate, base64url'),
      }),
      { description: 'Public keys (RFC 7517); one' },
    ),
  },
  {
    title: 'JsonWebKeySet',
    description: '`private_key_jwt`: the public key, to be registered with the EHR system',
  },
);

/**
 * Serves the public key of a configuration to the EHR system (SMART App Launch 2.2, "Client Authentication:
 * Asymmetric": without credentials, with `Cache-Control`). Reveals only that such a key exists, and ids
 * cannot be guessed.
 */
export function jwksRoutes(ehrs: Pick<Ehrs, 'publicKeys'>): Route[] {
  return [
    route({
      method: 'GET',
      path: jwksPath,
      operation: 'ehrs.publicKeys',
      tag: 'EHR systems',
      summary: 'Get the public key of an EHR system (RFC 7517)',
      params: Type.Object({ ehrId: idOf('Id of the EHR system') }),
      answers: { 200: { schema: jwksShape, description: 'The key; may be cached for five minutes' } },
      handle: async ({ params }) => {
        const jwks = await ehrs.publicKeys(params.ehrId);
        if (!jwks) throw notFound();
        return new Answer(200, jwks, { 'cache-control': `public, max-age=${jwksCacheMs / 1000}` });
      },
    }),
  ];
}
