import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Answer } from '../../../../api/route.ts';
import type { Problem } from '../../../../base/problem.ts';
import { OAuthError, type OAuthErrorCode } from '../oauth-error.ts';
import { tokenXml, wantedXml } from '../xml.ts';

type Headers = Record<string, string | string[] | undefined>;

const schema = Type.Object(
  {
    error: Type.String({ description: 'A code of RFC 6749 §5.2' }),
    error_description: Type.Optional(Type.String({ description: 'Reason and remedy' })),
  },
  { title: 'TokenError', xml: { name: 'tokenResponse' } },
);
const documented = (description: string) => ({ schema, description, alsoAs: 'application/xml' });

/** Errors of the token endpoint and similar ones, for the API document. */
export const tokenErrors = {
  400: documented('OAuth error'),
  401: documented('The client is unknown or its secret wrong'),
  413: documented('invalid_request: the form is too large'),
  415: documented('invalid_request: the body is no form'),
  429: documented('temporarily_unavailable: too many requests'),
  500: documented('server_error'),
  503: documented('temporarily_unavailable'),
};

/** Formats responses and errors of the token endpoint as requested; never cached (RFC 6749 §5.1). */
export async function inFormat(headers: Headers, work: () => Promise<object>): Promise<Answer> {
  try {
    return formatted(headers, 200, await work());
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message } = error;
    if (code !== 'invalid_client') return refusal(headers, 400, code, message);
    const challenge = { 'www-authenticate': 'Basic realm="ploidy", charset="UTF-8"' };
    return refusal(headers, 401, code, message, challenge);
  }
}

/** Converts a problem raised outside the handler to an OAuth error. */
export function tokenProblem(
  { status, message }: Problem,
  _requestId: string,
  headers: IncomingHttpHeaders,
): Answer {
  return refusal(headers, status, codeOf(status), message);
}

function codeOf(status: number): OAuthErrorCode {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status < 500 ? 'invalid_request' : 'server_error';
}

function refusal(
  headers: Headers,
  status: number,
  error: OAuthErrorCode,
  error_description: string,
  more?: Record<string, string>,
): Answer {
  return formatted(headers, status, { error, error_description }, more);
}

function formatted(
  headers: Headers,
  status: number,
  body: object,
  more: Record<string, string> = {},
): Answer {
  const common = { 'cache-control': 'no-store', pragma: 'no-cache', vary: 'Accept', ...more };
  const xml = wantedXml(headers['accept']);
  const [text, type] = xml ? [tokenXml(body), xml] : [JSON.stringify(body), 'application/json'];
  return new Answer(status, text, { ...common, 'content-type': `${type}; charset=utf-8` });
}
