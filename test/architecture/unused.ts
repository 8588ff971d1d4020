/** Unused declarations: operations without code, exports without an importer. */
import { isTestCode, packageOf } from './arrows.ts';
import { entryPointsOf, type SourceFile } from './source.ts';

/** Files whose keys are the names of operations and of other events. */
const declares = /^packages\/server\/src\/(?:access\/operations(?:\/\w+)?|domains\/audit\/actions)\.ts$/;

/** Operations that no code names: the access table would list them, and no route would ask them. */
export function deadOperations(files: readonly SourceFile[]): string[] {
  const [declaring, others] = [true, false].map((wanted) =>
    files.filter(({ path }) => declares.test(path) === wanted),
  );
  const named = new Set(
    others
      ?.filter(({ path }) => packageOf(path) === 'server' && !isTestCode(path))
      .flatMap(({ code }) => words(code, /'(\w+\.\w+)'/g)),
  );
  return (declaring ?? []).flatMap(({ path, code }) =>
    words(code, /^ {2}'(\w+\.\w+)':/gm)
      .filter((name) => !named.has(name))
      .map((name) => `${path} declares ${name}, which no code asks: ask it where it is done, or drop it`),
  );
}

const exportedValue = /^export (?:abstract |async )?(?:function\*?|const|class) (\w+)/gm;
const exportedType = /^export (?:interface|type) (\w+)/gm;
const handedOn = /\bexport\s+(?:type\s+)?\{([^}]*)\}\s*from/g;
/** Handing on (`export {…} from`) is no use yet, but at the door of a package it makes a type public. */
const importedLists = [
  /\bimport\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from/g,
  /\{([^{}]*)\}\s*=\s*await import\(/g,
  /\(await import\([^)]*\)\)\.(\w+)/g,
];
const importedName = /(?:^|,)\s*(?:type\s+)?(\w+)/g;
const importedWhole = /\bimport \* as \w+ from '([^']+)'/g;
/** Workers and threads load exports by name, given as a string. */
const quotedName = /'(\w+)'/g;

/**
 * Functions, constants, classes and types that are exported and that no other file imports; tests count as others. A type may be
 * named by a package's entry point instead.
 */
export function unusedExports(files: readonly SourceFile[]): string[] {
  const users = new Map<string, Set<string>>();
  const wholes = new Set<string | undefined>();
  for (const { path, code, imports } of files) {
    const lists = importedLists.flatMap((pattern) => words(code, pattern));
    for (const name of [...lists.flatMap((list) => words(list, importedName)), ...words(code, quotedName)])
      users.set(name, (users.get(name) ?? new Set()).add(path));
    const taken = words(code, importedWhole);
    for (const { file, specifier } of imports) if (taken.includes(specifier)) wholes.add(file);
  }
  const isUsed = (name: string, from: string): boolean =>
    [...(users.get(name) ?? [])].some((path) => path !== from);
  const entryPoints = new Set(
    [...new Set(files.map(({ path }) => packageOf(path)))].flatMap((name) =>
      name ? entryPointsOf(name) : [],
    ),
  );
  const publicNames = new Set(
    files
      .filter(({ path }) => entryPoints.has(path))
      .flatMap(({ code }) => words(code, handedOn).flatMap((list) => words(list, importedName))),
  );
  return files
    .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && !isTestCode(path) && !wholes.has(path))
    .flatMap(({ path, code }) =>
      [
        ...words(code, exportedValue),
        ...words(code, exportedType).filter((name) => !publicNames.has(name) && !entryPoints.has(path)),
      ]
        .filter((name) => !isUsed(name, path))
        .map(
          (name) => `${path} exports ${name}, which no other file imports: drop the word, or what it exports`,
        ),
    );
}

/** Collects the first group of every match. */
function words(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, word = '']) => word);
}
