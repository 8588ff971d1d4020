/** Commands of docs/operate, in an installation that docs/operate/deploy.md makes: from the packed release, below a folder instead of `/`. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import {
  isSettings,
  type Line,
  linesOf,
  operateBlocks,
  operateLines,
  reasonFor,
  replaced,
} from '../documentation/operate-lines.ts';
import { freePort } from '../support/free-port.ts';
import { cleanEnvironment, startServer, type TestServer } from '../support/server.ts';
import { packed } from './installed.ts';

/** Folders of the machine that the documents and the files of deploy/ name. */
const places = [
  '/opt/ploidy',
  '/etc/ploidy.env',
  '/etc/systemd/system',
  '/etc/nginx/conf.d',
  '/var/lib/ploidy',
  '/usr/local/bin',
  '/run/secrets',
  '/backup',
  '/srv',
  '/safe',
];
const deployment = 'docs/operate/deploy.md';

let top: string;
let cwd: string;
let port: number;
let server: TestServer | undefined;
let release: ReturnType<typeof packed>;
/** Id of the key that has leaked. */
let leaked = '';
/** Commands of deploy.md, which made the installation, that did not end as shown. */
const unmade: string[] = [];

/** Puts the places of the documents below the folder of this test, and the service at its own address. */
function moved(text: string): string {
  const there = places.reduce(
    (all, place) => all.replaceAll(new RegExp(`(?<![\\w.])${place}(?![\\w])`, 'g'), `${top}${place}`),
    text,
  );
  return there
    .replaceAll(/https:\/\/ploidy\.example\.org|http:\/\/127\.0\.0\.1:8080/g, `http://127.0.0.1:${port}`)
    .replace('<id>', leaked);
}

const environment = (): NodeJS.ProcessEnv => ({
  ...cleanEnvironment(),
  PATH: `${top}/replaced:${top}/usr/local/bin:${process.env['PATH']}`,
  XDG_CONFIG_HOME: top,
  NORTH_KEY: 'id of the service',
  ...(server && {
    PLOIDY_ADDRESS: server.baseUrl,
    PLOIDY_API_KEY: server.apiKey,
    PLOIDY_ACCOUNT: server.account,
    NEW: server.apiKey,
  }),
});

/** Runs a line of a document by a shell, with a clean environment and the administrator's key; the folder is kept for the next. */
function run(line: string): { status: number | null; text: string } {
  const script = `${moved(line)} && pwd > ${top}/cwd`;
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', script], {
    cwd,
    env: environment(),
    encoding: 'utf8',
  });
  if (status === 0) cwd = readFileSync(join(top, 'cwd'), 'utf8').trim();
  return { status, text: stdout + stderr };
}

/** Starts the service by a line, and stops it when it listens; answers its exit code. */
async function serve(line: string): Promise<number | null> {
  const env = { ...environment(), PLOIDY_DATA_DIR: mkdtempSync(join(top, 'first-')), PLOIDY_PORT: '0' };
  const child = spawn('bash', ['-c', `exec ${moved(line)}`], {
    cwd: top,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  for await (const text of createInterface({ input: child.stdout }))
    if (text.startsWith('Ploidy listens on ')) child.kill('SIGTERM');
  return ended;
}

/** Runs a command and answers what is not as the document shows it. */
async function faultOf({ at, command, output }: Line): Promise<string[]> {
  if (command === 'ploidy serve') {
    const code = await serve(command);
    return code === 0 ? [] : [`${at}: ${command}: ended with ${code}`];
  }
  const { status, text } = run(command);
  const isRefusal = output.startsWith('There is no setting');
  const isAsShown = isRefusal ? text.startsWith(output.trim()) && status === 2 : status === 0;
  return isAsShown ? [] : [`${at}: ${command}: ${status}: ${text}`];
}

/** Writes a program that takes the place of another. */
function replace(name: string, script: string): void {
  writeFileSync(join(top, 'replaced', name), `#!/bin/bash\nset -eu\n${script}\n`, { mode: 0o755 });
}

/** Runs the commands of deploy.md in their order, and starts the service where its unit is started. */
async function install(): Promise<void> {
  for (const block of operateBlocks().filter(({ path }) => path === deployment)) {
    if (isSettings(block)) {
      appendFileSync(join(top, 'etc/ploidy.env'), moved(block.code));
      continue;
    }
    for (const line of linesOf(block).filter(({ command }) => reasonFor(command) === undefined)) {
      unmade.push(...(await faultOf(line)));
      for (const file of ['usr/local/bin/ploidy', 'etc/systemd/system/ploidy.service'])
        if (line.command.includes(`/${file.replace(/\/ploidy\.service$/, '')}`)) moveIn(join(top, file));
      if (line.command.endsWith('enable --now ploidy')) server = await startUnit();
    }
  }
}

/** Moves the places that a file of the installation names. */
function moveIn(path: string): void {
  const text = readFileSync(path, 'utf8');
  if (!text.includes(top)) writeFileSync(path, moved(text));
}

/** Starts the service by the command and settings of its unit. */
function startUnit(): Promise<TestServer> {
  const unit = readFileSync(join(top, 'etc/systemd/system/ploidy.service'), 'utf8');
  const [, settings = ''] = /^Environment=(PLOIDY_CONFIG_FILE=\S+)/m.exec(unit) ?? [];
  const [, program = ''] = /^ExecStart=\S+ (\S+) serve$/m.exec(unit) ?? [];
  const [name = '', value = ''] = settings.split('=');
  return startServer({
    program,
    folder: join(top, 'var/lib/ploidy'),
    settings: { [name]: value, PLOIDY_PORT: `${port}` },
  });
}

before(async () => {
  top = mkdtempSync(join(tmpdir(), 'ploidy-operate-'));
  const folders = ['replaced', 'etc/systemd/system', 'etc/nginx/conf.d', 'usr/local/bin', 'var/lib/ploidy'];
  for (const folder of [...folders, 'srv', 'safe', 'opt', 'run/secrets'])
    mkdirSync(join(top, folder), { recursive: true });
  // The test may not be root: these keep their arguments, and owners are left out.
  for (const name of replaced) replace(name, `echo ${name} "$@" >> ${top}/changes`);
  replace('runuser', 'shift 3; exec "$@"');
  replace(
    'install',
    'for word; do shift; case "$word" in --owner=*|--group=*) ;; *) set -- "$@" "$word";; esac; done; exec env PATH=/usr/bin:/bin install "$@"',
  );
  port = await freePort();
  release = packed();
  cwd = join(release.folder, '../..');
  await install();
  cwd = top;
  appendFileSync(join(top, 'etc/ploidy.env'), `PLOIDY_BACKUPS=${top}/backup\n`);
  // Commands of other pages need users, the key apart from the backups, a secret, and a key that has leaked.
  for (const email of ['bob@example.org', 'jane@example.org'])
    assert.equal(run(`ploidy admin users add --email ${email} --account main --group Users`).status, 0);
  cpSync(join(top, 'var/lib/ploidy/secrets/master.key'), join(top, 'safe/master.key'));
  writeFileSync(join(top, 'run/secrets/north'), 'a secret\n');
  for (const { code } of operateBlocks('yaml')) writeFileSync(join(top, 'account.yaml'), moved(code));
  leaked = JSON.parse(run('ploidy keys create Leaked --json').text).id;
});
after(async () => {
  await server?.stop();
  release?.remove();
  rmSync(top, { recursive: true, force: true });
});

test('the commands of deploy.md install the service, which runs by its unit', () => {
  assert.deepEqual(unmade, []);
  const changes = readFileSync(join(top, 'changes'), 'utf8').split('\n');
  for (const change of ['systemctl enable --now ploidy', 'systemctl enable --now ploidy-backup.timer'])
    assert.ok(changes.includes(change), change);
});

test('every command of the other pages runs in the installation', async () => {
  const others = operateLines().filter(
    ({ at, command }) => !at.startsWith(deployment) && !reasonFor(command),
  );
  const failed: string[] = [];
  for (const line of others) failed.push(...(await faultOf(line)));
  assert.deepEqual(failed, []);
  assert.ok(others.length > 14, 'they are found');
});
