/**
 * `npm run release`: checks, tests and packs the project into `build/release`, and tries the archives. Ends with an error at the first
 * step that fails. `-- --skip-tests`: a trial run, whose files are not to be published.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole, packages, readManifest, root, run } from './build.ts';
import { archiveOf, pack, writeChecksums } from './pack.ts';
import { buildWheel } from './python.ts';

interface Step {
  name: string;
  work: () => void;
}

const isTrial = process.argv.includes('--skip-tests');
const output = join(root, 'build/release');
const node = (...words: string[]) => run(process.execPath, words);
const step = (name: string, work: () => void): Step => ({ name, work });

const tests = [
  step('tests', () => node('test/run.ts', 'test')),
  step('stress tests', () => node('test/run.ts', 'stress')),
];
const trials = step('trials of the archives', () => {
  process.env['PLOIDY_RELEASE'] = output;
  node('--test', 'test/release/*.trial.ts');
});
const steps = [
  step('checks', () => node('test/check.ts')),
  ...(isTrial ? [] : tests),
  step('console', buildConsole),
  step('archives, bill of materials, licences', () => void pack()),
  step('wheel, checksums', () => {
    buildWheel(output);
    writeChecksums(output);
  }),
  ...(isTrial ? [] : [trials]),
];

// Files of an earlier release must not be taken for those of a run that failed.
rmSync(output, { recursive: true, force: true });
for (const [index, { name, work }] of steps.entries()) {
  const title = `release ${index + 1}/${steps.length}: ${name}`;
  const begun = Date.now();
  process.stdout.write(`${title}\n`);
  try {
    work();
  } catch (error) {
    rmSync(output, { recursive: true, force: true });
    process.stdout.write(`${title}: failed. ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
  process.stdout.write(`${title}: done in ${Math.round((Date.now() - begun) / 1000)} s\n`);
}

process.stdout.write(`Ploidy ${readManifest(root).version} is in ${output}:\n`);
for (const name of readdirSync(output).sort()) process.stdout.write(`  ${name}\n`);
if (isTrial) process.stdout.write('A trial run, without tests: not to be published.\n');
else {
  process.stdout.write('To publish, in this order:\n');
  for (const name of packages) process.stdout.write(`  npm publish ${join(output, archiveOf(name))}\n`);
}
