import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const ploidy = join(import.meta.dirname, '../../bin/ploidy.js');

/** A service that runs in a process of its own. */
export interface Service {
  /** `http://host:port`, without a path. */
  baseUrl: string;
  process: ChildProcess;
  /** Resolves when the process has ended, in whatever way, with its exit code. */
  ended: Promise<number | null>;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
}

/**
 * Starts `ploidy serve` with this environment and waits until it is ready. Its log goes to `logFile`. Rejects with the reason
 * when it cannot start. It never outlives this process, unless this process is killed itself.
 */
export async function launchService(options: {
  environment: NodeJS.ProcessEnv;
  logFile: string;
  /** Path of another `ploidy.js`, such as that of an installed package. */
  program?: string | undefined;
}): Promise<Service> {
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(process.execPath, [options.program ?? ploidy, 'serve'], {
    env: options.environment,
    stdio: ['ignore', 'pipe', log],
    windowsHide: true,
  });
  closeSync(log);
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
    child.once('error', () => resolve(null));
  });
  void ended.then(() => process.off('exit', killAtExit));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  const baseUrl = await printedAddress(child);
  if (baseUrl === undefined) {
    await end('SIGKILL');
    throw new Error(reasonIn(options.logFile));
  }
  const service = { baseUrl, process: child, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  await ready(service).catch(async (error: unknown) => {
    await end('SIGKILL');
    throw error;
  });
  return service;
}

/** Returns the address that the service prints when it listens; `undefined` when it ends before. */
function printedAddress(child: ChildProcess): Promise<string | undefined> {
  const { stdout } = child;
  if (!stdout) throw new Error('The output of the service is not piped.');
  return new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      const [, address] = /^Ploidy listens on (\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    lines.once('close', () => resolve(undefined));
  });
}

async function ready({ baseUrl, process: child }: Service): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(`${baseUrl}/readyz`);
    await answer.arrayBuffer();
    if (answer.ok) return;
    await delay(20);
  }
  throw new Error('The service ended before it was ready.');
}

/** Returns the sentence that the service left behind: the last line of its log that is not an entry. */
function reasonIn(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  return lines.findLast((line) => line !== '' && !line.startsWith('{')) ?? 'The service could not start.';
}
