import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { watchResident } from './memory.ts';
import { type Service, startService } from './service.ts';

const chunk = Buffer.alloc(1024 * 1024, 'Bytes that no disk keeps twice. ');
const partBytes = 64 * 1024 * 1024;
const atOnce = 4;
const gigabyte = 1e9;
const megabyte = 1e6;

/** Bytes through a running service: in one piece, in parts, and back. `argument`: gigabytes, 1 when absent. */
export async function bench(argument = '1'): Promise<void> {
  const size = Math.round(Number(argument) * gigabyte);
  assert.ok(size > 0, 'files=GIGABYTES');
  const wanted = sha256Of(size);
  const service = await startService();
  try {
    const project = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Files' });
    await measured(service, 'warm-up, 10 MB', 10e6, () => putWhole(service, project.id, 'warm', 10e6));
    const whole = await measured(service, 'one PUT', size, () =>
      putWhole(service, project.id, 'whole', size),
    );
    const begun = await measured(service, 'parts of 64 MiB, 4 at once', size, () =>
      putParts(service, project.id, 'parts', size),
    );
    await measured(service, 'joining the parts', size, () =>
      service.call('DELETE', `/v1/uploads/${begun.uploadId}`),
    );
    await measured(service, 'download', size, () => download(service, whole, size, wanted));
    await measured(service, 'download of what was joined', size, () =>
      download(service, begun.id, size, wanted),
    );
  } finally {
    await service.stop();
  }
}

async function measured<T>(service: Service, name: string, size: number, work: () => Promise<T>): Promise<T> {
  const memory = watchResident(service.process.pid ?? 0);
  const from = performance.now();
  const result = await work();
  const seconds = (performance.now() - from) / 1000;
  const { peak, after } = memory.stop();
  const [before, most, end] = [memory.before, peak, after].map((bytes) => (bytes / megabyte).toFixed(0));
  process.stdout.write(
    `${name}: ${(size / gigabyte).toFixed(2)} GB in ${seconds.toFixed(1)} s (${(size / megabyte / seconds).toFixed(0)} MB/s), ` +
      `memory of the service ${before} MB before, ${most} at most, ${end} after\n`,
  );
  return result;
}

/** Returns the bytes from `start` to before `end` of a content that goes on for ever. */
function* content(start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; ) {
    const inChunk = at % chunk.length;
    const bytes = chunk.subarray(inChunk, Math.min(chunk.length, inChunk + end - at));
    yield bytes;
    at += bytes.length;
  }
}

function sha256Of(size: number): string {
  const hash = createHash('sha256');
  for (const bytes of content(0, size)) hash.update(bytes);
  return hash.digest('hex');
}

async function putWhole(service: Service, datasetId: string, name: string, size: number): Promise<string> {
  const body = { datasetId, name, size };
  const made = await service.call<{ id: string; uploadUrl: string }>('POST', '/v1/files', body);
  await put(made.uploadUrl, 0, size);
  return made.id;
}

async function putParts(
  service: Service,
  datasetId: string,
  name: string,
  size: number,
): Promise<{ id: string; uploadId: string }> {
  const body = { datasetId, name, size };
  const begun = await service.call<{ id: string; uploadId: string }>('POST', '/v1/uploads', body);
  const count = Math.ceil(size / partBytes);
  let next = 1;
  const sendNext = async (): Promise<void> => {
    while (next <= count) {
      const number = next++;
      const path = `/v1/uploads/${begun.uploadId}/parts/${number}`;
      const { uploadUrl } = await service.call<{ uploadUrl: string }>('GET', path);
      await put(uploadUrl, (number - 1) * partBytes, Math.min(size, number * partBytes));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendNext));
  return begun;
}

function put(url: string, start: number, end: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': end - start };
    const outgoing = request(url, { method: 'PUT', headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`PUT answered ${answer.statusCode}`));
      });
    });
    pipeline(content(start, end), outgoing).catch(reject);
  });
}

async function download(service: Service, id: string, size: number, sha256: string): Promise<void> {
  const response = await fetch(`${service.address}/v1/files/${id}`, { headers: service.headers });
  assert.equal(
    response.headers.get('etag'),
    `"${sha256}"`,
    'the bytes that were stored are those that were sent',
  );
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  assert.equal(bytes, size);
}
