import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export interface Service {
  address: string;
  folder: string;
  process: ChildProcess;
  headers: Record<string, string>;
  /** Calls the API with the first key; anything but 2xx throws. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** Starts the service on a free port and a fresh data folder, or on another service's, to share its records. */
export async function startService(settings: Record<string, string> = {}, other?: Service): Promise<Service> {
  const folder = other?.folder ?? mkdtempSync(join(tmpdir(), 'ploidy-bench-'));
  const child = spawn(process.execPath, [join(root, 'bin/ploidy.js'), 'serve'], {
    env: {
      PATH: process.env['PATH'],
      PLOIDY_DATA_DIR: folder,
      PLOIDY_PORT: '0',
      PLOIDY_LOG_LEVEL: 'warn',
      PLOIDY_REQUESTS_PER_MINUTE: '100000000',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await printed(child, /Ploidy listens on (\S+)/);
  const { apiKey, account } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as Record<
    string,
    string
  >;
  const headers = { authorization: apiKey ?? '', 'service-account': account ?? '' };
  return {
    address,
    folder,
    process: child,
    headers,
    call: (method, path, body) => call(`${address}${path}`, method, headers, body),
    stop: async () => {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      if (!other) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a child's standard output matches; answers the first group. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it was ready`)));
  });
}

async function call<T>(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<T> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...sent,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
