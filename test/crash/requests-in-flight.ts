/** Requests that are in flight when a service stops, one of each kind, over connections that their clients never end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { workersOf } from '../../packages/engine/src/engine.fixture.ts';
import type { TestProject } from '../inputs/project.ts';
import { until } from '../support/until.ts';
import type { MortalService } from './mortal-service.ts';

/** Begins a request; resolves when the service works on it. */
type Begin = (service: MortalService, project: TestProject) => Promise<void>;

const endless = 'SELECT count(*) FROM range(100000000000000) t(i) WHERE i % 7 = 3';
/** Larger than the buffers of both sides of a connection. */
const largeBytes = 32 * 2 ** 20;

/** Sends the head of a request, and resolves with the connection when the first bytes of an answer have arrived. */
async function send(
  { server }: MortalService,
  head: string,
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string } = {},
): Promise<Socket> {
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  // The service closes it without an end of the answer.
  socket.on('error', () => undefined);
  const all = {
    host: `${hostname}:${port}`,
    authorization: server.apiKey,
    'service-account': server.account,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${head} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return socket;
}

/** Begins a body that stays incomplete. The service has read the head when it asks for the body. */
async function sendPart(service: MortalService, head: string, type: string): Promise<void> {
  const headers = { 'content-type': type, 'content-length': '1000000', expect: '100-continue' };
  const socket = await send(service, head, { headers });
  const [first] = await once(socket, 'data');
  assert.match(String(first), /^HTTP\/1\.1 100 /);
  socket.write('{"name": "part of a body');
}

const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
};

const isWorking = ({ server }: MortalService): Promise<void> =>
  until(() => workersOf(server.process.pid ?? 0, 'query').length > 0, 'a process of the engine runs');

export const kinds: Readonly<Record<string, Begin>> = {
  'an upload': async (service, project) => {
    const body = { name: 'slow.bin', datasetId: project.id };
    const made = await service.call('POST', '/v1/files', { body });
    await sendPart(service, `PUT ${pathOf(made.body.uploadUrl)}`, 'application/octet-stream');
  },
  'a part of an upload': async (service, project) => {
    const body = { name: 'parts.bin', datasetId: project.id };
    const { uploadId } = (await service.call('POST', '/v1/uploads', { body })).body;
    const part = await service.call('GET', `/v1/uploads/${uploadId}/parts/1`);
    await sendPart(service, `PUT ${pathOf(part.body.uploadUrl)}`, 'application/octet-stream');
  },
  'a body of JSON': (service) => sendPart(service, 'POST /v1/projects', 'application/json'),
  'a download': async (service, project) => {
    const file = await project.upload('large.bin', Buffer.alloc(largeBytes, 'bytes of a file '));
    const socket = await send(service, `GET /v1/files/${file}`);
    await once(socket, 'data');
    socket.pause();
  },
  'a long poll': async (service) => {
    const challenge = await service.call('POST', '/v1/statement', { key: 'none' });
    const header = challenge.headers.get('www-authenticate') ?? '';
    const [path = ''] = /\/v1\/oauth\/external\/[\w-]{43}/.exec(header) ?? [];
    await send(service, `GET ${path}/token`);
    await until(
      async () => (await service.call('GET', path)).status === 302,
      'the service waits for a decision',
    );
  },
  'rows of a statement': async (service, project) => {
    const body = JSON.stringify({ datasetId: project.id, query: endless });
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    await send(service, 'POST /v1/analytics/data-lake/rows', { headers, body });
    await isWorking(service);
  },
  'a statement of the Trino protocol': async (service, project) => {
    const headers = { 'x-trino-schema': project.id };
    const begun = await service.call('POST', '/v1/statement', { body: endless, headers });
    assert.equal(begun.status, 200, begun.text);
    await isWorking(service);
    await send(service, `GET ${pathOf(begun.body.nextUri)}`);
  },
  'a query': async (service, project) => {
    const id = await project.startQuery(endless);
    const sql = `select j.state from jobs j join queries q on q.job_id = j.id where q.id = '${id}'`;
    await until(async () => (await service.rows(sql))[0]?.['state'] === 'running', 'the query runs');
  },
  'a connection without a request': async (service) => {
    const { hostname, port } = new URL(service.server.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
  },
  'half of a head': async (service) => {
    const { hostname, port } = new URL(service.server.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write('GET /v1/projects HTTP/1.1\r\nHost: ');
    await once(socket, 'connect');
  },
};
