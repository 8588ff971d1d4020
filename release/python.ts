/** Builds the wheel of the Python package, in an environment of fixed packages. The same sources produce the same bytes. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readManifest, root, run } from './build.ts';

const source = join(root, 'packages/python');
const project = readFileSync(join(source, 'pyproject.toml'), 'utf8');

/** Folder of programs of others, at fixed versions. */
export const toolsFolder = join(root, 'node_modules/.cache/ploidy-tools');

/** Answers the path of a Python that has packages. The first use makes an environment for them. */
export function pythonWith(packages: readonly string[]): string {
  const folder = join(toolsFolder, packages.join('+'));
  const python = join(folder, 'bin/python');
  const complete = join(folder, 'complete');
  if (!existsSync(complete)) {
    run('python3', ['-m', 'venv', folder]);
    // Most modules are never imported: compiling all of them takes half of the time.
    run(python, ['-m', 'pip', 'install', '--quiet', '--no-compile', ...packages]);
    writeFileSync(complete, '');
  }
  return python;
}

/** Name of the wheel of this version. */
export const wheelName = `ploidy-${readManifest(root).version}-py3-none-any.whl`;

/** Versions of the packages with which the Python package is built and tested, as its manifest fixes them. */
export function pythonPackages(): string[] {
  const [, listed = ''] = /^test = \[\n([\s\S]*?)^\]/m.exec(project) ?? [];
  return [...listed.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
}

/** Writes the wheel into a folder; returns its path. */
export function buildWheel(output: string): string {
  const staged = join(dirname(output), 'python');
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  for (const name of ['pyproject.toml', 'README.md', 'src'])
    cpSync(join(source, name), join(staged, name), {
      recursive: true,
      filter: (path) => !path.includes('__pycache__'),
    });
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  const python = pythonWith(pythonPackages());
  run(python, ['-m', 'hatchling', 'build', '--target', 'wheel', '--directory', output], staged);
  return join(output, wheelName);
}
