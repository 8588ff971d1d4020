import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, openAsBlob, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MadeBam, makeBam } from './bam-file.ts';
import { watchResident } from './memory.ts';
import { printed, type Service, startService } from './service.ts';

const connections = 32;
const tickets = 20_000;
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
    await measureTickets(service, address, made);
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

async function measureTickets(service: Service, address: string, made: MadeBam): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const asked = lengths.flatMap((length) => regions(made, length, tickets / lengths.length));
  const ask = (at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const [start, end] = asked[at] ?? [0, 1];
      const url = `${address}?referenceName=chr1&start=${start}&end=${end}`;
      get(url, { agent, headers: service.headers }, (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
        );
      }).on('error', reject);
    });
  await ask(0);
  const times: number[] = [];
  let next = 0;
  const cpuBefore = cpuSeconds(service.process.pid);
  const begun = performance.now();
  const worker = async (): Promise<void> => {
    while (next < asked.length) {
      const from = performance.now();
      await ask(next++);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - begun) / 1000;
  const cpu = cpuSeconds(service.process.pid) - cpuBefore;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(1);
  process.stdout.write(
    `tickets: ${(times.length / seconds).toFixed(0)} a second over ${connections} connections, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ` +
      `the service used ${((cpu / times.length) * 1e6).toFixed(0)} µs CPU each, ${(times.length / cpu).toFixed(0)} a second of one core\n`,
  );
}

/** Bytes of the blocks that a client has to fetch, against the blocks of the file that hold records of the region. */
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
        const before = cpuSeconds(pid);
        const begun = performance.now();
        let bytes = 0;
        for (const one of urls) bytes += await drained(one);
        assert.ok(bytes > size * 0.99);
        const seconds = (performance.now() - begun) / 1000;
        if (round > 0) rates[name]?.push(bytes / megabyte / seconds);
        process.stdout.write(
          `${name}: ${(bytes / megabyte / seconds).toFixed(0)} MB/s, ${((cpuSeconds(pid) - before) / (bytes / 1e9)).toFixed(2)} s CPU a GB\n`,
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

/** What a process has used, in its own code and in the system's; Linux counts in hundredths of a second. */
function cpuSeconds(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
