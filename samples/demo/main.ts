/** `npm run demo`: the main job on the sample project, from an empty folder to the rows. `-- --once` exits after the answer. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { runDemo } from './job.ts';
import { launchService, type Service } from './service.ts';

const once = process.argv.includes('--once');
const unknown = process.argv.slice(2).filter((word) => word !== '--once');
if (unknown.length > 0) {
  process.stderr.write(`npm run demo [-- --once]: "${unknown[0]}" is not known.\n`);
  process.exit(2);
}
process.exitCode = await demo();

async function demo(): Promise<number> {
  const folder = once ? mkdtempSync(join(tmpdir(), 'ploidy-demo-')) : freshFolder();
  const started = performance.now();
  let service: Service | undefined;
  try {
    service = await launchService({
      environment: await environment(folder),
      logFile: join(folder, 'server.log'),
    });
    const running = service;
    const interrupted = new Promise<number>((answer) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => answer(130));
    });
    const { apiKey, account } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as Record<
      string,
      string
    >;
    say(`The service is ready at ${running.baseUrl} (${seconds(started)}).\n`);
    const connection = { address: running.baseUrl, apiKey: apiKey ?? '', account: account ?? '' };
    const work = runDemo(connection).then(() => 0);
    const code = await Promise.race([work, interrupted]);
    say(`\nFrom nothing to the answer: ${seconds(started)}.`);
    if (once || code !== 0) return code;
    say(whereToGo(running.baseUrl, folder, connection));
    const ended = await Promise.race([interrupted, running.ended.then(() => 1)]);
    return ended === 130 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`The demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await service?.stop();
    if (once) rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder of its own below ./data, so that a second demo begins anew and the first can be looked at. */
function freshFolder(): string {
  const folder = resolve('data', `demo-${new Date().toISOString().replace(/[:.]/g, '-')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function environment(folder: string): Promise<NodeJS.ProcessEnv> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PLOIDY_'));
  const port = !once && (await isFree(8080)) ? '8080' : '0';
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

function whereToGo(address: string, folder: string, connection: { apiKey: string; account: string }): string {
  return `
The server keeps running; Ctrl-C stops it. Its data is in ${relative('.', folder)}.

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
