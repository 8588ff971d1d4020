/** Import rules of the house (docs/design/adr/0009): the folder of a file is its room, and no arrow points back. */
import type { Import, SourceFile } from './source.ts';

/** Packages that each package may import. */
const packageArrows: Readonly<Record<string, readonly string[]>> = {
  formats: [],
  policy: [],
  statistics: [],
  engine: ['formats'],
  converters: ['formats', 'engine'],
  // The version of a build is in `@ploidy/cli/build`: every installation has the command line.
  server: ['formats', 'policy', 'statistics', 'engine', 'converters', 'cli'],
  client: [],
  cli: ['client'],
  console: ['client', 'formats', 'statistics'],
};

/** Rooms of the server that each room may import. Every room may import itself. */
const roomArrows: Readonly<Record<string, readonly string[]>> = {
  main: ['admin', 'app', 'config', 'platform', 'base'],
  admin: ['app', 'config', 'http', 'domains', 'api', 'access', 'platform', 'base'],
  app: ['config', 'http', 'domains', 'api', 'access', 'platform', 'base'],
  config: ['platform', 'base'],
  http: ['domains', 'api', 'access', 'platform', 'base'],
  domains: ['api', 'access', 'platform', 'base'],
  api: ['access', 'platform', 'base'],
  access: ['platform', 'base'],
  platform: ['base'],
  base: [],
};

/** Areas of the domains that each area may import. */
const areaArrows: Readonly<Record<string, readonly string[]>> = {
  ehrs: ['ingestion', 'lake', 'genomics', 'files', 'authentication', 'identity', 'deletion', 'audit'],
  ingestion: ['lake', 'genomics', 'files', 'authentication', 'identity', 'deletion', 'audit'],
  protocols: [
    'analysis',
    'queries',
    'lake',
    'genomics',
    'files',
    'authentication',
    'identity',
    'deletion',
    'audit',
  ],
  analysis: ['queries', 'lake', 'files', 'authentication', 'identity', 'deletion', 'audit'],
  queries: ['lake', 'files', 'authentication', 'identity', 'deletion', 'audit'],
  lake: ['files', 'authentication', 'identity', 'deletion', 'audit'],
  genomics: ['files', 'authentication', 'identity', 'deletion', 'audit'],
  files: ['authentication', 'identity', 'deletion', 'audit'],
  authentication: ['identity', 'deletion', 'audit'],
  identity: ['deletion', 'audit'],
  deletion: ['audit'],
  audit: [],
};

const server = 'packages/server/src/';
const domains = `${server}domains/`;

/** Reports whether a file is a test, a fixture, or in a folder around the packages. Test code may import anything. */
export function isTestCode(path: string): boolean {
  return /\.(?:test|fixture)\.tsx?$/.test(path) || /^(?:test|bench|samples)\//.test(path);
}

/** Returns the package of a file, or undefined for folders beside the packages. */
export function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

/** Returns the room of the server that a file is in: its first folder, or `main`. */
export function roomOf(path: string): string | undefined {
  if (!path.startsWith(server)) return undefined;
  const [first = '', ...rest] = path.slice(server.length).split('/');
  return rest.length === 0 ? 'main' : first;
}

/** Returns the area of the domains that a file is in. */
export function areaOf(path: string): string | undefined {
  return path.startsWith(domains) ? path.slice(domains.length).split('/')[0] : undefined;
}

/** Returns the domain of a file: the nearest folder with a door (`index.ts`), else its area. */
function domainOf(path: string, doors: ReadonlySet<string>): string | undefined {
  const area = areaOf(path);
  if (area === undefined) return undefined;
  let folder = path.slice(0, path.lastIndexOf('/'));
  while (folder.length > domains.length + area.length && !doors.has(`${folder}/index.ts`))
    folder = folder.slice(0, folder.lastIndexOf('/'));
  return folder.slice(domains.length);
}

/** Returns every import that points back, or past a domain's door. */
export function wrongArrows(files: readonly SourceFile[]): string[] {
  const doors = doorsOf(files);
  return files
    .filter((file) => !isTestCode(file.path))
    .flatMap((file) =>
      file.imports.flatMap((one) => {
        if (one.file === undefined) return [];
        const problem =
          packageProblem(file.path, one.file) ??
          roomProblem(file.path, one.file) ??
          domainProblem(file.path, one.file, doors) ??
          pageProblem(file.path, one.file);
        return problem === undefined ? [] : [`${file.path} imports ${one.specifier}: ${problem}`];
      }),
    );
}

function doorsOf(files: readonly SourceFile[]): Set<string> {
  return new Set(files.map(({ path }) => path).filter((path) => path.endsWith('/index.ts')));
}

function packageProblem(from: string, to: string): string | undefined {
  if (isTestCode(to)) return 'that is test code; move what is needed into the package';
  const [fromPackage, toPackage] = [packageOf(from), packageOf(to)];
  if (fromPackage === undefined || toPackage === undefined || fromPackage === toPackage) return undefined;
  // The generator of documents reads every package.
  if (from.startsWith(`${server}admin/generate/`)) return undefined;
  const allowed = packageArrows[fromPackage] ?? [];
  if (allowed.includes(toPackage)) return undefined;
  return `the package ${fromPackage} may import of ours: ${allowed.join(', ') || 'nothing'}`;
}

function roomProblem(from: string, to: string): string | undefined {
  const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
  if (fromRoom === undefined || toRoom === undefined || fromRoom === toRoom) return undefined;
  const allowed = roomArrows[fromRoom];
  if (!allowed)
    return `the server has no room "${fromRoom}"; its rooms are ${Object.keys(roomArrows).join(', ')}`;
  if (allowed.includes(toRoom)) return undefined;
  return `${fromRoom} must not know ${toRoom}; take it as an argument, or move the shared part down`;
}

function domainProblem(from: string, to: string, doors: ReadonlySet<string>): string | undefined {
  const [fromArea, toArea] = [areaOf(from), areaOf(to)];
  if (toArea === undefined) return undefined;
  if (fromArea !== undefined && fromArea !== toArea && !(areaArrows[fromArea] ?? []).includes(toArea))
    return `the area ${fromArea} must not know ${toArea}`;
  const domain = domainOf(to, doors);
  if (domain === domainOf(from, doors) || to === `${domains}${domain}/index.ts`) return undefined;
  return `come in by the door: export it from ${domains}${domain}/index.ts`;
}

const consoleSource = 'packages/console/src/';

/** Returns the page of the console that a file is in. */
function pageOf(path: string): string | undefined {
  return /^packages\/console\/src\/pages\/([^/]+)\//.exec(path)?.[1];
}

/** Files that import pages: their addresses, and their figures in reports. */
const pageImporters = ['router.tsx', 'figures.tsx'].map((name) => `${consoleSource}${name}`);

/** Reports an import of a page by another page. Requests to the service import no component. */
function pageProblem(from: string, to: string): string | undefined {
  const [fromPage, toPage] = [pageOf(from), pageOf(to)];
  if (toPage !== undefined && fromPage !== toPage && !pageImporters.includes(from))
    return `that is in the page "${toPage}"; move what is shared beside shell/, or into api/`;
  const isDrawn = to.startsWith(consoleSource) && !to.startsWith(`${consoleSource}api/`);
  if (from.startsWith(`${consoleSource}api/`) && isDrawn) return 'api/ must not know what is drawn';
  return undefined;
}

/** Chains of imports, types included, that end where they began: between domains and between files. */
export function cycles(files: readonly SourceFile[]): string[] {
  const code = files.filter((file) => !isTestCode(file.path));
  const between = new Map<string, Set<string>>();
  const doors = doorsOf(files);
  for (const file of code) {
    const domain = domainOf(file.path, doors);
    if (domain === undefined) continue;
    const targets = file.imports.map((one) =>
      one.file === undefined ? undefined : domainOf(one.file, doors),
    );
    const others = between.get(domain) ?? new Set();
    between.set(domain, others);
    for (const target of targets) if (target !== undefined && target !== domain) others.add(target);
  }
  return [
    ...findCycles(between).map(
      (cycle) => `domains in a circle: ${cycle}; let one of them take the other's part as an argument`,
    ),
    ...allCycles(files).map(
      (cycle) => `files in a circle: ${cycle}; move what both need into a file of its own`,
    ),
  ];
}

/** Chains of file imports that end where they began, types and `import()` included. */
export function allCycles(files: readonly SourceFile[]): string[] {
  const code = files.filter((file) => !isTestCode(file.path));
  const targets = ({ imports }: SourceFile): string[] =>
    imports.flatMap(({ file }) => (file === undefined ? [] : [file]));
  return findCycles(new Map(code.map((file) => [file.path, new Set(targets(file))])));
}

/** Our files that these imports load when the program runs. */
export function runtimeFiles(imports: readonly Import[]): string[] {
  return imports.flatMap((one) => (one.kind === 'static' && one.file !== undefined ? [one.file] : []));
}

function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const begin = trail.indexOf(node);
    if (begin >= 0) found.push([...trail.slice(begin), node].join(' → '));
    if (begin >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}
