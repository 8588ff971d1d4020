import { Type } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { optionalText } from '../../../api/shapes.ts';
import { newToken } from '../../../platform/secrets/secret-token.ts';
import { redirectTo } from '../oauth/index.ts';
import { pageAnswers } from '../setup/index.ts';
import { proofShape, requestShape } from '../sign-in/index.ts';
import { cookieName, readCookie, writeCookie } from '../sign-in/sessions/index.ts';
import { answerRefusalPage, carryingPage, refusalPage, withRefusalPage } from './pages.ts';
import { requestLifeMs } from './requests.ts';
import type { Saml } from './saml.ts';
import { finishPath } from './user-replacement.ts';

const tag = 'Sign-in';
const handleShape = Type.String({ maxLength: 100, description: 'Handle of the sign-in that began' });
const browserCookie = 'ploidy-saml';

/**
 * Routes of /v1/saml. The provider's response is a cross-site POST, without `SameSite=Lax` cookies, so `acs`
 * does not know the browser. It verifies and stores the response, and redirects to `finish`: a GET
 * navigation, which carries the cookie (RFC 6265bis §5.7). There the browser must be the one that began the
 * sign-in. So a response planted in another browser fails (login CSRF), and no cookie needs `SameSite=None`.
 */
export function samlRoutes(saml: Saml, publicUrl: () => string): Route[] {
  const browserOf = (headers: Record<string, string | string[] | undefined>): string | undefined => {
    const value = readCookie(headers['cookie'], cookieName(browserCookie, publicUrl()));
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  };
  return [
    route({
      method: 'GET',
      path: '/v1/saml/metadata',
      operation: 'saml.metadata',
      tag,
      summary: 'Get the metadata of this service as a SAML service provider',
      query: Type.Object({
        encryption: Type.Optional(
          Type.Boolean({
            description: 'Includes a key for encrypted assertions: for providers that encrypt',
          }),
        ),
      }),
      answers: {
        200: {
          schema: Type.String(),
          description: 'The document',
          contentType: 'application/samlmetadata+xml',
        },
      },
      handle: async ({ query }) =>
        new Answer(200, await saml.metadata(query.encryption === true), {
          'content-type': 'application/samlmetadata+xml',
          'cache-control': 'public, max-age=3600',
        }),
    }),
    route({
      method: 'GET',
      path: '/v1/saml/sign-in',
      operation: 'saml.signIn',
      tag,
      problemPage: refusalPage,
      summary: 'Redirect to the identity provider of the application',
      query: Type.Object({
        request: requestShape,
      }),
      answers: {
        ...pageAnswers,
        302: { description: 'Redirect to the identity provider' },
      },
      handle: (context) =>
        withRefusalPage(context.requestId, async () => {
          // One for all tabs of a browser: each may have a pending sign-in.
          const browser = browserOf(context.headers) ?? newToken();
          const carrier = await saml.begin(context.query.request, browser, context);
          const cookie = {
            'set-cookie': writeCookie(browserCookie, browser, publicUrl(), requestLifeMs),
          };
          if (carrier.kind === 'redirect') return redirectTo(carrier.location, cookie);
          const shown = carryingPage(carrier.action, carrier.fields);
          return new Answer(shown.status, shown.body, { ...shown.headers, ...cookie });
        }),
    }),
    route({
      method: 'POST',
      path: '/v1/saml/acs',
      operation: 'saml.answer',
      tag,
      problemPage: answerRefusalPage,
      summary: 'Accept the response of an identity provider (HTTP-POST binding)',
      formBody: 'large',
      body: Type.Object({
        SAMLResponse: optionalText('Base64 of the response'),
        RelayState: optionalText('Value of the request, returned unchanged'),
      }),
      answers: { ...pageAnswers, 302: { description: 'Redirect to the rest of the sign-in' } },
      handle: ({ body: { SAMLResponse = '', RelayState = '' }, requestId }) =>
        withRefusalPage(requestId, async () => {
          const handle = await saml.accept(SAMLResponse, RelayState, requestId);
          return redirectTo(`${finishPath}?handle=${handle}`);
        }),
    }),
    route({
      method: 'GET',
      path: finishPath,
      operation: 'saml.finish',
      tag,
      problemPage: refusalPage,
      summary: 'Continue the authorization request in the browser that began it',
      query: Type.Object({ handle: handleShape }),
      answers: { ...pageAnswers, 302: { description: 'Redirect to the application' } },
      handle: (context) =>
        withRefusalPage(context.requestId, () =>
          saml.finish(context.query, browserOf(context.headers), context),
        ),
    }),
    route({
      method: 'POST',
      path: finishPath,
      operation: 'saml.finish',
      tag,
      problemPage: refusalPage,
      summary: 'Sign in with a link after the user confirmed that the other user is signed out',
      formBody: true,
      body: Type.Object({
        handle: handleShape,
        proof: proofShape,
      }),
      answers: { ...pageAnswers, 302: { description: 'Redirect to the application' } },
      handle: (context) =>
        withRefusalPage(context.requestId, () =>
          saml.finish(context.body, browserOf(context.headers), context),
        ),
    }),
  ];
}
