import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import type { operations } from '../../packages/client/src/generated/openapi.ts';
import { type App, createApp } from '../../packages/server/src/app/app.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import type { Tuning } from '../../packages/server/src/config/tuning.ts';
import { openLog } from '../../packages/server/src/platform/log/log.ts';
import { lendEngine } from './kept-engine.ts';
import { People } from './people.ts';
import { postgresSkip, startPrepared } from './postgres.ts';
import { prepareSqlite } from './prepared-records.ts';
import { onlyStore } from './records.ts';

/** An answer, read to its end. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/** JSON of the success of an operation, from the types that are generated of the API document. */
type BodyOf<Name extends keyof operations> = operations[Name]['responses'] extends infer Answers
  ? { [Status in keyof Answers & (200 | 201 | 202)]: Answers[Status] }[keyof Answers &
      (200 | 201 | 202)] extends {
      content: { 'application/json': infer Body };
    }
    ? Body
    : undefined
  : never;

/** An answer, whose body is typed where the operation is named. */
export type Typed<Name extends keyof operations> = [Name] extends [never]
  ? Reply
  : Omit<Reply, 'body'> & { body: BodyOf<Name> };

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  key?: string | undefined;
  account?: string | undefined;
}

/** A whole service inside the test process, on a free port and a folder of its own. */
export interface TestApp {
  app: App;
  address: string;
  folder: string;
  key: string;
  account: string;
  /** The settings that it runs with. */
  settings: Record<string, string>;
  /** Makes people and accounts in the records of the service: its next request sees them. */
  people: People;
  /** Calls with the first key and account by default (`undefined`: without). */
  /** Sends a request. With the name of an operation, as in `call<'getProject'>(…)`, the body has its declared type. */
  call<Name extends keyof operations = never>(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Typed<Name>>;
  /** Uploads a file; answers its id. */
  put(project: string, name: string, bytes: string | Uint8Array): Promise<string>;
  stop(): Promise<void>;
}

/** The test and the service share their turns: on a busy machine the default would shed the test's requests. */
const overloadDelayMs = 60_000;

export async function openTestApp(
  settings: Record<string, string> = {},
  tuning: Partial<Tuning> = {},
): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-app-'));
  const environment = {
    PLOIDY_DATA_DIR: folder,
    PLOIDY_PORT: '0',
    PLOIDY_LOG_LEVEL: 'silent',
    PLOIDY_IDLE_WORKERS: '0',
    ...settings,
  };
  const config = { ...readConfig(environment), overloadDelayMs, ...tuning };
  prepareSqlite(config);
  const { engine, giveBack } = await lendEngine(config);
  const app = await createApp(config, openLog('silent'), engine);
  const { baseUrl, firstRun } = await app.start();
  const first = { key: firstRun?.apiKey ?? '', account: firstRun?.account ?? '' };
  const request = async (method: string, path: string, options: CallOptions = {}) => {
    const reply = await call(baseUrl, method, path, { ...first, ...options });
    if (reply.status === 409) await requireDeclared(method, path, reply);
    return reply;
  };
  return {
    app,
    address: baseUrl,
    folder,
    ...first,
    settings: environment,
    people: People.within(app.core),
    call: request as TestApp['call'],
    put: async (project, name, bytes) => {
      const made = await request('POST', '/v1/files', { body: { name, datasetId: project } });
      if (made.status !== 200) throw new Error(made.text);
      const sent = await fetch(made.body.uploadUrl, { method: 'PUT', body: bytes as never });
      if (sent.status !== 200) throw new Error(await sent.text());
      return made.body.id;
    },
    stop: async () => {
      await app.stop();
      await giveBack();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Fails for a conflict whose code the API document does not declare. */
async function requireDeclared(method: string, path: string, { status, text }: Reply): Promise<void> {
  // Reads the document, which few tests need.
  const { operationAt, undeclaredCode } = await import('../fuzz/document.ts');
  const operation = operationAt(method, path);
  const wrong = operation && undeclaredCode(operation, { status, body: Buffer.from(text) });
  if (wrong) throw new Error(`${operation.name}: ${wrong}`);
}

/**
 * Registers tests on a whole service with SQLite alone: of what no store has a part in, where other tests take the same way on both.
 * `app` is filled in before they run.
 */
export function describeOnSqlite(
  name: string,
  body: (app: TestApp) => void,
  settings: Record<string, string> = {},
  tuning: Partial<Tuning> = {},
): void {
  if (onlyStore === 'postgres') return;
  describe(`${name} (sqlite)`, () => {
    const app = {} as TestApp;
    before(async () => void Object.assign(app, await openTestApp(settings, tuning)));
    after(() => app.stop?.());
    body(app);
  });
}

/** Registers tests on a whole service, once with SQLite and once with PostgreSQL. `app` is filled in before they run. */
export function describeApp(
  name: string,
  body: (app: TestApp) => void,
  settings: Record<string, string> = {},
  tuning: Partial<Tuning> = {},
): void {
  describeOnSqlite(name, body, settings, tuning);
  describeOnPostgres(name, body, settings, tuning);
}

/** Registers whole-service tests on PostgreSQL only, for services that share records. */
export function describeOnPostgres(
  name: string,
  body: (app: TestApp) => void,
  settings: Record<string, string> = {},
  tuning: Partial<Tuning> = {},
): void {
  if (onlyStore === 'sqlite') return;
  describe(`${name} (postgres)`, { skip: postgresSkip }, () => {
    const app = {} as TestApp;
    let stop: (() => Promise<void>) | undefined;
    before(async () => {
      const database = await startPrepared();
      stop = database.stop;
      Object.assign(app, await openTestApp({ ...settings, PLOIDY_DATABASE_URL: database.url }, tuning));
    });
    after(async () => {
      await app.stop?.();
      await stop?.();
    });
    body(app);
  });
}

export async function call(
  address: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Reply> {
  const { body, headers, key, account } = options;
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { authorization: key }),
      ...(account !== undefined && { 'service-account': account }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = /^application\/(fhir\+)?json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json ? JSON.parse(text) : undefined,
  };
}
