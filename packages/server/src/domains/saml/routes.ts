import { Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { newToken } from '../../secret-token.ts';
import { redirectTo } from '../oauth/index.ts';
import { cookieName, readCookie, writeCookie } from '../sessions/index.ts';
import { pageAnswers } from '../setup/index.ts';
import { answerRefusalPage, carryingPage, refusalPage, withRefusalPage } from './pages.ts';
import { finishPath } from './replacing.ts';
import { requestLifeMs } from './requests.ts';
import type { Saml } from './saml.ts';

const tag = 'Sign-in';
const browserCookie = 'ploidy-saml';

/**
 * /v1/saml
 *
 * The provider's answer comes as a POST from its site, and such a POST carries no `SameSite=Lax` cookie. So `acs` does not know
 * the browser. It verifies the answer, keeps it, and redirects to `finish`: a navigation by GET, which does carry the cookie
 * (RFC 6265bis §5.7), and there the browser has to be the one that began the sign-in. An answer that somebody plants in another
 * browser ends there (login CSRF), and no cookie has to be sent with foreign requests (`SameSite=None`).
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
      summary: 'The metadata of this service as a SAML service provider',
      query: Type.Object({
        encryption: Type.Optional(
          Type.Boolean({
            description: 'With a key for encrypted assertions: for providers that shall encrypt',
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
      summary: 'Go to the identity provider of the application',
      query: Type.Object({
        request: Type.String({ maxLength: 8192, description: 'The query of the authorization request' }),
      }),
      answers: {
        ...pageAnswers,
        302: { description: 'Sent to the identity provider' },
      },
      handle: (context) =>
        withRefusalPage(context.requestId, async () => {
          // One for all tabs of a browser: each may have a sign-in on its way.
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
      summary: 'Takes the answer of an identity provider (HTTP-POST binding)',
      formBody: true,
      body: Type.Object({
        SAMLResponse: Type.Optional(Type.String()),
        RelayState: Type.Optional(Type.String()),
      }),
      answers: { ...pageAnswers, 302: { description: 'Sent to where the sign-in goes on' } },
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
      summary: 'Goes on with the authorization request, in the browser that began it',
      query: Type.Object({ handle: Type.String({ maxLength: 100 }) }),
      answers: { ...pageAnswers, 302: { description: 'Sent back to the application' } },
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
      summary: 'The same, once the person has said that somebody else may be signed out for it',
      formBody: true,
      body: Type.Object({
        handle: Type.String({ maxLength: 100 }),
        proof: Type.String({ maxLength: 100 }),
      }),
      answers: { ...pageAnswers, 302: { description: 'Sent back to the application' } },
      handle: (context) =>
        withRefusalPage(context.requestId, () =>
          saml.finish(context.body, browserOf(context.headers), context),
        ),
    }),
  ];
}
