import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { Answer, type Route, route, type Wait } from '../../../../api/route.ts';
import { notFound, Problem } from '../../../../base/problem.ts';
import { type StampedTokens, stampedTokenLength } from '../../../../platform/secrets/stamped-tokens.ts';
import { commandLine } from '../../clients/index.ts';
import { page, pageAnswers, problemPage } from '../../setup/index.ts';
import { redirectTo } from '../authorize/authorize-routes.ts';
import { OAuthError } from '../oauth-error.ts';
import { baseOf } from '../resource.ts';
import type { Exchange } from '../tokens/redeem.ts';
import { type DeviceRequests, deviceLifeMs, userCodeOf } from './device-requests.ts';
import { devicePath } from './device-route.ts';

/** Name of the key that stamps tickets. */
export const externalTickets = 'external-tickets';

const path = '/v1/oauth/external/:ticket';
const params = Type.Object({
  ticket: Type.String({
    minLength: stampedTokenLength,
    maxLength: stampedTokenLength,
    description: 'Secret of the program, from its challenge',
  }),
});
const tokenShape = Type.Object({
  token: Type.Optional(Type.String({ description: 'Access token, once the user allowed it' })),
  nextUri: Type.Optional(Type.String({ description: 'Address to ask again until the request is decided' })),
  error: Type.Optional(Type.String({ description: 'Reason for no token' })),
});

/** Clients of Trino give up after five answers or a silence of 30 s: this leaves a user 100 s to sign in. */
const heldMs = 20_000;
const lookMs = 1_000;
/** The program asks for its token at the moment in which it opens the browser. */
const beginMs = 5_000;

const nothingToAllow = '<p>No program waits for this page any more, or not yet. Start its sign-in again.</p>';

interface ExternalRouteDeps {
  devices: DeviceRequests;
  exchange: Exchange;
  tickets: StampedTokens;
  /** Returns `{base_url}`. */
  issuer: () => string;
}

/**
 * Returns the challenge by which a client of Trino signs its user in with a browser (Trino's external authentication). The ticket in
 * it is the device code of a request that begins when the program asks for its token. It is stamped: no other is waited for.
 */
export function externalChallenge(address: string, tickets: StampedTokens): string {
  const own = `${address}${path.replace(':ticket', tickets.issue())}`;
  return `Bearer realm="ploidy", x_redirect_server="${own}", x_token_server="${own}/token"`;
}

/** Routes of a program that opens the browser of its user, and waits for the token. */
export function externalRoutes(deps: ExternalRouteDeps): Route[] {
  const { devices, issuer, tickets } = deps;
  const requireIssued = (ticket: string): void => {
    if (!tickets.isValid(ticket, deviceLifeMs)) throw notFound();
  };
  const common = { operation: 'oauth.device', tag: 'Sign-in', method: 'GET', params } as const;
  return [
    route({
      ...common,
      path,
      summary: 'Show the page to allow a program that opened the browser',
      problemPage,
      answers: { ...pageAnswers, 302: { description: 'Redirect to the page with the code of the request' } },
      handle: async ({ params: { ticket }, wait }) => {
        requireIssued(ticket);
        // Only the program begins a request, so that the page shows its address.
        const isOpen = await within(beginMs, { wait, ending: devices.ending }, () => devices.isOpen(ticket));
        if (!isOpen) return page(200, 'Nothing to allow', nothingToAllow);
        const address = new URL(`${baseOf(issuer())}${devicePath}`);
        address.searchParams.set('user_code', userCodeOf(ticket));
        return redirectTo(address.href);
      },
    }),
    route({
      ...common,
      path: `${path}/token`,
      summary: 'Get the token of a program that opened the browser',
      description: 'Waits up to 20 s for the decision of the user.',
      answers: { 200: { schema: tokenShape, description: 'Token, address to ask again, or error' } },
      handle: async ({ params: { ticket }, address, url, requestId, wait }) => {
        requireIssued(ticket);
        await devices.begin(ticket, address);
        const isDecided = await within(
          heldMs,
          { wait, ending: devices.ending },
          async () => !(await devices.isOpen(ticket)),
        ).catch(atOnce);
        const body = isDecided
          ? await tokenOf(deps.exchange, ticket, requestId)
          : { nextUri: `${baseOf(issuer())}${url}` };
        return new Answer(200, JSON.stringify(body), {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
        });
      },
    }),
  ];
}

async function tokenOf(exchange: Exchange, ticket: string, requestId: string): Promise<object> {
  try {
    const { access_token } = await exchange.device(commandLine, ticket, requestId);
    return { token: access_token };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { error: error.message };
  }
}

/** Answers without holding where too many requests of the network are held: the program asks again. */
function atOnce(error: unknown): false {
  if (error instanceof Problem && error.code === 'TOO_MANY_REQUESTS') return false;
  throw error;
}

/** Reports whether something became true in time, while the client waits. */
async function within(
  timeMs: number,
  { wait, ending }: { wait: Wait; ending: AbortSignal },
  condition: () => Promise<boolean>,
): Promise<boolean> {
  if (await condition()) return true;
  return wait(async (signal) => {
    const ended = AbortSignal.any([signal, ending]);
    const endsAt = performance.now() + timeMs;
    while (performance.now() < endsAt && !ended.aborted) {
      await delay(lookMs, undefined, { signal: ended }).catch(() => undefined);
      if (await condition()) return true;
    }
    return false;
  });
}
