import { type TObject, type TSchema, Type } from 'typebox';
import { textOf } from '../../../api/shapes.ts';

/** Meaning of each parameter of OAuth 2.0 and OpenID Connect. */
const words = {
  aud: 'FHIR base that tokens are for (SMART App Launch)',
  client_assertion: 'Signed JWT of a client with keys (RFC 7523)',
  client_assertion_type: '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`',
  client_id: 'Id of the client',
  client_secret: 'Secret of the client, unless it is in the header Authorization',
  code: '`authorization_code`: the code of the redirect',
  code_challenge: 'Challenge of PKCE (RFC 7636)',
  code_challenge_method: '`S256`',
  device_code: 'Code of a device (RFC 8628)',
  code_verifier: 'Verifier of PKCE (RFC 7636), for a code that was requested with a challenge',
  grant_type: '`authorization_code`, `refresh_token`, `client_credentials` or that of RFC 8628',
  id_token_hint: 'ID token of the session',
  launch: 'Without effect: no launch from an EHR is offered',
  login_hint: 'E-mail address to fill in',
  max_age: 'Longest time since the last sign-in, in seconds',
  nonce: 'Value that the ID token repeats',
  prompt: '`none` shows no page; `login` asks again',
  redirect_uri: 'Address to return to, one of the client',
  refresh_token: '`refresh_token`: the token to exchange',
  registration: 'Refused (OpenID Connect Core, §3.1.2.6)',
  request: 'Refused (OpenID Connect Core, §3.1.2.6)',
  request_uri: 'Refused (OpenID Connect Core, §3.1.2.6)',
  resource: 'Protected resource that tokens are for (RFC 8707); default this API',
  response_mode: '`query`, `fragment` or `form_post`, as the flow allows',
  response_type: '`code`, or `token` where the client may',
  scope: 'Scopes, separated by blanks',
  state: 'Value that is returned unchanged',
  token: 'Access token or refresh token to revoke',
  token_type_hint: 'Kind of the token; without effect, since both kinds are recognised',
} as const;

type ParameterName = keyof typeof words;

/** Parameters of an endpoint, by name. */
interface ParameterNames {
  required: readonly ParameterName[];
  optional: readonly ParameterName[];
}

/**
 * Returns schemas of parameters. `accepted` permits anything: missing and repeated ones are refused by the
 * handler as OAuth errors. `described` is for documentation.
 */
export function parameterShapes({ required, optional }: ParameterNames): {
  accepted: TObject;
  described: TObject;
} {
  const each = (names: readonly ParameterName[], shapeOf: (name: ParameterName) => TSchema) =>
    Object.fromEntries(names.map((name) => [name, shapeOf(name)]));
  const text = (name: ParameterName) => textOf(words[name]);
  return {
    accepted: Type.Object(each([...required, ...optional], () => Type.Optional(Type.Unknown()))),
    described: Type.Object({
      ...each(required, text),
      ...each(optional, (name) => Type.Optional(text(name))),
    }),
  };
}
