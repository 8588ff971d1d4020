/** `npm run demo`: the main job on the sample project, from an empty folder to the rows. `-- --once` exits after the answer. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import '../../bin/end-with-npm.js';
import { runDemo } from './job.ts';
import { launchService, type Service } from './service.ts';

const once = process.argv.includes('--once');
const unknown = process.argv.slice(2).filter((word) => word !== '--once');
if (unknown.length > 0) {
  process.stderr.write(`npm run demo [-- --once]: "${unknown[0]}" is not known.\n`);
  process.exit(2);
}
// Requests in flight to a stopped service need no waiting.
process.exit(await demo());

async function demo(): Promise<number> {
  const interrupted = interruption();
  const folder = once ? mkdtempSync(join(tmpdir(), 'ploidy-demo-')) : freshFolder();
  const launching = launchService({
    environment: await environment(folder),
    logFile: join(folder, 'server.log'),
  });
  try {
    const answered = await Promise.race([answer(launching, folder), interrupted]);
    if (answered === 'interrupted') return 130;
    if (once) return 0;
    const ended = (await launching).ended.then(() => 'ended' as const);
    if ((await Promise.race([interrupted, ended])) === 'ended') throw new Error(endedByItself);
    return 0;
  } catch (error) {
    const log = once ? '' : ` The log is ${relative('.', join(folder, 'server.log'))}.`;
    process.stderr.write(
      `The demo failed: ${error instanceof Error ? error.message : String(error)}${log}\n`,
    );
    return 1;
  } finally {
    await launching.then(
      (service) => service.stop(),
      () => undefined,
    );
    if (once) rmSync(folder, { recursive: true, force: true });
  }
}

const endedByItself = 'The service ended by itself.';

/** Time from the first start of the service to the rows. */
async function answer(launching: Promise<Service>, folder: string): Promise<void> {
  const started = performance.now();
  const { baseUrl, ended } = await launching;
  say(`The service is ready at ${baseUrl} (${seconds(started)}).\n`);
  const first = readFileSync(join(folder, 'first-run.json'), 'utf8');
  const { apiKey, account, consoleUrl } = JSON.parse(first) as Record<
    'apiKey' | 'account' | 'consoleUrl',
    string
  >;
  const connection = { address: baseUrl, apiKey, account };
  const lost = ended.then((): never => {
    throw new Error(endedByItself);
  });
  await Promise.race([runDemo(connection), lost]);
  say(`\nFrom nothing to the answer: ${seconds(started)}.`);
  if (!once) say(whereToGo(baseUrl, folder, { ...connection, consoleUrl }));
}

/** Ctrl-C, or an end from outside; then the service is stopped before this process ends. */
function interruption(): Promise<'interrupted'> {
  const { promise, resolve } = Promise.withResolvers<'interrupted'>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => resolve('interrupted'));
  // The reader is gone: the terminal was closed, or a pipe.
  process.stdout.on('error', () => resolve('interrupted'));
  return promise;
}

/** Folder of its own below ./data: a second demo begins anew, and the first can still be inspected. */
function freshFolder(): string {
  const folder = resolve('data', `demo-${new Date().toISOString().replace(/[:.]/g, '-')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Warns that other settings are ignored: they could lead to records and files that are not the demo's. */
async function environment(folder: string): Promise<NodeJS.ProcessEnv> {
  const settings = Object.keys(process.env).filter((name) => name.startsWith('PLOIDY_'));
  const others = settings.filter((name) => name !== 'PLOIDY_PORT');
  if (others.length > 0)
    process.stderr.write(`The demo takes PLOIDY_PORT only; it does not use ${others.join(', ')}.\n`);
  const kept = Object.entries(process.env).filter(([name]) => !settings.includes(name));
  const port = process.env['PLOIDY_PORT'] ?? (!once && (await isFree(8080)) ? '8080' : '0');
  return {
    ...Object.fromEntries(kept),
    PLOIDY_DATA_DIR: folder,
    PLOIDY_HOST: '127.0.0.1',
    PLOIDY_PORT: port,
  };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const probe = createServer();
    probe.once('error', () => answer(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => answer(true)));
  });
}

function whereToGo(
  address: string,
  folder: string,
  connection: { apiKey: string; account: string; consoleUrl: string },
): string {
  return `
The server keeps running; Ctrl-C stops it. Its data is in ${relative('.', folder)}, and this starts it again:

  PLOIDY_DATA_DIR=${relative('.', folder)} npm start

  console   ${connection.consoleUrl}
            (opens signed in; works once, within an hour)
  address   ${address}/v1        (API description: ${address}/docs)
  account   ${connection.account}
  API key   ${connection.apiKey}

In another terminal:

  npm run ploidy -- login --first-run ${relative('.', folder)} --address ${address}
  npm run ploidy -- projects use "Sample project"
  npm run ploidy -- query "SELECT gene, count(*) AS variants FROM variant GROUP BY gene ORDER BY variants DESC LIMIT 5"
`;
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
