import { Type } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { textOf } from '../../../api/shapes.ts';
import { notFound, type Problem } from '../../../base/problem.ts';
import { type Registrations, redirectFault } from '../clients/index.ts';

const texts = (description: string, maxItems: number) =>
  Type.Array(Type.String({ maxLength: 2000 }), { maxItems, description });
const flows = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

const answerShape = Type.Object(
  {
    client_id: textOf('Id of the client'),
    client_id_issued_at: Type.Integer({ description: 'Seconds since 1970' }),
    client_name: textOf('Name that users see'),
    redirect_uris: texts('Addresses of redirects', 10),
    grant_types: texts('Flows that the client may use', 10),
    response_types: texts('`code`', 10),
    token_endpoint_auth_method: textOf('`none`: the client is public and must use PKCE'),
  },
  { title: 'RegisteredClient' },
);

const errorAnswer = (description: string) => ({
  schema: Type.Object(
    {
      error: textOf('`invalid_redirect_uri`, `invalid_client_metadata` or `server_error`'),
      error_description: textOf('Reason and remedy'),
    },
    { title: 'RegistrationError' },
  ),
  description,
});
const errorAnswers = {
  400: errorAnswer('An address or another field is not valid'),
  404: errorAnswer('Programs cannot register here'),
  413: errorAnswer('The body is too large'),
  415: errorAnswer('The body is no JSON'),
  429: errorAnswer('Too many registrations await consent'),
  500: errorAnswer('Failure of the service'),
  503: errorAnswer('Failure of the service; try again'),
};

interface RegistrationDeps {
  registrations: Registrations;
  /** False: the address is 404. */
  isOn: boolean;
}

/** Route POST /v1/oauth/register (RFC 7591), for programs of assistants. Settings that it does not offer are answered otherwise. */
export function registrationRoute({ registrations, isOn }: RegistrationDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/oauth/register',
    operation: 'oauth.register',
    tag: 'Sign-in',
    summary: 'Register the program of an assistant as a client (RFC 7591)',
    description:
      'A user must consent within a day. The client is then one of the account, and gets tokens for its endpoint of assistants alone.',
    crossOrigin: true,
    problemPage: registrationProblem,
    body: Type.Object({
      redirect_uris: Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), {
        ...{ minItems: 1, maxItems: 10, description: 'Addresses of redirects; compared exactly' },
      }),
      client_name: Type.Optional(Type.String({ maxLength: 200, description: 'Name that users see' })),
    }),
    answers: { 201: { schema: answerShape, description: 'The client' }, ...errorAnswers },
    handle: async ({ body, address }) => {
      if (!isOn) throw notFound();
      const { redirect_uris: callbackUrls, client_name: given = '' } = body;
      const fault = callbackUrls.map(redirectFault).find((one) => one !== undefined);
      if (fault !== undefined) return refusal(400, 'invalid_redirect_uri', `An address ${fault}.`);
      const name = given.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim() || 'Unnamed program';
      const client = await registrations.add({ name, callbackUrls }, address);
      const issued = { client_id: client.id, client_id_issued_at: Math.floor(Date.now() / 1000) };
      const made = { ...issued, client_name: name, redirect_uris: callbackUrls, ...flows };
      return new Answer(201, made, { 'cache-control': 'no-store' });
    },
  });
}

/** Converts a problem to an error of RFC 7591 §3.2.2. */
function registrationProblem({ status, message }: Problem): Answer {
  return refusal(status, status < 500 ? 'invalid_client_metadata' : 'server_error', message);
}

function refusal(status: number, error: string, error_description: string): Answer {
  return new Answer(status, JSON.stringify({ error, error_description }), {
    ...{ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  });
}
