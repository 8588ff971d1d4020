/**
 * `npm run release`: checks, tests and packs the project into `build/release`, tries what it made, and tags the commit. Ends with an
 * error at the first step that fails, and leaves no folder then. A further run for the same commit does not repeat checks and
 * tests that passed. `-- --skip-tests`: a trial run, whose files are not to be published.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commitOf } from '../packages/cli/src/build.ts';
import { buildConsole, packages, readManifest, root, run } from './build.ts';
import { writeCommandLines } from './command-line.ts';
import { installFor, writeImages } from './image/image.ts';
import { archiveOf, pack, writeChecksums } from './pack.ts';
import { buildWheel } from './python.ts';
import { lackOf, tag, tagFaults } from './ready.ts';

interface Step {
  name: string;
  work: () => void | Promise<void>;
  /** A later run for the same commit does not repeat it. */
  isLasting?: boolean;
}

const isTrial = process.argv.includes('--skip-tests');
const output = join(root, 'build/release');
/** Folder of the release until it is whole. */
const begun = join(root, 'build/begun');
const files = join(begun, 'release');
const node = (...words: string[]) => run(process.execPath, words);
const step = (name: string, work: Step['work']): Step => ({ name, work });

/** Runs tests; those that fail beside others are named, and have to pass alone. */
function runTests(kind: 'test' | 'stress'): void {
  try {
    node('test/run.ts', kind);
  } catch {
    node('test/run.ts', kind, '--failed');
  }
}

const tests: Step[] = [
  { name: 'tests', work: () => runTests('test'), isLasting: true },
  { name: 'stress tests', work: () => runTests('stress'), isLasting: true },
];
const trials = step('trials of what was made', () => {
  process.env['PLOIDY_RELEASE'] = files;
  node('--test', 'test/release/*.trial.ts');
});
const { version } = readManifest(root);
const ready = step('changelog, frozen data folder, commit', () => {
  const lacking = [...lackOf(root, version), ...tagFaults(root, version)];
  if (lacking.length > 0) throw new Error(lacking.join(' '));
});
const steps: Step[] = [
  ...(isTrial ? [] : [ready]),
  { name: 'checks', work: () => node('test/check.ts'), isLasting: !isTrial },
  ...(isTrial ? [] : tests),
  step('console', buildConsole),
  step('archives, bill of materials, licences', () => void pack(begun)),
  step('images for amd64 and arm64', () => writeImages(files)),
  step('command line for each platform', () => writeCommandLines(files, installFor('x64', files))),
  step('wheel, checksums', () => {
    buildWheel(files);
    writeChecksums(files);
  }),
  ...(isTrial ? [] : [trials, step(`tag v${version}`, () => tag(root, version))]),
];

/** Lasting steps that passed, and the commit for which they did: a release has no other files than those of a commit. */
const passedFile = join(root, 'node_modules/.cache/ploidy-release.json');
const { commit } = commitOf(root);
const passed = new Set(passedBefore());

function passedBefore(): string[] {
  if (isTrial || !existsSync(passedFile)) return [];
  const found = JSON.parse(readFileSync(passedFile, 'utf8')) as { commit?: string; steps: string[] };
  return commit !== undefined && found.commit === commit ? found.steps : [];
}

function keepPassed(name: string): void {
  passed.add(name);
  mkdirSync(dirname(passedFile), { recursive: true });
  writeFileSync(passedFile, JSON.stringify({ commit, steps: [...passed] }));
}

// Files of an earlier release must not be taken for those of a run that failed.
rmSync(output, { recursive: true, force: true });
for (const [index, { name, work, isLasting = false }] of steps.entries()) {
  const title = `release ${index + 1}/${steps.length}: ${name}`;
  if (isLasting && passed.has(name)) {
    process.stdout.write(`${title}: passed before, for this commit\n`);
    continue;
  }
  const begunAt = Date.now();
  process.stdout.write(`${title}\n`);
  try {
    await work();
  } catch (error) {
    rmSync(begun, { recursive: true, force: true });
    process.stdout.write(`${title}: failed. ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
  if (isLasting) keepPassed(name);
  process.stdout.write(`${title}: done in ${Math.round((Date.now() - begunAt) / 1000)} s\n`);
}
renameSync(files, output);
rmSync(begun, { recursive: true, force: true });

process.stdout.write(`Ploidy ${version} is in ${output}:\n`);
for (const name of readdirSync(output).sort()) process.stdout.write(`  ${name}\n`);
if (isTrial) process.stdout.write('A trial run, without tests: not to be published.\n');
else {
  process.stdout.write(`To publish, in this order:\n  git push origin v${version}\n`);
  for (const name of packages) process.stdout.write(`  npm publish ${join(output, archiveOf(name))}\n`);
}
