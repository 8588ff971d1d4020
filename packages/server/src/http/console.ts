import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Addresses of the console's pages; each shows the same document, whose script reads the address. */
const pages = ['/', '/projects/*', '/account/*', '/me'];

/**
 * Content security policy of the console: its own scripts, no foreign origin. Styles stay inline: charts and the genome browser
 * write style elements of their own, and neither takes a nonce. The genome browser draws pictures that it made itself (`blob:`).
 * Uploads go to the store of files, where that is another origin.
 */
const policyFor = (storeOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${["'self'", ...storeOrigins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.bam': 'application/octet-stream',
  '.csv': 'text/csv; charset=utf-8',
  '.fa': 'text/plain; charset=utf-8',
  '.gz': 'application/gzip',
  '.json': 'application/json',
  '.ndjson': 'application/x-ndjson',
  '.vcf': 'text/plain; charset=utf-8',
};

/** Content codings that the build has made, the smaller first. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Folder and surroundings of the console. */
export interface ConsoleSettings {
  /** Folder of the built files. */
  folder: string;
  /** Origins beside this service that take uploads and give downloads. */
  storeOrigins: readonly string[];
}

/** Serves the built console. Reports whether there is one: an installation without scripts (`--ignore-scripts`) has built none. */
export function addConsole(
  app: FastifyInstance,
  { folder, storeOrigins }: ConsoleSettings,
  log: Logger,
): boolean {
  if (!existsSync(join(folder, 'index.html'))) {
    log.warn('the console is not built; run "npm run prepare"');
    return false;
  }
  const files = filesIn(folder);
  const send = (request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply => {
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const coding = codings.find(([word, end]) => accepted.includes(word) && files.has(`${name}${end}`));
    if (coding) reply.header('content-encoding', coding[0]);
    return reply
      .header('content-type', types[extname(name)] ?? 'application/octet-stream')
      .header('vary', 'Accept-Encoding')
      .send(files.get(`${name}${coding?.[1] ?? ''}`));
  };
  const policy = policyFor(storeOrigins);
  // Its references are those of the build, from its own folder; pages have addresses of any depth.
  const document = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll('="./', '="/');
  for (const url of pages) {
    app.get(url, { schema: { hide: true } }, (_, reply) =>
      reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policy,
          // Changes that a page makes are recognised by their Origin.
          'referrer-policy': 'same-origin',
        })
        .send(document),
    );
  }
  app.get<{ Params: { '*': string } }>('/assets/*', { schema: { hide: true } }, (request, reply) => {
    const name = `assets/${request.params['*']}`;
    if (!files.has(name) || !(extname(name) in types)) return reply.callNotFound();
    return send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), name);
  });
  return true;
}

/**
 * Reads the built files, by their names in the folder. Done at the start: no address leads out of the folder, and the document
 * keeps the scripts that it names while an upgrade replaces them.
 */
function filesIn(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path)]));
}
