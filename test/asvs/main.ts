/** Prints the table of OWASP ASVS 5.0, levels 1 and 2 (`npm run asvs`). `--check`: only whether each requirement has its place. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsIn, printed, readRequirements, readTags } from './table.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const requirements = readRequirements(read('test/asvs/requirements.txt'));
const tags = globSync(
  ['packages/*/src', 'samples', 'test'].map((folder) => `${folder}/**/*.{test,trial}.ts`),
  { cwd: root },
)
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .flatMap((path) => readTags(path, read(path)));
const faults = faultsIn(requirements, tags, (path) => existsSync(join(root, path)));
for (const fault of faults) process.stderr.write(`asvs: ${fault}\n`);
if (!process.argv.includes('--check')) process.stdout.write(`${printed(requirements, tags)}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
