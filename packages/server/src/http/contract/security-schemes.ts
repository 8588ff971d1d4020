import { isOpen } from '../../access/operations.ts';
import type { Credential, Route } from '../../api/route.ts';

/** Scopes decide which claims a client receives; policies decide what its user may do. */
const scopes = {
  openid: 'An id token with a code, and /v1/oauth/userinfo',
  email: 'The e-mail address in them',
  profile: 'The names in them',
  phone: 'The telephone number in them',
  offline_access: 'Nothing more: a code includes a refresh token in any case',
};

/** Describes the kinds of credentials for OpenAPI (3.1, §4.8.27). `path`: that of the service on its host. */
export const securitySchemes = (path: string) => {
  const authorizationUrl = `${path}/v1/oauth/authorize`;
  const tokenUrl = `${path}/v1/oauth/token`;
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key, with or without the word `Bearer` before it.',
    },
    oauth2: {
      type: 'oauth2',
      description:
        'An access token in `Authorization: Bearer`. A client is registered with POST /v1/clients, with the flows that it may use; without a secret it must use PKCE (S256). Discovery: `/v1/.well-known/openid-configuration`.',
      flows: {
        authorizationCode: {
          ...{ authorizationUrl, tokenUrl, refreshUrl: tokenUrl },
          scopes: {
            ...scopes,
            'launch/patient': 'The user chooses a patient (SMART)',
            'patient/*.rs': 'FHIR resources of this patient that the user may read (SMART)',
            'user/*.rs': 'FHIR resources that the user may read (SMART)',
          },
        },
        implicit: { authorizationUrl, scopes },
        clientCredentials: {
          tokenUrl,
          scopes: { 'system/*.rs': 'FHIR resources that the program may read (SMART)' },
        },
      },
    },
    sessionCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: 'ploidy-session',
      description:
        'The session of a browser, begun at `/v1/oauth/sign-in`; `__Host-ploidy-session` where the service is reached by https, `__Secure-ploidy-session` with a path. A request that changes something must come from a page of the service.',
    },
    client: {
      type: 'http',
      scheme: 'basic',
      description:
        'Id and secret of a client, each form-urlencoded (RFC 6749 §2.3.1). They may also come in the form; a client without a secret sends its id there.',
    },
  } as const;
};

/** Returns the alternative credentials of a route; an empty one means that credentials are optional. */
export function securityOf(route: Route): Record<string, string[]>[] {
  const open = isOpen(route.operation);
  const common: Credential[] = open ? [] : ['apiKey', 'oauth2', 'sessionCookie'];
  const requirements = (route.credentials ?? common).map((name) => ({ [name]: [] }));
  return open && requirements.length > 0 ? [...requirements, {}] : requirements;
}
