/** Builds the packages that are published: JavaScript and types by the TypeScript compiler, each in a folder that `npm pack` takes. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commitOf } from '../packages/cli/src/build.ts';

export const root = dirname(import.meta.dirname);
/** Built files of the console, which `npm ci` makes. */
export const consoleFolder = join(root, 'packages/console/dist');

/** Published packages; each depends on earlier ones only. */
export const packages = [
  'policy',
  'statistics',
  'formats',
  'engine',
  'converters',
  'client',
  'cli',
  'console',
  'server',
] as const;
export type PackageName = (typeof packages)[number];

interface Manifest {
  name: string;
  version: string;
  exports: Record<string, string>;
  /** Modules of the package that are others in browsers. */
  imports?: Record<string, Record<string, string>>;
  dependencies?: Record<string, string>;
  [field: string]: unknown;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Runs npm in the project; answers what it prints. Runs its script with Node: on Windows the command is no program. */
export function npm(...words: string[]): string {
  const script = process.env['npm_execpath'];
  const [program, first] = script === undefined ? ['npm', []] : [process.execPath, [script]];
  return execFileSync(program, [...first, ...words], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: 64 * 1024 ** 2,
  });
}

/** Compiles all packages and lays each out as it is published, in a new folder. Answers their folders. */
export function build(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  const compiled = join(folder, 'tsc');
  const compiler = 'node_modules/typescript/bin/tsc';
  run(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', compiled]);
  if (!existsSync(join(consoleFolder, 'licenses.json'))) buildConsole();
  return packages.map((name) => stage(name, join(compiled, name, 'src'), join(folder, 'packages', name)));
}

export function buildConsole(): void {
  run(process.execPath, ['packages/console/build.ts']);
}

/** Runs a program in the project, or in another folder; its output goes to standard error. Throws when it fails. */
export function run(program: string, words: string[], folder = root): void {
  execFileSync(program, words, { cwd: folder, stdio: ['ignore', 2, 2] });
}

function stage(name: PackageName, compiled: string, folder: string): string {
  const source = join(root, 'packages', name);
  mkdirSync(folder, { recursive: true });
  for (const file of ['LICENSE', `packages/${name}/README.md`])
    cpSync(join(root, file), join(folder, file.replace(/.*\//, '')));
  const manifest = readManifest(source);
  if (name === 'console') cpSync(consoleFolder, join(folder, 'dist'), { recursive: true });
  else copyCompiled(compiled, join(folder, 'dist'));
  const hasCommand = name === 'server' || name === 'cli';
  if (hasCommand) cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  const published = publishedManifest(name, manifest, hasCommand);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  return folder;
}

/** Returns when the commit was made that is packed: the same commit makes the same bytes. Without Git: now. */
export function madeAt(): Date {
  if (commitOf(root).commit === undefined) return new Date();
  return new Date(execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' }).trim());
}

/** Returns the manifest as published: exports lead to `dist`, and nothing of the development is left. */
function publishedManifest(name: PackageName, manifest: Manifest, hasCommand: boolean): object {
  const {
    private: _private,
    devDependencies: _development,
    exports,
    imports,
    dependencies,
    ...rest
  } = manifest;
  const build = { ...commitOf(root), builtAt: madeAt().toISOString() };
  const published = (paths: Record<string, string>): object =>
    Object.fromEntries(Object.entries(paths).map(([key, path]) => [key, publishedExport(path)]));
  const replaced = Object.entries(imports ?? {}).map(([key, paths]) => [key, published(paths)]);
  return {
    ...rest,
    // Read by packages/cli/src/build.ts, for all packages.
    ...(name === 'cli' && { build }),
    ...(hasCommand && { bin: { ploidy: 'bin/ploidy.js' } }),
    files: hasCommand ? ['dist', 'bin'] : ['dist'],
    sideEffects: hasCommand,
    exports: { ...published(exports), './package.json': './package.json' },
    ...(imports && { imports: Object.fromEntries(replaced) }),
    // The bundler has put the code of all that the console depends on into its files.
    ...(name !== 'console' && dependencies && { dependencies }),
  };
}

function publishedExport(path: string): string | { types: string; default: string } {
  const built = /^\.\/src\/(.+)\.ts$/.exec(path)?.[1];
  return built === undefined ? path : { types: `./dist/${built}.d.ts`, default: `./dist/${built}.js` };
}

/** The compiler changes paths in imports alone. Threads and processes are started by a path in a string, and types import by one. */
const pathOfSource = /(['"`])(\.\.?\/[^'"`\n]*)\.ts\1/g;

function copyCompiled(from: string, to: string): void {
  for (const file of globSync('**/*.{js,d.ts}', { cwd: from })) {
    const text = readFileSync(join(from, file), 'utf8').replace(pathOfSource, '$1$2.js$1');
    mkdirSync(dirname(join(to, file)), { recursive: true });
    writeFileSync(join(to, file), text);
  }
}
