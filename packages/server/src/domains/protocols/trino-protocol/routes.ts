import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { Answer, type Route, type RouteContext, route } from '../../../api/route.ts';
import { wholeNumber } from '../../../api/shapes.ts';
import { Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { StampedTokens } from '../../../platform/secrets/stamped-tokens.ts';
import type { AddressUses } from '../../audit/index.ts';
import { externalChallenge } from '../../authentication/oauth/index.ts';
import { type Addresses, compressed, firstPage, type Page, pageOf, queryInfoOf } from './pages.ts';
import { type SegmentUrls, segmentRoute } from './segments.ts';
import { prefixOf, readSession, zoneWarnings } from './session.ts';
import type { Statements } from './statements.ts';

const tag = 'Trino protocol';
/** Bytes of a statement; the guard takes 64 KiB. */
const textMaxBytes = 256 * 1024;
/** Version of Trino that clients are to take the service for. */
const version = '476';

interface TrinoRouteDeps {
  statements: Statements;
  blobs: Blobs;
  uses: AddressUses;
  segmentUrls: SegmentUrls;
  /** Stamps the tickets by which users sign in with a browser. */
  tickets: StampedTokens;
  /** Address of the service. */
  publicUrl: () => string;
}

const jsonBody = { contentType: 'application/json', schema: Type.Object({}, { additionalProperties: true }) };
const idParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) });
const pageParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100 }),
  token: wholeNumber('Offset of the page'),
});

const unauthenticated = {
  401: { schema: Type.Unknown(), contentType: 'text/plain', description: 'The reason, which drivers show' },
};

/** Parts that all routes of a signed-in client share. */
const shared = { operation: 'trino.use', tag, basicKeys: true } as const;
/** Routes of the Trino client protocol: a foreign standard with its own forms of requests, answers and errors. */
export function trinoRoutes(deps: TrinoRouteDeps): Route[] {
  const signedIn = [...statementRoutes(deps), ...pageRoutes(deps), ...queryRoutes(deps)];
  const problemPage = problemForDrivers(deps);
  return [...signedIn.map((one) => ({ ...one, problemPage })), ...infoRoutes(), segmentRoute(deps)];
}

function statementRoutes({ statements, publicUrl }: TrinoRouteDeps): Route[] {
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/statement',
      summary: 'Send a statement over the Trino protocol',
      description: 'The body is the text of the statement. The answer names the address of the first page.',
      streamsBody: true,
      onlyReads: true,
      answers: {
        ...unauthenticated,
        200: { ...jsonBody, description: 'The statement was received; ask for `nextUri`' },
      },
      handle: async ({ stream, headers, caller, requestId, signal }) => {
        const text = await readText(stream);
        const row = await statements.submit(text, () => readSession(headers), { caller, requestId, signal });
        return answerOf(firstPage(row, addressesOf(publicUrl()), zoneWarnings(headers)));
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/statement',
      summary: 'Check a key over the Trino protocol',
      description: 'Drivers send HEAD to validate a connection.',
      answers: { ...unauthenticated, 200: { ...jsonBody, description: 'The key is valid' } },
      handle: async () => ({}),
    }),
  ];
}

function pageRoutes({ statements, blobs, publicUrl, segmentUrls }: TrinoRouteDeps): Route[] {
  const path = '/v1/statement/executing/:id/:token';
  return [
    route({
      ...shared,
      method: 'GET',
      path,
      summary: 'Get a page of the answer to a statement',
      description: 'Waits up to a second. Without `nextUri` it is the last page.',
      params: pageParams,
      answers: {
        ...unauthenticated,
        200: { ...jsonBody, description: 'Columns and rows, or the state of the statement' },
      },
      handle: async ({ params: { id, token }, headers, caller, wait }) => {
        const row = await statements.awaited(id, caller, wait);
        const prefix = prefixOf(headers);
        const addresses = addressesOf(publicUrl());
        const isWaiting = await statements.isWaiting(row);
        const page = await pageOf(row, token, { blobs, addresses, prefix, isWaiting, caller, segmentUrls });
        return answerOf(await compressed(page, headers));
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path,
      neverShed: true,
      summary: 'Cancel a statement, or drop its result',
      params: pageParams,
      answers: { ...unauthenticated, 204: { description: 'No longer running; its result is removed' } },
      handle: ({ params, ...context }) => cancel(statements, params.id, context),
    }),
  ];
}

function queryRoutes({ statements, publicUrl }: TrinoRouteDeps): Route[] {
  const path = '/v1/query/:id';
  return [
    route({
      ...shared,
      method: 'GET',
      path,
      summary: 'Get the state of a statement of the Trino protocol',
      params: idParams,
      answers: { ...unauthenticated, 200: { ...jsonBody, description: 'State and figures' } },
      handle: async ({ params: { id }, caller }) => {
        const row = await statements.find(id, caller);
        return queryInfoOf(row, addressesOf(publicUrl()), await statements.isWaiting(row));
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path,
      neverShed: true,
      summary: 'Cancel a statement of the Trino protocol',
      params: idParams,
      answers: { ...unauthenticated, 204: { description: 'No longer running' } },
      handle: ({ params, ...context }) => cancel(statements, params.id, context),
    }),
  ];
}

function infoRoutes(): Route[] {
  const answers = { 200: { ...jsonBody, description: 'As Trino answers' } };
  const info = {
    nodeVersion: { version },
    environment: 'ploidy',
    coordinator: true,
    starting: false,
    uptime: '1.00m',
  };
  return [
    route({
      operation: 'trino.info',
      tag,
      method: 'GET',
      path: '/v1/info',
      summary: 'Get the version of the Trino protocol',
      answers,
      handle: async () => info,
    }),
    route({
      operation: 'trino.info',
      tag,
      method: 'GET',
      path: '/v1/info/state',
      summary: 'Get the state of the service for clients of the Trino protocol',
      answers: { 200: { schema: Type.String(), description: '"ACTIVE"', contentType: 'application/json' } },
      handle: async () => new Answer(200, Buffer.from('"ACTIVE"'), { 'content-type': 'application/json' }),
    }),
  ];
}

type Context = Pick<RouteContext<never, never, never, unknown>, 'caller' | 'requestId'>;

async function cancel(statements: Statements, id: string, { caller, requestId }: Context): Promise<void> {
  await statements.cancel(id, 'client', { caller, requestId });
}

function answerOf({ body, headers }: Page): Answer {
  return new Answer(200, body, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...headers,
  });
}

/** Reads the text of a statement, whatever content type it is sent with. */
async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > textMaxBytes)
      throw new Problem(413, 'TOO_LARGE', `A statement may have ${textMaxBytes} bytes.`);
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks);
  if (!isUtf8(text))
    throw new Problem(400, 'INVALID_INPUT', 'The body is not UTF-8: send its text in UTF-8.');
  return text.toString();
}

/** Returns the addresses that clients follow: they take `nextUri` as it is. */
function addressesOf(root: string): Addresses {
  return {
    infoOf: (id) => `${root}/v1/query/${id}`,
    pageOf: (id, token) => `${root}/v1/statement/executing/${id}/${token}`,
  };
}

/**
 * Drivers show the body of a 401 unchanged, and ask again after a 503; the other errors are those of all routes. A 401 also
 * names the address where a user signs in with a browser.
 */
function problemForDrivers({ publicUrl, tickets }: TrinoRouteDeps): NonNullable<Route['problemPage']> {
  return ({ status, code, message, details }, requestId) => {
    if (status === 401)
      return new Answer(401, message, {
        'content-type': 'text/plain; charset=utf-8',
        'www-authenticate': externalChallenge(publicUrl(), tickets),
      });
    const body = JSON.stringify({ error: message, code, requestId, ...(details && { details }) });
    return new Answer(status === 429 ? 503 : status, body, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
  };
}
