/** Rules of the architecture beside imports within the house: drivers, purity, names, sizes, settings. */
import { isTestCode, packageOf, roomOf, runtimeFiles } from './arrows.ts';
import type { SourceFile } from './source.ts';

const linesMax = 300;
const driver = /^(?:node:sqlite|pg|pg-native|@duckdb\/.*|@aws-sdk\/.*|nodemailer)$/;
/** Modules that reach outside the process; domains get them only as arguments. */
const outside = /^(?:node:fs|node:fs\/promises|node:child_process|node:worker_threads)$/;
const webFramework = /^(?:fastify|@fastify\/.*)$/;
const vague = /(?:^|[-./_])(?:utils?|helpers?|common|misc|managers?)(?=[-./_]|$)/i;
const impure =
  /\b(?:Date\.now|Math\.random|performance\.now|setTimeout|setInterval|fetch)\(|\bnew Date\(\)|\b(?:process|crypto)\.\w+/;

/** Drivers are opened in `platform/` alone, and only `http/` uses HTTP. */
export function foreignDrivers(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => packageOf(file.path) !== undefined && !isTestCode(file.path))
    .flatMap((file) =>
      file.imports.flatMap(({ specifier }) => {
        if (driver.test(specifier) && roomOf(file.path) !== 'platform' && packageOf(file.path) !== 'engine') {
          return [
            `${file.path} imports ${specifier}: only packages/engine and packages/server/src/platform open drivers`,
          ];
        }
        if (webFramework.test(specifier) && !['http', 'app', 'admin'].includes(roomOf(file.path) ?? '')) {
          return [
            `${file.path} imports ${specifier}: what is below packages/server/src/http knows no HTTP; describe it as a route`,
          ];
        }
        return [];
      }),
    );
}

/** Domains and http get the platform handed in: what they load of it at run time must not lead to a driver. */
export function loadedDrivers(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const leadsTo = (path: string, seen: Set<string>): string | undefined => {
    const file = byPath.get(path);
    // Beside the platform: its own package, which opens nothing by being loaded.
    if (file === undefined || seen.has(path) || packageOf(path) === 'engine') return undefined;
    seen.add(path);
    const found = file.imports.find(
      ({ specifier, kind }) => kind !== 'type' && (driver.test(specifier) || outside.test(specifier)),
    );
    if (found) return `${path} → ${found.specifier}`;
    for (const next of runtimeFiles(file.imports)) {
      const chain = leadsTo(next, seen);
      if (chain !== undefined) return `${path} → ${chain}`;
    }
    return undefined;
  };
  return files
    .filter((file) => ['domains', 'http'].includes(roomOf(file.path) ?? '') && !isTestCode(file.path))
    .flatMap((file) =>
      runtimeFiles(file.imports)
        .filter((path) => roomOf(path) === 'platform')
        .map((path) => leadsTo(path, new Set()))
        .filter((chain) => chain !== undefined)
        .map(
          (chain) =>
            `${file.path} loads ${chain}: import only its types, or a module without I/O, and take the rest as an argument`,
        ),
    );
}

/** `formats`, `policy` and `statistics` import nothing but themselves, and have neither clock nor chance. */
export function impurities(files: readonly SourceFile[]): string[] {
  const pure = files.filter(
    (file) =>
      ['formats', 'policy', 'statistics'].includes(packageOf(file.path) ?? '') && !isTestCode(file.path),
  );
  return pure.flatMap((file) => {
    const imports = file.imports
      .filter(({ file, kind }) => file === undefined && kind !== 'type')
      .map(
        ({ specifier }) =>
          `${file.path} imports ${specifier}: the package is pure; take what it gives as an argument`,
      );
    const [word] = impure.exec(file.code) ?? [];
    if (word !== undefined)
      imports.push(`${file.path} uses ${word}: the package is pure; take the value as an argument`);
    return imports;
  });
}

/** Names describe their things. */
export function vagueNames(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => vague.test(path))
    .map(({ path }) => `${path} needs a name for what it does, not utils, helpers, common, misc or manager`);
}

/** Finds files that are too long for one duty. */
export function longFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ lineCount }) => lineCount > linesMax)
    .map(({ path, lineCount }) => `${path} has ${lineCount} lines, at most ${linesMax}: split it by duty`);
}

/** Finds settings outside of their place: each has a name, a unit and a default in one. */
export function strayEnvironment(files: readonly SourceFile[]): string[] {
  const allowed = (path: string): boolean =>
    path === 'packages/server/src/config/config.ts' ||
    /^packages\/cli\/src\/(?:.*\/)?config\.ts$/.test(path) ||
    path.startsWith('release/') ||
    isTestCode(path);
  return files
    .filter(
      ({ path, code }) =>
        !allowed(path) && /\bprocess\s*\.\s*env\b|\benv\b[^;\n]*\bfrom 'node:process'/.test(code),
    )
    .map(
      ({ path }) =>
        `${path} reads process.env: add a setting to packages/server/src/config/config.ts and take its value as an argument`,
    );
}
