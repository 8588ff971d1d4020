import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { closeCore, openCore } from '../packages/server/src/app/core.ts';
import { readConfig } from '../packages/server/src/config/config.ts';
import { Sessions } from '../packages/server/src/domains/authentication/sign-in/sessions/index.ts';
import { openLog } from '../packages/server/src/platform/log/log.ts';
import { type Service, startService } from './service.ts';

const chains = 32;
const seconds = 5;
const refreshesMin = 2000;
const callback = 'https://app.example/callback';

/** Durable refreshes a second on one core, with and without an id token, and the service's CPU time for each. */
export async function bench(): Promise<void> {
  const service = await startService();
  const agent = new Agent({ keepAlive: true, maxSockets: chains });
  onOneCore(service.process.pid ?? 0, 0);
  onOneCore(process.pid, 1);
  try {
    const client = await addClient(service);
    const cookie = await signIn(service);
    for (const scope of ['offline_access', 'openid']) {
      const tokens: string[] = [];
      for (let n = 0; n < chains; n++) tokens.push(await firstToken(service, agent, client, cookie, scope));
      await run(service, agent, client, tokens, 1);
      const { refreshes, cpuMs } = await run(service, agent, client, tokens, seconds);
      const perSecond = refreshes / seconds;
      process.stdout.write(
        `${scope === 'openid' ? 'with id token' : 'without id token'}: ${perSecond.toFixed(0)} refreshes/s, ` +
          `${((cpuMs * 1000) / refreshes).toFixed(0)} µs of CPU each (${((1000 * refreshes) / cpuMs).toFixed(0)}/s a core), wanted ≥ ${refreshesMin}/s a core\n`,
      );
    }
  } finally {
    agent.destroy();
    await service.stop();
  }
}

/** Binds the service to one core, and its clients to the other: the printed figures are those of one core. */
function onOneCore(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], {
    stdio: 'ignore',
  });
}

/** Adds an OAuth client; returns its id. */
export async function addClient(service: Service): Promise<string> {
  const { id } = await service.call<{ id: string }>('POST', '/v1/clients', {
    name: 'Bench',
    callbackUrls: [callback],
    allowedScopes: ['openid', 'offline_access'],
  });
  return id;
}

/** Returns a browser's session, made on the host. */
export async function signIn(service: Service): Promise<string> {
  const core = await openCore(readConfig({ PLOIDY_DATA_DIR: service.folder }), openLog('silent'));
  const sessions = new Sessions(core.records, { lifeMs: 3_600_000, idleMs: 3_600_000 });
  const user = await core.records.read.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const { token } = await core.records.transact((tx) =>
    sessions.begin(tx, { userId: user.id, methods: ['pwd'], userAgent: 'bench', address: '' }),
  );
  await closeCore(core);
  return `ploidy-session=${token}`;
}

/** Returns the first refresh token of a grant. */
export async function firstToken(
  service: Service,
  agent: Agent,
  client: string,
  cookie: string,
  scope: string,
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: callback,
    scope,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const answer = await fetch(`${service.address}/v1/oauth/authorize?${asked}`, {
    redirect: 'manual',
    headers: { cookie },
  });
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: client,
    redirect_uri: callback,
    code,
    code_verifier: verifier,
  };
  return (await post(service, agent, form)).refresh_token;
}

/** Runs chains that refresh their tokens again and again; every answer must be good. */
async function run(
  service: Service,
  agent: Agent,
  client: string,
  tokens: string[],
  forSeconds: number,
): Promise<{ refreshes: number; cpuMs: number }> {
  const end = Date.now() + forSeconds * 1000;
  const before = cpuMsOf(service.process.pid ?? 0);
  let refreshes = 0;
  await Promise.all(
    tokens.map(async (_, chain) => {
      while (Date.now() < end) {
        const form = { grant_type: 'refresh_token', client_id: client, refresh_token: tokens[chain] ?? '' };
        tokens[chain] = (await post(service, agent, form)).refresh_token;
        refreshes++;
      }
    }),
  );
  return { refreshes, cpuMs: cpuMsOf(service.process.pid ?? 0) - before };
}

/** User and system time of a process and all its threads (proc(5): fields 14 and 15, in hundredths of a second). */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function post(
  service: Service,
  agent: Agent,
  form: Record<string, string>,
): Promise<{ refresh_token: string }> {
  const body = new URLSearchParams(form).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${service.address}/v1/oauth/token`,
      { method: 'POST', agent, headers },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text)),
        );
      },
    );
    sent.on('error', reject).end(body);
  });
}
