/** `npm run check -- --census [folder]`: the size of the house as a Markdown table; by default of this checkout. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { allCycles } from './architecture/arrows.ts';
import { type SourceFile, sourceFile } from './architecture/source.ts';
import { findingsIn, findingsInApi } from './words/findings.ts';

const filesMax = 15;
const crumbLines = 20;

const root = resolve(process.argv[2] ?? dirname(import.meta.dirname));
const tracked = git('ls-files');
const sources = tracked
  .filter((path) => /^(?:packages|test|bench|samples)\/.*\.tsx?$/.test(path) && !/\/generated\//.test(path))
  .map((path) => sourceFile(path, textOf(path)));
const isTest = (path: string): boolean =>
  /\.(?:test|proof|fixture)\.tsx?$/.test(path) || !path.startsWith('packages/');
const code = sources.filter(({ path }) => !isTest(path));

printRooms();
print('| measure | value |', '|---|---|');
for (const [name, value] of measures()) print(`| ${name} | ${value} |`);

function printRooms(): void {
  print('| room | source lines | test lines |', '|---|---|---|');
  const rooms = Map.groupBy(sources, ({ path }) => roomOf(path));
  const sums = [...rooms].map(
    ([room, files]) => [room, linesOf(files, false), linesOf(files, true)] as const,
  );
  for (const [room, source, tests] of sums.sort(([a], [b]) => (a < b ? -1 : 1)))
    print(`| ${room} | ${source} | ${tests} |`);
  print(`| all | ${linesOf(sources, false)} | ${linesOf(sources, true)} |`, '');
}

function measures(): [string, number | string][] {
  const cycles = allCycles(sources);
  return [
    ['files under 20 lines with one importer', crumbs().length],
    [`folders over ${filesMax} source files`, bigFolders().join(', ') || 0],
    ['files at the root of packages/server/src', code.filter(({ path }) => isRootFile(path)).length],
    ['settings', new Set(textOfSettings().match(/\bPLOIDY_[A-Z_]+\b/g)).size],
    ['dependencies', dependencies()],
    ['words of documents', words()],
    ['texts that break the word rules', findings()],
    ['circles of imports, types included', cycles.length],
  ];
}

function roomOf(path: string): string {
  const parts = path.split('/');
  const depth = path.startsWith('packages/server/src/') ? 4 : path.startsWith('packages/') ? 2 : 1;
  return parts.length <= depth ? parts.slice(0, -1).join('/') : parts.slice(0, depth).join('/');
}

function linesOf(files: readonly SourceFile[], tests: boolean): number {
  return files
    .filter(({ path }) => isTest(path) === tests)
    .reduce((sum, { lineCount }) => sum + lineCount, 0);
}

function crumbs(): SourceFile[] {
  const importers = new Map<string, number>();
  for (const { imports } of code)
    for (const { file } of imports)
      if (file !== undefined) importers.set(file, (importers.get(file) ?? 0) + 1);
  return code.filter(({ path, lineCount }) => lineCount < crumbLines && importers.get(path) === 1);
}

function bigFolders(): string[] {
  const folders = Map.groupBy(code, ({ path }) => dirname(path));
  return [...folders]
    .filter(([, files]) => files.length > filesMax)
    .map(([path, { length }]) => `${path} ${length}`);
}

function isRootFile(path: string): boolean {
  return dirname(path) === 'packages/server/src';
}

function textOfSettings(): string {
  return code
    .filter(({ path }) => /^packages\/server\/src\/config/.test(path))
    .map(({ path }) => textOf(path))
    .join('\n');
}

function dependencies(): number {
  const manifests = tracked.filter((path) => /^packages\/[^/]+\/package\.json$/.test(path));
  const names = manifests.flatMap((path) => Object.keys(JSON.parse(textOf(path)).dependencies ?? {}));
  return new Set(names.filter((name) => !name.startsWith('@ploidy/'))).size;
}

function words(): number {
  return tracked
    .filter((path) => path.endsWith('.md') && path !== 'docs/reference/specification.md')
    .reduce((sum, path) => sum + textOf(path).split(/\s+/).filter(Boolean).length, 0);
}

function findings(): number {
  const api = 'docs/openapi.json';
  const inCode = sources.filter(({ path }) => !path.startsWith('test/words/'));
  return (
    inCode.flatMap(({ path }) => findingsIn(path, textOf(path))).length +
    findingsInApi(api, JSON.parse(textOf(api))).length
  );
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function git(...command: string[]): string[] {
  const { stdout } = spawnSync('git', command, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
