/** Who may import whom (docs/adr, "The house"): nothing points back. */
import type { Import, SourceFile } from './source.ts';

/** What our packages may import of each other. */
const packageArrows: Readonly<Record<string, readonly string[]>> = {
  formats: [],
  policy: [],
  server: ['formats', 'policy'],
  client: [],
  cli: ['client'],
  console: ['client'],
};

/**
 * What the rooms of the server may import of each other. `app` is app.ts and those files of the server's src root that it
 * is composed of, known by what they import (`appFiles`); `shared` is the rest of the src root and `access/`.
 */
const roomArrows: Readonly<Record<string, readonly string[]>> = {
  main: ['main', 'app', 'workers', 'http', 'domains', 'platform', 'shared'],
  workers: ['main', 'app', 'workers', 'http', 'domains', 'platform', 'shared'],
  app: ['app', 'http', 'domains', 'platform', 'shared'],
  http: ['http', 'domains', 'platform', 'shared'],
  domains: ['domains', 'platform', 'shared'],
  platform: ['platform', 'shared'],
  // Of the platform, types only: whoever loads more of it belongs to `app`.
  shared: ['shared', 'platform'],
};

const server = 'packages/server/src/';

/** Test code: tests, proofs, what only they use, and the folders around the packages. It may import anything. */
export function isTestCode(path: string): boolean {
  return /\.(?:test|proof|fixture)\.tsx?$/.test(path) || /^(?:test|bench|samples)\//.test(path);
}

/** The package of a file, or the folder beside the packages. */
export function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

/** The room of the server that a file is in. */
export function roomOf(path: string): string | undefined {
  if (!path.startsWith(server)) return undefined;
  const inside = path.slice(server.length);
  if (inside === 'main.ts' || inside === 'index.ts') return 'main';
  if (inside === 'app.ts') return 'app';
  const folder = inside.split('/')[0] ?? '';
  return ['workers', 'http', 'domains', 'platform'].includes(folder) ? folder : 'shared';
}

/** The files of the server's src root that know http, domains or the running platform: parts of `app`. */
export function appFiles(files: readonly SourceFile[]): Set<string> {
  const found = new Set<string>();
  const isUp = ({ file, kind }: Import): boolean => {
    const room = file === undefined ? undefined : roomOf(file);
    if (file === undefined || room === undefined) return false;
    return (
      found.has(file) || !['shared', 'platform'].includes(room) || (room === 'platform' && kind !== 'type')
    );
  };
  const root = files.filter(({ path }) => roomOf(path) === 'shared' && !isTestCode(path));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { path, imports } of root) if (imports.some(isUp)) found.add(path);
  }
  return found;
}

/** The domain that a file belongs to. */
export function domainOf(path: string): string | undefined {
  return /^packages\/server\/src\/domains\/([^/]+)/.exec(path)?.[1];
}

/** Every import that points back, or past a domain's door. */
export function wrongArrows(files: readonly SourceFile[]): string[] {
  const app = appFiles(files);
  const room = (path: string): string | undefined => (app.has(path) ? 'app' : roomOf(path));
  return files
    .filter((file) => !isTestCode(file.path))
    .flatMap((file) =>
      file.imports.flatMap((one) => {
        if (one.file === undefined) return [];
        const problem = packageProblem(file.path, one.file) ?? roomProblem(file.path, one.file, room);
        return problem === undefined ? [] : [`${file.path} imports ${one.specifier}: ${problem}`];
      }),
    );
}

function packageProblem(from: string, to: string): string | undefined {
  if (isTestCode(to)) return 'that is test code; move what is needed into the package';
  const [fromPackage, toPackage] = [packageOf(from), packageOf(to)];
  if (fromPackage === undefined || toPackage === undefined || fromPackage === toPackage) return undefined;
  if (roomOf(from) === 'workers') return undefined;
  const allowed = packageArrows[fromPackage] ?? [];
  if (allowed.includes(toPackage)) return undefined;
  return `the package ${fromPackage} may import of ours: ${allowed.join(', ') || 'nothing'}`;
}

function roomProblem(
  from: string,
  to: string,
  room: (path: string) => string | undefined,
): string | undefined {
  const [fromRoom, toRoom] = [room(from), room(to)];
  if (fromRoom === undefined || toRoom === undefined) return undefined;
  if (!(roomArrows[fromRoom] ?? []).includes(toRoom)) {
    return `${fromRoom} must not know ${toRoom}; hand it in from app.ts as an interface, or move the shared part down`;
  }
  const door = `${server}domains/${domainOf(to)}/index.ts`;
  if (toRoom === 'domains' && domainOf(from) !== domainOf(to) && to !== door && fromRoom !== 'workers') {
    return `come in by the door: export it from ${door}`;
  }
  return undefined;
}

/** Chains of imports that end where they began: between domains (also of types) and between files (at run time). */
export function cycles(files: readonly SourceFile[]): string[] {
  const code = files.filter((file) => !isTestCode(file.path));
  const between = new Map<string, Set<string>>();
  for (const file of code) {
    const domain = domainOf(file.path);
    if (domain === undefined) continue;
    const targets = file.imports.map((one) => (one.file === undefined ? undefined : domainOf(one.file)));
    const others = between.get(domain) ?? new Set();
    between.set(domain, others);
    for (const target of targets) if (target !== undefined && target !== domain) others.add(target);
  }
  const byFile = new Map(code.map((file) => [file.path, new Set(runtimeFiles(file.imports))]));
  return [
    ...findCycles(between).map(
      (cycle) => `domains in a circle: ${cycle}; let one of them take the other's part as an argument`,
    ),
    ...findCycles(byFile).map(
      (cycle) => `files in a circle: ${cycle}; move what both need into a file of its own`,
    ),
  ];
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
