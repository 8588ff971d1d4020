import { Type } from 'typebox';
import { Answer, FreshAnswer, type Route, route } from '../../../api/route.ts';
import { idOf } from '../../../api/shapes.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { answerMessage, type Message } from './messages.ts';
import type { Call, Mode } from './tool.ts';
import { tools } from './tools.ts';

const tag = 'Assistants';

interface AssistantRouteDeps {
  audit: Audit;
  /** False: every address is 404. */
  isOn: boolean;
  /** False: there are no pages to link to. */
  hasConsole: boolean;
  publicUrl: () => string;
  /** Origins of pages that may send requests, besides the service's own. */
  allowedOrigins: readonly string[];
  /** Returns what assistants may do in an account; `undefined`: there is no such account. */
  modeOf: (account: string) => Promise<Mode | undefined>;
}

const accountParams = Type.Object({ account: idOf('Id of the account') });

/** Returns the address of the metadata of an account's endpoint, under that of the service (RFC 9728 §3.1). */
const metadataPath = (account: string): string => `/.well-known/oauth-protected-resource/${account}/mcp`;

const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

const messageShape = Type.Object({
  jsonrpc: Type.Literal('2.0', { description: 'Version of JSON-RPC' }),
  id: Type.Optional(
    Type.Union([Type.String({ maxLength: 255 }), Type.Integer(safe)], {
      description: 'Id of the request, repeated by its answer; absent in a notification',
    }),
  ),
  method: Type.String({ maxLength: 255, description: '`tools/list`, `tools/call`, `server/discover`, …' }),
  params: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Parameters of the method',
    }),
  ),
});

const documentShape = Type.Object({}, { additionalProperties: true });

/** Routes of the Model Context Protocol: tools for assistants, under the rights of the person who connected them. */
export function assistantRoutes(deps: AssistantRouteDeps): Route[] {
  return [messageRoute(deps), metadataRoute(deps)];
}

function messageRoute({ audit, modeOf, publicUrl, hasConsole, ...deps }: AssistantRouteDeps): Route {
  const page: Call['page'] = (path, search) =>
    hasConsole ? `${publicUrl()}${path}${search ? `?${new URLSearchParams(search)}` : ''}` : undefined;
  return route({
    method: 'POST',
    path: '/:account/mcp',
    operation: 'assistants.use',
    onlyReads: true,
    tag,
    summary: 'Send a message of the Model Context Protocol',
    description:
      'Streamable HTTP of revision 2026-07-28 and of 2025, without sessions. Each call of a tool makes requests of this API for the caller.',
    credentials: ['apiKey', 'oauth2'],
    resourceMetadata: ({ account = '' }) => `${publicUrl()}${metadataPath(encodeURIComponent(account))}`,
    params: accountParams,
    body: messageShape,
    answers: {
      200: { schema: documentShape, description: 'Answer of JSON-RPC' },
      202: { schema: Type.Null(), description: 'A notification was taken' },
    },
    locate: async ({ params: { account } }) => {
      const mode = deps.isOn ? await modeOf(account) : undefined;
      return mode && { attributes: { account, type: 'account', id: account }, record: mode };
    },
    handle: async ({ resource: mode, params: { account }, body, headers, caller, requestId, perform }) => {
      requireOwnOrigin(headers['origin'], [new URL(publicUrl()).origin, ...deps.allowedOrigins]);
      if (mode === 'off') throw assistantsOff();
      const { status, body: answer } = await answerMessage(body as Message, headers, {
        tools: tools.filter(({ changes }) => mode === 'write' || !changes),
        call: { account, mode, perform, page },
        record: (tool, code) =>
          audit.record({
            account,
            ...actor(caller, requestId),
            action: 'assistants.use',
            resource: { type: 'account', id: account },
            outcome: code === undefined ? 'done' : 'refused',
            details: { tool, ...(code !== undefined && { code }), client: caller.client ?? null },
          }),
      });
      return new FreshAnswer(status, answer && JSON.stringify(answer), {
        ...{ 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
        ...(answer && { 'content-type': 'application/json; charset=utf-8' }),
      });
    },
  });
}

/** Describes the endpoint of an account as a protected resource, whether there is such an account or not. */
function metadataRoute({ isOn, publicUrl }: AssistantRouteDeps): Route {
  return route({
    method: 'GET',
    path: metadataPath(':account'),
    operation: 'assistants.describe',
    tag,
    summary: 'Get the metadata of the endpoint of an account (RFC 9728)',
    crossOrigin: true,
    params: accountParams,
    answers: { 200: { schema: documentShape, description: 'The document' } },
    handle: async ({ params: { account } }) => {
      if (!isOn) throw notFound();
      return new Answer(
        200,
        {
          resource: `${publicUrl()}/${encodeURIComponent(account)}/mcp`,
          authorization_servers: [`${publicUrl()}/v1`],
          scopes_supported: ['openid'],
          bearer_methods_supported: ['header'],
          resource_name: 'Ploidy',
        },
        { 'cache-control': 'public, max-age=3600' },
      );
    },
  });
}

/** Refuses pages of other origins (Model Context Protocol, "Security warning" of the transport). */
function requireOwnOrigin(origin: unknown, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(String(origin))) return;
  throw new Problem(403, 'FOREIGN_PAGE', 'Pages of other origins may not use this address.');
}

function assistantsOff(): Problem {
  const message = 'Assistants are off in this account. An administrator can allow them on the page Me.';
  return new Problem(403, 'ASSISTANTS_OFF', message);
}
