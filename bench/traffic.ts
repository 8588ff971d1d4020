import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBam } from './bam-file.ts';
import { addReads } from './htsget.ts';
import type { Shot } from './open-loop.ts';
import type { Service } from './service.ts';
import { addClient, firstToken, signIn } from './token.ts';

const files = 200;
const chains = 64;
const reads = 100_000;
const uploadBytes = 4096;

/** Parts of a thousand requests: people and programs look far more often than they change. */
const shares: [kind: keyof Mix, share: number][] = [
  ['project', 380],
  ['file', 200],
  ['list', 120],
  ['ticket', 100],
  ['refresh', 60],
  ['write', 80],
  ['upload', 29],
  ['sendUpload', 29],
  ['query', 2],
];

type Mix = Record<
  'project' | 'file' | 'list' | 'ticket' | 'refresh' | 'write' | 'upload' | 'sendUpload' | 'query',
  () => Shot
>;

/** Requests of all kinds in their shares, over a project with files, reads and signed-in people; the same order each time. */
export async function prepareTraffic(service: Service): Promise<() => Shot> {
  const mix = await prepareMix(service);
  const line = shares.flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const kind = line[Math.floor((state / 2 ** 32) * line.length)] ?? 'project';
    return mix[kind]();
  };
}

async function prepareMix(service: Service): Promise<Mix> {
  const { id: datasetId } = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Traffic' });
  const ids: string[] = [];
  for (let number = 0; number < files; number++) {
    const name = `seen/${number}.txt`;
    const file = await service.call<{ id: string; uploadUrl: string }>('POST', '/v1/files', {
      name,
      datasetId,
    });
    await fetch(file.uploadUrl, { method: 'PUT', body: 'x'.repeat(uploadBytes) });
    ids.push(file.id);
  }
  const ticketPath = await prepareReads(service);
  const { client, tokens } = await prepareTokens(service);
  const uploads: string[] = [];
  const content = 'x'.repeat(uploadBytes);
  let count = 0;
  const own = (kind: string, method: string, path: string, body?: unknown): Shot => ({
    kind,
    bytes: bytesOf(method, path, { ...service.headers }, body === undefined ? '' : JSON.stringify(body)),
  });
  const project = (): Shot => own('project', 'GET', `/v1/projects/${datasetId}`);
  return {
    project,
    file: () => own('file', 'GET', `/v1/files/${ids[count++ % files]}?include=metadata`),
    list: () => own('list', 'GET', `/v1/files?datasetId=${datasetId}&pageSize=25`),
    ticket: () => {
      const start = (count++ * 7919) % 200_000;
      return own('ticket', 'GET', `${ticketPath}?referenceName=chr1&start=${start}&end=${start + 10_000}`);
    },
    write: () => own('write', 'PATCH', `/v1/projects/${datasetId}`, { description: `change ${count++}` }),
    query: () =>
      own('query', 'POST', '/v1/analytics/data-lake/query', {
        query: 'SELECT 1 AS one',
        datasetId,
        outputFileName: `asked/${count++}.csv`,
      }),
    upload: () => ({
      ...own('upload', 'POST', '/v1/files', { name: `new/${count++}.txt`, datasetId }),
      done: (body) => uploads.push(new URL(JSON.parse(body).uploadUrl).href),
    }),
    sendUpload: () => {
      const address = uploads.pop();
      if (address === undefined) return project();
      const { pathname, search } = new URL(address);
      return { kind: 'sendUpload', bytes: bytesOf('PUT', pathname + search, {}, content) };
    },
    refresh: () => {
      const token = tokens.pop();
      if (token === undefined) return project();
      const form = { grant_type: 'refresh_token', client_id: client, refresh_token: token };
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(form).toString();
      return {
        kind: 'refresh',
        bytes: bytesOf('POST', '/v1/oauth/token', type, body),
        done: (answer) => tokens.push(JSON.parse(answer).refresh_token),
        // Rejected before use: the connection can be reused.
        refused: () => tokens.push(token),
      };
    },
  };
}

function bytesOf(method: string, path: string, headers: Record<string, string>, body: string): string {
  const sent: Record<string, string> = { host: 'bench', 'content-type': 'application/json', ...headers };
  if (body === '') delete sent['content-type'];
  else sent['content-length'] = String(Buffer.byteLength(body));
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

async function prepareTokens(service: Service): Promise<{ client: string; tokens: string[] }> {
  const agent = new Agent({ keepAlive: true });
  const client = await addClient(service);
  const cookie = await signIn(service);
  const tokens: string[] = [];
  for (let n = 0; n < chains; n++)
    tokens.push(await firstToken(service, agent, client, cookie, 'offline_access'));
  agent.destroy();
  return { client, tokens };
}

/** Adds a set of reads; returns the path of its tickets. */
async function prepareReads(service: Service): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-bench-load-'));
  try {
    const path = join(folder, 'reads.bam');
    makeBam(path, reads);
    return new URL(await addReads(service, path)).pathname;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
