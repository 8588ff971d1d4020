/** `npm run release`: checks and tests the project, then packs it. Prints the folder of the files to publish, and how. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packages, readManifest, root, run } from './build.ts';
import { archiveOf, pack } from './pack.ts';

const { version } = readManifest(root);
run(process.execPath, ['test/check.ts']);
run(process.execPath, ['test/run.ts', 'test']);
run(process.execPath, ['test/run.ts', 'stress']);
run(process.execPath, ['--test', 'test/release/*.trial.ts']);
const output = pack();
process.stdout.write(`Ploidy ${version} is in ${output}:\n`);
for (const name of readdirSync(output).sort()) process.stdout.write(`  ${name}\n`);
process.stdout.write('To publish, in this order:\n');
for (const name of packages) process.stdout.write(`  npm publish ${join(output, archiveOf(name))}\n`);
