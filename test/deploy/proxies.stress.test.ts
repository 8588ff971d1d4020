/** The proxies' examples of deploy/proxy, run: bodies stream both ways without a limit of size, and no client can invent its address. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cleanEnvironment } from '../support/server.ts';
import { until } from '../support/until.ts';
import { pythonTool, root } from './tools.ts';

interface Proxy {
  program: string;
  words: string[];
  env?: Record<string, string>;
}

let folder: string;
let upstream: Server;
let upstreamPort: number;
/** Reaction of the fake service to the next request. */
let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
  response.end();

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-proxy-'));
  const certificate = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=ploidy.example.org', '-addext', 'subjectAltName=DNS:ploidy.example.org'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...certificate, ...subject], {
    stdio: 'pipe',
  });
  upstream = createServer((message, response) => {
    if (message.url === '/readyz') response.end();
    else handle(message, response);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  upstreamPort = (upstream.address() as AddressInfo).port;
});
after(() => {
  upstream.close();
  upstream.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const example = (name: string): string => readFileSync(join(root, 'deploy/proxy', name), 'utf8');

function write(name: string, text: string): string {
  const local = text
    .replaceAll(/\/etc\/ssl\/ploidy\/|\/var\/log\/nginx\//g, `${folder}/`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${upstreamPort}`);
  const path = join(folder, name);
  writeFileSync(path, local);
  return path;
}

/** Returns a file for Caddy. It has the certificate of the test instead of one by an authority, which would be installed here. */
function caddyFile(name: string, site: string): string[] {
  const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tstorage file_system ${folder}/caddy\n}\n`;
  const certificate = `{\n\ttls ${folder}/certificate.pem ${folder}/key.pem\n`;
  const file = write(name, options + site.replace('{\n', certificate));
  return ['run', '--adapter', 'caddyfile', '--config', file];
}

const traefikWords = (port: number, file: string): string[] => [
  `--entryPoints.websecure.address=127.0.0.1:${port}`,
  '--entryPoints.websecure.transport.respondingTimeouts.readTimeout=0',
  `--providers.file.filename=${file}`,
  '--global.checkNewVersion=false',
  '--global.sendAnonymousUsage=false',
];

const proxies: Record<string, (port: number) => Proxy> = {
  nginx: (port) => {
    const site = write('site.conf', example('nginx.conf').replace('listen 443', `listen 127.0.0.1:${port}`));
    const main = write('nginx.conf', nginxAround(`include ${site};`));
    return { program: 'nginx', words: ['-e', 'stderr', '-c', main] };
  },
  Caddy: (port) => ({
    program: pythonTool('caddy'),
    words: caddyFile('Caddyfile', example('Caddyfile').replace('{$PLOIDY_SITE:localhost}', siteAt(port))),
    env: { PLOIDY_HOST: '127.0.0.1', PLOIDY_PORT: `${upstreamPort}` },
  }),
  Traefik: (port) => {
    const file = write('traefik.yaml', example('traefik.yaml'));
    return { program: pythonTool('traefik'), words: traefikWords(port, file) };
  },
};

/** Proxies of a site, which answers with 418 where it may, that has the service below a path. */
const pathProxies: Record<string, (port: number) => Proxy> = {
  nginx: (port) => {
    const site = write('path.conf', example('nginx-path.conf'));
    const tls = `ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem;`;
    const server = `server { listen 127.0.0.1:${port} ssl; ${tls} location / { return 418; } include ${site}; }`;
    return { program: 'nginx', words: ['-e', 'stderr', '-c', write('path-main.conf', nginxAround(server))] };
  },
  Caddy: (port) => {
    const path = write('Caddyfile-path', example('Caddyfile-path'));
    const site = `${siteAt(port)} {\n\timport ${path}\n\thandle {\n\t\trespond 418\n\t}\n}\n`;
    return { program: pythonTool('caddy'), words: caddyFile('Caddyfile-main', site) };
  },
  Traefik: (port) => {
    const site = `    site:\n      rule: PathPrefix(\`/\`)\n      priority: 1\n      entryPoints: [websecure]\n      middlewares: [elsewhere]\n      service: noop@internal\n      tls: {}\n`;
    const middleware =
      '  middlewares:\n    elsewhere:\n      redirectRegex: { regex: .*, replacement: /elsewhere }\n';
    const certificate = `tls:\n  certificates:\n    - certFile: ${folder}/certificate.pem\n      keyFile: ${folder}/key.pem\n`;
    const text = example('traefik-path.yaml').replace('  services:\n', `${site}${middleware}  services:\n`);
    return {
      program: pythonTool('traefik'),
      words: traefikWords(port, write('traefik-path.yaml', text + certificate)),
    };
  },
};

const siteAt = (port: number): string => `ploidy.example.org:${port}`;

/** Runs a proxy while something is asked of it. */
async function withProxy(configure: (port: number) => Proxy, ask: (port: number) => Promise<void>) {
  const port = await freePort();
  const { program, words, env } = configure(port);
  const child = spawn(program, words, {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  try {
    await until(() => answers(port), 'the proxy answers').catch((error: Error) => {
      throw new Error(`${error.message}\n${log}`);
    });
    await ask(port);
  } finally {
    await end(child);
  }
}

for (const [name, configure] of Object.entries(proxies)) {
  // asvs: 3.4.1, 4.1.3, 13.4.5
  test(`${name} streams bodies of any size, names the client by its true address, and hides internal paths`, async () => {
    await withProxy(configure, async (port) => {
      await uploadStreams(port);
      await downloadStreams(port);
      for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal(await statusOf(port, path), 404);
    });
  });
}

for (const [name, configure] of Object.entries(pathProxies)) {
  // asvs: 4.1.3, 13.4.5
  test(`${name} passes a path of a site on as it is, and leaves the rest to the site`, async () => {
    await withProxy(configure, async (port) => {
      const seen: string[] = [];
      handle = (message, response) => {
        seen.push(`${message.url?.split('?')[0]} ${message.headers['x-forwarded-for']}`);
        message.resume();
        response.end();
      };
      const passed = [
        '/ploidy',
        '/ploidy/v1/user',
        '/.well-known/openid-configuration/ploidy/v1',
        '/ga4gh/drs/v1/objects/x',
      ];
      for (const path of passed) assert.equal(await statusOf(port, path), 200, path);
      for (const path of ['/', '/ploidyx', '/v1/user', '/.well-known/openid-configuration'])
        assert.notEqual(await statusOf(port, path), 200, path);
      for (const path of ['healthz', 'readyz', 'metrics'])
        assert.notEqual(await statusOf(port, `/ploidy/${path}`), 200);
      assert.deepEqual(
        seen,
        passed.map((path) => `${path} 127.0.0.1`),
      );
    });
  });
}

/** Returns a whole configuration around servers. */
function nginxAround(servers: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const http = `http { access_log off; ${temporary.join(' ')} ${servers} }`;
  return `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {} ${http}\n`;
}

const chunk = Buffer.alloc(2 * 1024 ** 2, 'x');

/** Sends a chunk, and the next once the service has got the first. */
async function uploadStreams(port: number): Promise<void> {
  const { promise: firstArrived, resolve: arrived } = Promise.withResolvers<void>();
  let size = 0;
  let forwarded: unknown;
  handle = (message, response) => {
    forwarded = message.headers['x-forwarded-for'];
    message.on('data', (bytes: Buffer) => {
      size += bytes.length;
      if (size === chunk.length) arrived();
    });
    message.on('end', () => response.end());
  };
  const sent = call(port, 'PUT', { 'x-forwarded-for': '203.0.113.9' });
  sent.write(chunk);
  await firstArrived;
  sent.end(chunk);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  assert.deepEqual([answer.statusCode, size, forwarded], [200, 2 * chunk.length, '127.0.0.1']);
  assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains');
}

/** Answers with a few bytes, and ends once the client has got them. */
async function downloadStreams(port: number): Promise<void> {
  const { promise: firstRead, resolve: read } = Promise.withResolvers<void>();
  handle = (message, response) => {
    message.resume();
    response.write('first');
    void firstRead.then(() => response.end(', last'));
  };
  const sent = call(port, 'GET');
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const bytes of answer) {
    text += bytes;
    read();
  }
  assert.equal(text, 'first, last');
}

function call(port: number, method: string, headers: Record<string, string> = {}, path = '/bytes') {
  const host = 'ploidy.example.org';
  const named = { ...headers, host: `${host}:${port}` };
  return request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: named,
    servername: host,
    rejectUnauthorized: false,
  });
}

/** Returns whether the proxy passes requests on, of the service itself or of its path. */
async function answers(port: number): Promise<boolean> {
  handle = (message, response) => {
    message.resume();
    response.end();
  };
  try {
    return [await statusOf(port), await statusOf(port, '/ploidy/bytes')].includes(200);
  } catch {
    return false;
  }
}

/** Requests a path with a token in the query; resolves with the status. */
function statusOf(port: number, path = '/bytes'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    call(port, 'GET', {}, `${path}?token=secret`)
      .on('response', (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

test('the log of nginx has the requests without their queries', () => {
  const log = readFileSync(join(folder, 'ploidy.access.log'), 'utf8');
  assert.match(log, /"GET \/bytes" 200 /);
  assert.doesNotMatch(log, /token|secret/);
});

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
