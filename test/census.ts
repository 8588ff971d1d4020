/**
 * `npm run check -- --census [folder]`: the size of the house as a Markdown table; by default of this checkout.
 * `--check` compares it with `test/ceilings.json`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { SourceFile } from './architecture/source.ts';
import { faultsOf } from './census/ceilings.ts';
import { type House, isTest, measuresOf, readHouse } from './census/measures.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, places: { type: 'string' } },
  allowPositionals: true,
});
const root = resolve(positionals[0] ?? dirname(import.meta.dirname));
const house = readHouse(root, git('ls-files', '--cached', '--others', '--exclude-standard'));
const measures = measuresOf(house);
if (values.check) {
  // The runner of tests holds the other two.
  const { testProcessorSeconds, stressProcessorSeconds, ...ceilings } = JSON.parse(
    readFileSync(join(root, 'test/ceilings.json'), 'utf8'),
  );
  const faults = faultsOf(measures, ceilings);
  process.stderr.write(faults.map((fault) => `${fault}\n`).join(''));
  process.exitCode = faults.length > 0 ? 1 : 0;
} else if (values.places !== undefined) print(...(measures[values.places]?.places ?? []));
else {
  printRooms(house);
  print('| measure | value |', '|---|---|');
  for (const { about, value } of Object.values(measures)) print(`| ${about} | ${value} |`);
}

function printRooms({ sources }: House): void {
  print('| room | source lines | test lines |', '|---|---|---|');
  const rooms = Map.groupBy(sources, ({ path }) => roomOf(path));
  const sums = [...rooms].map(
    ([room, files]) => [room, linesOf(files, false), linesOf(files, true)] as const,
  );
  for (const [room, source, tests] of sums.sort(([a], [b]) => (a < b ? -1 : 1)))
    print(`| ${room} | ${source} | ${tests} |`);
  print(`| all | ${linesOf(sources, false)} | ${linesOf(sources, true)} |`, '');
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

function git(...command: string[]): string[] {
  const { stdout } = spawnSync('git', command, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
