import { notFound } from '../../problem.ts';
import { Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { jwksCacheMs, jwksPath } from './ehr.ts';
import type { Ehrs } from './ehrs.ts';

/** A JWKS with the public half of a key (RFC 7517 §5). */
export const jwksShape = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        kid: Type.String(),
        use: Type.String(),
        alg: Type.String(),
        n: Type.Optional(Type.String()),
        e: Type.Optional(Type.String()),
        crv: Type.Optional(Type.String()),
        x: Type.Optional(Type.String()),
        y: Type.Optional(Type.String()),
      }),
    ),
  },
  { description: '`private_key_jwt`: the public key, to be registered with the EHR system' },
);

/**
 * The public key of a configuration, for the EHR system (SMART App Launch 2.2, "Client Authentication: Asymmetric": without signing
 * in, and with `Cache-Control`). It says nothing but that somebody has such a key, and nobody guesses the id.
 */
export function jwksRoutes(ehrs: Pick<Ehrs, 'publicKeys'>): Route[] {
  return [
    route({
      method: 'GET',
      path: jwksPath,
      operation: 'ehrs.publicKeys',
      tag: 'EHR configurations',
      summary: 'The public key with which a configuration signs in (RFC 7517), for its EHR system',
      params: Type.Object({ ehrId: Type.String({ minLength: 1, maxLength: 255 }) }),
      answers: { 200: { schema: jwksShape, description: 'The key; may be kept for five minutes' } },
      handle: async ({ params }) => {
        const jwks = await ehrs.publicKeys(params.ehrId);
        if (!jwks) throw notFound();
        return new Answer(200, jwks, { 'cache-control': `public, max-age=${jwksCacheMs / 1000}` });
      },
    }),
  ];
}
