import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, openAsBlob, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MadeBam, makeBam } from './bam-file.ts';
import { cpuMicroseconds, load } from './load.ts';
import { watchResident } from './memory.ts';
import { OpenLoop, type Shot } from './open-loop.ts';
import { printed, type Service, startService } from './service.ts';

const regionsOfLength = 2_500;
const connections = 32;
const ticketRate = 3_000;
const lengths = [1_000, 10_000, 100_000, 1_000_000];
const megabyte = 1e6;

interface Ticket {
  htsget: { urls: { url: string }[] };
}

/** Tickets by region, the bytes they give, and streams of blocks. `argument`: millions of reads, 3 when absent. */
export async function bench(argument = '3'): Promise<void> {
  const count = Math.round(Number(argument) * 1e6);
  assert.ok(count > 0, 'htsget=MILLIONS');
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-bench-bam-'));
  const service = await startService();
  try {
    const path = join(folder, 'reads.bam');
    const made = makeBam(path, count);
    const size = statSync(path).size;
    process.stdout.write(
      `${count} reads, ${(size / megabyte).toFixed(0)} MB, ${made.blockSizes.length} blocks\n`,
    );
    const address = await addReads(service, path);
    const memory = watchResident(service.process.pid ?? 0);
    const paths = ticketPaths(made);
    await measureTickets(service, address, paths, folder);
    await measureTicketsAtRate(service, address, paths);
    await measureBytes(service, address, made);
    await measureStream(service, address, path, size);
    const { peak, after } = memory.stop();
    const [before, most, end] = [memory.before, peak, after].map((bytes) => (bytes / megabyte).toFixed(0));
    process.stdout.write(`memory of the service ${before} MB before, ${most} at most, ${end} after\n`);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a set of the reads of a BAM file; the address of its tickets. */
export async function addReads(service: Service, path: string): Promise<string> {
  const { id: datasetId } = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Reads' });
  const file = await service.call<{ id: string; uploadUrl: string }>('POST', '/v1/files', {
    name: 'a.bam',
    datasetId,
  });
  const sent = await fetch(file.uploadUrl, { method: 'PUT', body: await openAsBlob(path) });
  assert.equal(sent.status, 200);
  const root = `/${service.headers['service-account']}/v1`;
  const body = { datasetId, name: 'a', fileId: file.id };
  const { id } = await service.call<{ id: string }>('POST', `${root}/readgroupsets`, body);
  for (let status = ''; status !== 'ACTIVE'; ) {
    ({ status } = await service.call<{ status: string }>('GET', `${root}/readgroupsets/${id}`));
    assert.notEqual(status, 'FAILED');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return `${service.address}${root}/htsget/reads/${id}`;
}

function regions(made: MadeBam, length: number, many: number): [number, number][] {
  const last = Math.max(1, made.sequenceLength - length);
  return Array.from({ length: many }, (_, at) => {
    const start = (at * 7_919_317) % last;
    return [start, start + length];
  });
}

/** Queries of tickets, regions of all lengths taking turns. */
function ticketPaths(made: MadeBam): string[] {
  const asked = lengths.map((length) => regions(made, length, regionsOfLength));
  return Array.from({ length: regionsOfLength }, (_, at) => asked.map((one) => one[at] ?? [0, 1]))
    .flat()
    .map(([start, end]) => `?referenceName=chr1&start=${start}&end=${end}`);
}

/** Fastest rate; the first round warms up. */
async function measureTickets(
  service: Service,
  address: string,
  paths: readonly string[],
  folder: string,
): Promise<void> {
  const script = join(folder, 'regions.lua');
  const lines = paths.map((path) => `"${new URL(address).pathname}${path}"`).join(',');
  writeFileSync(
    script,
    `local paths = {${lines}}\nlocal at = 0\n` +
      'function request() at = at % #paths + 1; return wrk.format("GET", paths[at]) end\n',
  );
  for (const seconds of [3, 8, 8, 8]) {
    const got = await load(service.process.pid, address, service.headers, seconds, script);
    process.stdout.write(
      `tickets: ${got.requestsPerSecond.toFixed(0)} a second, p50 ${got.p50}, p99 ${got.p99}; the service used ` +
        `${got.cpuMicrosecondsPerRequest.toFixed(0)} µs of processor each, ${(1e6 / got.cpuMicrosecondsPerRequest).toFixed(0)} a second of one core\n`,
    );
  }
}

/** Required rate: requests are sent when they are due, over as many connections; the first round warms the client up. */
async function measureTicketsAtRate(
  service: Service,
  address: string,
  paths: readonly string[],
): Promise<void> {
  const { pathname, host } = new URL(address);
  const lines = Object.entries({ ...service.headers, host }).map(([name, value]) => `${name}: ${value}\r\n`);
  const shots = paths.map((path) => ({
    kind: 'ticket',
    bytes: `GET ${pathname}${path} HTTP/1.1\r\n${lines.join('')}\r\n`,
  }));
  const clients = new OpenLoop(address, connections);
  let next = 0;
  for (const seconds of [3, 8, 8, 8]) {
    const got = await clients.run(ticketRate, seconds, () => shots[next++ % shots.length] as Shot);
    assert.deepEqual(Object.keys(got.statuses), ['200']);
    process.stdout.write(
      `tickets, ${ticketRate} a second over ${connections} connections: p50 ${got.p50.toFixed(1)} ms, p99 ${got.p99.toFixed(1)} ms\n`,
    );
  }
  clients.close();
}

/** Bytes of the blocks that a client must fetch, relative to the file's blocks with records of the region. */
async function measureBytes(service: Service, address: string, made: MadeBam): Promise<void> {
  for (const length of lengths) {
    let given = 0;
    let minimal = 0;
    for (const [start, end] of regions(made, length, 50)) {
      const reply = await fetch(`${address}?referenceName=chr1&start=${start}&end=${end}`, {
        headers: service.headers,
      });
      const ticket = (await reply.json()) as Ticket;
      for (const { url } of ticket.htsget.urls.filter((one) => one.url.startsWith('http'))) {
        given += Number((await fetch(url, { method: 'HEAD' })).headers.get('content-length'));
      }
      minimal += minimalBytes(made, start, end);
    }
    process.stdout.write(
      `regions of ${length} bases: ${(given / minimal).toFixed(2)} × the blocks that hold their records\n`,
    );
  }
}

function minimalBytes({ positions, blockSizes, ...made }: MadeBam, start: number, end: number): number {
  const first = positions.findIndex((position) => position + made.readLength > start);
  let behind = first;
  while (behind < positions.length && (positions[behind] ?? 0) < end) behind += 1;
  const block = (record: number) =>
    Math.floor((made.firstRecord + record * made.recordBytes) / made.contentBytes);
  const last = Math.floor((made.firstRecord + behind * made.recordBytes - 1) / made.contentBytes);
  return blockSizes.slice(block(first), last + 1).reduce((sum, size) => sum + size, 0);
}

const plainServer = `
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
const server = createServer((_, response) => createReadStream(process.argv[1], { highWaterMark: 262144 }).pipe(response));
server.listen(0, '127.0.0.1', () => console.log('on http://127.0.0.1:' + server.address().port));
`;

async function measureStream(service: Service, address: string, path: string, size: number): Promise<void> {
  const plain = spawn(process.execPath, ['--input-type=module', '-e', plainServer, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await printed(plain, /on (\S+)/);
    const reply = await fetch(address, { headers: service.headers });
    const ticket = (await reply.json()) as Ticket;
    const blocks = ticket.htsget.urls.map((one) => one.url).filter((one) => one.startsWith('http'));
    const rates: Record<string, number[]> = { plain: [], blocks: [] };
    for (let round = 0; round < 4; round += 1) {
      for (const [name, urls, pid] of [
        ['plain', [url], plain.pid],
        ['blocks', blocks, service.process.pid],
      ] as const) {
        const before = cpuMicroseconds(pid) / 1e6;
        const begun = performance.now();
        let bytes = 0;
        for (const one of urls) bytes += await drained(one);
        assert.ok(bytes > size * 0.99);
        const seconds = (performance.now() - begun) / 1000;
        if (round > 0) rates[name]?.push(bytes / megabyte / seconds);
        process.stdout.write(
          `${name}: ${(bytes / megabyte / seconds).toFixed(0)} MB/s, ${((cpuMicroseconds(pid) / 1e6 - before) / (bytes / 1e9)).toFixed(2)} s CPU a GB\n`,
        );
      }
    }
    const best = (name: string) => Math.max(...(rates[name] ?? [0]));
    process.stdout.write(
      `blocks stream at ${((best('blocks') / best('plain')) * 100).toFixed(0)} % of a plain file\n`,
    );
  } finally {
    plain.kill();
  }
}

function drained(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve(bytes));
    }).on('error', reject);
  });
}
