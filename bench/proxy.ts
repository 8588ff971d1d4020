import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../test/support/free-port.ts';
import { until } from '../test/support/until.ts';
import { median } from './lake.ts';
import { cpuMicroseconds } from './load.ts';
import { type Service, startService } from './service.ts';

const rounds = 3;
const seconds = 8;
const clients = 50;
const flood = 3000;

/** Measures an authenticated GET through nginx as deployed, and `/healthz` while a flood of connections bypasses the proxy. */
export async function bench(): Promise<void> {
  const probesPort = await freePort();
  const settings = { PLOIDY_CONNECTIONS_MAX: '8000', PLOIDY_PROBES_PORT: String(probesPort) };
  const service = await startService(settings);
  try {
    await throughProxy(service);
    await underFlood(service, `http://127.0.0.1:${probesPort}`);
  } finally {
    await service.stop();
  }
}

async function throughProxy(service: Service): Promise<void> {
  const { id } = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Proxy' });
  const proxy = await startProxy(service.address);
  const flags = Object.entries(service.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const before = cpuMicroseconds(service.process.pid);
      const output = await wrk(clients, [...flags, '--latency', `${proxy.address}/v1/projects/${id}`]);
      if (/Non-2xx|Socket errors/.test(output)) throw new Error(`not all answers were good:\n${output}`);
      const spent = cpuMicroseconds(service.process.pid) - before;
      const perRequest = spent / Number(/(\d+) requests in/.exec(output)?.[1]);
      print(
        `nginx, ${clients} connections: ${figures(output)}, ${perRequest.toFixed(0)} µs of processor a request`,
      );
    }
  } finally {
    await proxy.stop();
  }
}

async function underFlood(service: Service, probes: string): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const load = { isOver: false };
    const flags = ['-H', `authorization: ${service.headers['authorization']}`];
    const running = wrk(flood, [...flags, `${service.address}/v1/user`]).finally(() => {
      load.isOver = true;
    });
    const timesOf = async (address: string): Promise<number[]> => {
      const found: number[] = [];
      while (!load.isOver) found.push(await timeOf(`${address}/healthz`));
      return found;
    };
    const [times, probed] = await Promise.all([timesOf(service.address), timesOf(probes)]);
    const output = await running;
    const refused = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? '0';
    print(
      `${flood} connections: /healthz median ${median(times).toFixed(0)} ms, ` +
        `max ${Math.max(...times).toFixed(0)} ms of ${times.length}; ` +
        `at the port for probes median ${median(probed).toFixed(0)} ms, max ${Math.max(...probed).toFixed(0)} ms; ` +
        `${figures(output)}, ${refused} refused`,
    );
  }
}

async function startProxy(upstream: string): Promise<{ address: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-bench-nginx-'));
  const port = await freePort();
  const path = join(folder, 'nginx.conf');
  writeFileSync(path, configuration(folder, port, new URL(upstream).host));
  const child = spawn('nginx', ['-p', folder, '-c', path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const address = `http://127.0.0.1:${port}`;
  const isUp = (): Promise<boolean> =>
    fetch(`${address}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until(isUp, 'nginx answers');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, stop };
}

const configuration = (folder: string, port: number, upstream: string): string => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream ploidy { server ${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://ploidy;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
    }
  }
}
`;

async function wrk(connections: number, words: string[]): Promise<string> {
  const flags = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '30s'];
  return (await promisify(execFile)('wrk', [...flags, ...words])).stdout;
}

function figures(output: string): string {
  const one = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? '–';
  const latency = / 50%/.test(output) ? `p50 ${one(/^ +50% +(\S+)/m)}, p99 ${one(/^ +99% +(\S+)/m)}, ` : '';
  return `${latency}${one(/Requests\/sec:\s+([\d.]+)/)} requests/s`;
}

/** Request over a connection of its own, as of probes. */
function timeOf(url: string): Promise<number> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(performance.now() - from));
    });
    sent.once('error', reject).end();
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
