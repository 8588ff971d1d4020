import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../../base/ids.ts';
import { Problem } from '../../base/problem.ts';
import { type ErrorBody, sendProblem, toProblem } from '../contract/problems.ts';
import { securityHeaders } from '../security-headers.ts';

/** Problems for the errors of Node's parser; any other error means a malformed request. */
const meanings: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'HEADERS_TOO_LARGE', 'The headers and the address are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'TOO_LARGE', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'REQUEST_TIMEOUT', 'The request did not arrive in time.'],
};

/** Answers bytes that are no request, in the shape of every error, and closes the connection. */
export function answerBrokenRequest(error: Error, socket: Socket): void {
  const errorCode = String(Reflect.get(error, 'code'));
  if (errorCode === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, message] = meanings[errorCode] ?? [400, 'MALFORMED', 'This is no valid HTTP request.'];
  const body: ErrorBody = { error: message, code, requestId: newId() };
  const text = JSON.stringify(body);
  const headers = {
    ...securityHeaders,
    'x-request-id': body.requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`, () =>
    socket.destroy(),
  );
}

/** Answers an address that the router cannot read; no hook runs for it. */
export function answerBrokenAddress(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders).header('x-request-id', request.id);
  sendProblem(toProblem(error), request, reply);
}

/** Answers a request that expects something else than `100-continue` (RFC 9110, §10.1.1); Node's own 417 has no body. */
export function answerUnknownExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const message = 'This service does nothing but 100-continue for Expect: leave the header out.';
  const body: ErrorBody = { error: message, code: 'EXPECTATION_FAILED', requestId: newId() };
  const headers = { ...securityHeaders, 'x-request-id': body.requestId, 'cache-control': 'no-store' };
  response
    .writeHead(417, { ...headers, 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body));
}

/** Refuses several Host headers: a proxy in front may have routed by another one. */
export const wrongHost = new Problem(400, 'MALFORMED', 'A request has one Host header.');

/** Reports whether a request has one Host header (RFC 9112, §3.2); HTTP/1.0 has none. */
export function hasRightHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}
