/** The source of the house as a list of files with what they import. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export interface Import {
  /** Specifier as written: `../problem.ts`, `@ploidy/policy`, `node:fs`. */
  specifier: string;
  /** The file from the root of the house, when it is one of ours. */
  file: string | undefined;
  /** `type`: gone at run time; `dynamic`: `import(…)`. */
  kind: 'type' | 'static' | 'dynamic';
}

export interface SourceFile {
  /** Path from the root of the repository, with slashes. */
  path: string;
  /** The text without comments, for looking up words. */
  code: string;
  lineCount: number;
  imports: Import[];
}

const root = dirname(dirname(import.meta.dirname));

/** Returns every TypeScript file that people write here. */
export function readSource(): SourceFile[] {
  const patterns = ['packages', 'release', 'samples', 'bench', 'test'].map(
    (folder) => `${folder}/**/*.{ts,tsx}`,
  );
  const skipped = ['node_modules', 'generated', 'dist'];
  return globSync(patterns, { cwd: root, exclude: (path) => skipped.includes(posix.basename(path)) })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')));
}

/** A file as the rules see it. */
export function sourceFile(path: string, text: string): SourceFile {
  const code = withoutComments(text);
  return {
    path,
    code,
    lineCount: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports: importsOf(path, code),
  };
}

const staticImport = /^\s*(?:import|export)\s+(type\s+)?(?:[\w$*{][^'"`;=]*?\sfrom\s*)?(['"])([^'"\n]+)\2/gm;
const dynamicImport = /\bimport\(\s*(['"`])([^'"`\n]+)\1/g;

function importsOf(path: string, code: string): Import[] {
  const statics = [...code.matchAll(staticImport)].map(([, type, , specifier = '']): Import => {
    return { specifier, file: resolve(path, specifier), kind: type === undefined ? 'static' : 'type' };
  });
  const dynamics = [...code.matchAll(dynamicImport)].map(([, , specifier = '']): Import => {
    return { specifier, file: resolve(path, specifier), kind: 'dynamic' };
  });
  return [...statics, ...dynamics];
}

function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const [, name, part] = /^@ploidy\/([^/]+)(\/.+)?$/.exec(specifier) ?? [];
  return name === undefined ? undefined : posix.join('packages', name, doorsOf(name)[`.${part ?? ''}`] ?? '');
}

const doors = new Map<string, Record<string, string>>();

/** Resolves the specifier behind a package's name to a file, from the folder of the package. */
function doorsOf(name: string): Record<string, string> {
  const known = doors.get(name);
  if (known) return known;
  const text = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8');
  const { exports } = JSON.parse(text) as { exports: Record<string, string> };
  doors.set(name, exports);
  return exports;
}

/** Lists the files by which others enter a package. */
export function entryPointsOf(name: string): string[] {
  return Object.values(doorsOf(name)).map((file) => posix.join('packages', name, file));
}

/** Blanks comments; keeps texts and the number of lines. Good enough for source that the formatter has laid out. */
function withoutComments(text: string): string {
  const token =
    /\/\*[\s\S]*?\*\/|(^|[\s;,({[])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gm;
  return text.replace(token, (found, before: string | undefined) => {
    if (found.startsWith('/*')) return found.replace(/[^\n]/g, ' ');
    return before === undefined ? found : before;
  });
}
