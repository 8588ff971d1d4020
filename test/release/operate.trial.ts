/** Commands of docs/operate, in an installation as docs/operate/deploy.md describes it: from the packed release, below a folder instead of `/`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { npm } from '../../release/build.ts';
import { copyForService } from '../../release/pack.ts';
import { cleanEnvironment, startServer, type TestServer } from '../support/server.ts';
import { packed } from './installed.ts';

/** Commands that a test cannot run, by what they hold, with the reason. */
const leftOut: readonly (readonly [RegExp, string])[] = [
  [/^npm ci|^cp -r build\/release|^install --mode=755|&& npm ci /, 'done by this test, below its folder'],
  [
    /^useradd|^install --owner|^install --directory|^cp deploy\/|^systemctl|^nginx/,
    'needs root, and changes the machine',
  ],
  [/^docker |^kubectl /, 'needs a daemon or cluster; test/deploy checks the files'],
  [/^curl |^https:/, 'asks a host of the example'],
  [/^PLOIDY_\w+=\S+$|^PLOIDY_\w+="/, 'is a setting'],
  [/ploidy serve$/, 'runs until it is stopped; this test starts the service by it'],
  [/^ploidy apply/, 'needs secrets of an EHR system; test/journeys/cli-apply.stress.test.ts runs it'],
];

/** A command of a document, and the output that the document shows for it. */
interface Shown {
  at: string;
  line: string;
  output: string;
}

/** Folders of the machine that the documents name. */
const places = [
  '/opt/ploidy',
  '/etc/ploidy.env',
  '/var/lib/ploidy',
  '/usr/local/bin',
  '/backup',
  '/srv',
  '/safe',
];

let top: string;
let server: TestServer;
let release: ReturnType<typeof packed>;
let pages: string;

/** Puts the places of the documents below the folder of this test. */
const moved = (text: string): string =>
  places.reduce(
    (all, place) => all.replaceAll(new RegExp(`(?<![\\w.])${place}(?![\\w])`, 'g'), `${top}${place}`),
    text,
  );

before(async () => {
  top = mkdtempSync(join(tmpdir(), 'ploidy-operate-'));
  for (const folder of ['etc', 'usr/local/bin', 'srv', 'safe', 'opt', 'var/lib/ploidy'])
    mkdirSync(join(top, folder), { recursive: true });
  release = packed();
  const installation = join(top, 'opt/ploidy');
  copyForService(release.folder, installation);
  npm('ci', '--omit=dev', '--ignore-scripts', '--prefix', installation);
  pages = join(installation, 'docs/operate');
  // The user of the service is that of the test.
  const wrapper = readFileSync(join(installation, 'deploy/systemd/ploidy'), 'utf8').replace(
    'runuser --user ploidy -- ',
    '',
  );
  writeFileSync(join(top, 'usr/local/bin/ploidy'), moved(wrapper), { mode: 0o755 });
  const program = join(installation, 'node_modules/@ploidy/server/bin/ploidy.js');
  server = await startServer({ program, folder: join(top, 'var/lib/ploidy') });
  writeFileSync(
    join(top, 'etc/ploidy.env'),
    `PLOIDY_DATA_DIR=${server.folder}\nPLOIDY_BACKUPS=${top}/backup\n`,
    { mode: 0o600 },
  );
  assert.equal(run('ploidy admin users add --email bob@example.org --account main --group Users').status, 0);
});
after(async () => {
  await server?.stop();
  release?.remove();
  rmSync(top, { recursive: true, force: true });
});

/** Runs a line of a document by a shell, with a clean environment and the administrator's key. */
function run(line: string): { status: number | null; text: string } {
  const env = {
    ...cleanEnvironment(),
    PATH: `${top}/usr/local/bin:${process.env['PATH']}`,
    XDG_CONFIG_HOME: top,
    PLOIDY_ADDRESS: server.baseUrl,
    PLOIDY_API_KEY: server.apiKey,
    PLOIDY_ACCOUNT: server.account,
  };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', moved(line)], {
    cwd: top,
    env,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

/** Commands in blocks of code without a language, of one document. */
function shownIn(name: string): Shown[] {
  const found: Shown[] = [];
  let isBlock = false;
  let isOpen = false;
  let isContinued = false;
  for (const [index, line] of readFileSync(join(pages, name), 'utf8').split('\n').entries()) {
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence) {
      isBlock = !isOpen && fence[1] === '';
      isOpen = !isOpen;
      isContinued = false;
      continue;
    }
    if (!isBlock || line.trim() === '') continue;
    const last = isContinued ? found.at(-1) : undefined;
    if (last === undefined || line.startsWith('$ '))
      found.push({ at: `${name}:${index + 1}`, line, output: '' });
    else if (last.line.endsWith('\\')) last.line = `${last.line.slice(0, -1)}${line.trim()}`;
    else if (isQuoteOpen(last.line)) last.line += `\n${line}`;
    else last.output += `${line}\n`;
    const { line: shown = '' } = found.at(-1) ?? {};
    isContinued = shown.startsWith('$ ') || shown.endsWith('\\') || isQuoteOpen(shown);
  }
  return found.map((one) => ({ ...one, line: one.line.replace(/^\$ |^sudo /, '') }));
}

/** Reports whether a line of a shell ends within single quotes, but for apostrophes in double ones. */
const isQuoteOpen = (line: string): boolean =>
  (line.replaceAll(/"[^"]*"/g, '').split("'").length - 1) % 2 === 1;

test('every command of docs/operate runs in the installation, or has a reason why it does not', () => {
  const all = globSync('*.md', { cwd: pages }).toSorted().flatMap(shownIn);
  // The key that the documents keep apart from the backups.
  cpSync(join(server.folder, 'secrets/master.key'), join(top, 'safe/master.key'));
  const failed: string[] = [];
  let count = 0;
  for (const { at, line, output } of all) {
    if (leftOut.some(([shape]) => shape.test(line))) {
      if (!output.startsWith('There is no setting')) continue;
    }
    if (line.startsWith('cat ') || line.includes('ploidy')) {
      count += 1;
      const { status, text } = run(line);
      const isRefusal = output.startsWith('There is no setting');
      const isAsShown = isRefusal ? text.startsWith(output.trim()) && status === 2 : status === 0;
      if (!isAsShown) failed.push(`${at}: ${line}: ${status}: ${text}`);
    } else failed.push(`${at}: ${line}: neither run nor left out with a reason`);
  }
  assert.deepEqual(failed, []);
  assert.ok(count > 14, 'they are found');
});

test('every reason why a command is not run has a command', () => {
  const lines = globSync('*.md', { cwd: pages })
    .flatMap(shownIn)
    .map(({ line }) => line);
  for (const [shape, reason] of leftOut)
    assert.ok(
      lines.some((line) => shape.test(line)),
      reason,
    );
});
