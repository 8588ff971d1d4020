import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Call } from '../inputs/project.ts';
import type { Reply } from '../support/app.ts';
import { cleanEnvironment, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Steps in which the moment of a death is chosen. */
const momentMs = 5;

const ploidy = join(import.meta.dirname, '../../bin/ploidy.js');

/** A service that dies and is started again on the same data folder. */
export class MortalService {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  #server: TestServer;
  #deaths = 0;

  private constructor(server: TestServer, settings: Record<string, string>) {
    this.folder = server.folder;
    this.#server = server;
    this.settings = settings;
  }

  static start(settings: Record<string, string> = {}): Promise<MortalService> {
    return MortalService.startIn(undefined, settings);
  }

  /** Folder that exists already. `program`: path of another `ploidy.js`. */
  static async startIn(
    folder: string | undefined,
    settings: Record<string, string> = {},
    program?: string,
  ): Promise<MortalService> {
    const all = { PLOIDY_IDLE_WORKERS: '0', ...settings };
    const place = folder !== undefined && { folder };
    const server = await startServer({ settings: all, ...place, ...(program !== undefined && { program }) });
    return new MortalService(server, all);
  }

  get server(): TestServer {
    return this.#server;
  }

  /** Number of kills: a request without an answer between two kills is a fault of the service. */
  get deaths(): number {
    return this.#deaths;
  }

  readonly call: Call = (method, path, options) => this.callAt(this.#server.baseUrl, method, path, options);

  /** Calls it at another address, such as that of a proxy before it. */
  async callAt(
    baseUrl: string,
    ...[method, path, { body, key, account, headers: more } = {}]: Parameters<Call>
  ): Promise<Reply> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: key ?? this.#server.apiKey,
        'service-account': account ?? this.#server.account,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json');
    const { status, headers } = response;
    return { status, headers, text, body: json ? JSON.parse(text) : undefined };
  }

  /** Returns the SHA-256 of what readers of a file get; `undefined` when there is no such file. */
  async storedHash(fileId: string): Promise<string | undefined> {
    const { baseUrl, apiKey, account } = this.#server;
    const headers = { authorization: apiKey, 'service-account': account };
    const read = await fetch(`${baseUrl}/v1/files/${fileId}`, { headers });
    const bytes = Buffer.from(await read.arrayBuffer());
    if (read.status === 404) return undefined;
    assert.equal(read.status, 200);
    return createHash('sha256').update(bytes).digest('hex');
  }

  /** Returns a signed address of an earlier life, at the present one's port. */
  here(url: string): string {
    const { pathname, search } = new URL(url);
    return `${this.#server.baseUrl}${pathname}${search}`;
  }

  async kill(): Promise<void> {
    this.#deaths += 1;
    await this.#server.kill();
  }

  /** `more`: environment of this life alone. */
  async restart(more: Record<string, string> = {}): Promise<void> {
    try {
      this.#server = await startServer({ folder: this.folder, settings: { ...this.settings, ...more } });
    } catch (error) {
      const log = readFileSync(join(this.folder, 'server.log'), 'utf8');
      throw new Error(`It did not start again. The end of its log:\n${log.slice(-2000)}`, { cause: error });
    }
  }

  /** Lives again until `enough` holds, and dies: at once, so it may not even listen yet. */
  async liveUntil(enough: () => boolean, what: string): Promise<void> {
    const log = openSync(join(this.folder, 'server.log'), 'a', 0o600);
    const child = spawn(process.execPath, [ploidy, 'serve'], {
      env: { ...cleanEnvironment(), PLOIDY_PORT: '0', ...this.settings, PLOIDY_DATA_DIR: this.folder },
      stdio: ['ignore', 'ignore', log],
    });
    const ended = once(child, 'exit');
    closeSync(log);
    try {
      await until(
        () => {
          assert.equal(child.exitCode, null, 'it lives');
          return enough();
        },
        what,
        momentMs,
      );
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  }

  /** Dies so long from now, and lives again. */
  async dieAfter(ms: number): Promise<void> {
    await delay(ms);
    await this.kill();
    await this.restart();
  }

  /** Looks into the records, as another process. */
  look<T>(read: (records: DatabaseSync) => T): T {
    // A service that has just started again recovers the journal of its predecessor; that is waited for.
    const path = join(this.folder, 'records.sqlite');
    const records = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    try {
      return read(records);
    } finally {
      records.close();
    }
  }

  /** Rows of the records of either store, as another process reads them. */
  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const url = this.settings['PLOIDY_DATABASE_URL'];
    if (url === undefined) return this.look((records) => records.prepare(sql).all());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** State, attempts and lost runs of the job behind an ingestion or a query. */
  job(table: 'ingestions' | 'queries', id: string): { state: string; attempts: number; lost: number } {
    const sql = `select j.state, j.attempts, j.lost from jobs j join ${table} t on t.job_id = j.id where t.id = ?`;
    const row = this.look((records) => records.prepare(sql).get(id));
    const [attempts, lost] = [Number(row?.['attempts']), Number(row?.['lost'])];
    return { state: String(row?.['state']), attempts, lost };
  }

  /** Runs an operator's command and returns its output; fails unless it succeeds. */
  async admin(...words: string[]): Promise<string> {
    const env = { ...cleanEnvironment(), ...this.settings, PLOIDY_DATA_DIR: this.folder };
    const { stdout } = await promisify(execFile)(process.execPath, [ploidy, 'admin', ...words], { env });
    return stdout;
  }

  /** Verifies the audit chain by the operator's command. */
  async assertAuditWhole(): Promise<void> {
    assert.match(await this.admin('verify-audit'), /: \d+ events, whole\n/);
  }

  /** Verifies every segment against the catalogue by the operator's command. */
  async assertLakeWhole(): Promise<void> {
    assert.match(await this.admin('verify-lake'), /^problems: 0$/m);
  }

  async end(): Promise<void> {
    await this.#server.stop();
  }
}

/** Answer of a request; `undefined` when the service died first. */
export async function ifAnswered<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    // The error of fetch for a connection that was refused, reset or closed during a response.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
