/** Measures of the census. Each has a ceiling in `test/ceilings.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allCycles } from '../architecture/arrows.ts';
import { type SourceFile, sourceFile } from '../architecture/source.ts';
import { crumbLines, crumbs } from './crumbs.ts';

/** Value of a measure, with what a reader looks at first to lower it. */
export interface Measure {
  value: number;
  /** Words for the thing that is counted. */
  about: string;
  places: string[];
}

/** The files of a checkout as the census sees them. */
export interface House {
  root: string;
  /** Paths of all files under version control, and of new ones that are not ignored. */
  tracked: readonly string[];
  /** TypeScript that people write. */
  sources: readonly SourceFile[];
  /** Sources without tests and their support. */
  code: readonly SourceFile[];
}

/** Reads the sources among the files of a checkout. */
export function readHouse(root: string, tracked: readonly string[]): House {
  const sources = tracked
    .filter((path) => /^(?:packages|release|test|bench|samples)\/.*\.tsx?$/.test(path))
    .filter((path) => !/\/generated\//.test(path))
    .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')));
  return { root, tracked, sources, code: sources.filter(({ path }) => !isTest(path)) };
}

/** Reports whether a file is a test, its support, or beside the packages. */
export function isTest(path: string): boolean {
  return /\.(?:test|proof|fixture)\.tsx?$/.test(path) || !path.startsWith('packages/');
}

/** Counts everything that has a ceiling. */
export function measuresOf(house: House): Record<string, Measure> {
  const { code } = house;
  const cycles = allCycles(house.sources);
  const small = crumbs(code);
  return {
    words: words(house),
    sourceLines: {
      value: code.reduce((sum, { lineCount }) => sum + lineCount, 0),
      about: 'lines of source without tests',
      places: [],
    },
    crumbs: {
      value: small.length,
      about: `files under ${crumbLines} lines with one importer in their folder, looked for by nobody`,
      places: small,
    },
    circles: {
      value: cycles.length,
      about: 'circles of imports, import() and release/ included',
      places: cycles,
    },
    consoleCasts: consoleCasts(code),
    domainRooms: domainRooms(code),
    settings: settings(code),
    dependencies: dependencies(house),
  };
}

/** Words of documents by hand: all Markdown but the changelog and the cases that a test runs. */
function words({ root, tracked }: House): Measure {
  const notByHand = ['CHANGELOG.md', 'packages/engine/src/dialect/cases.md'];
  const counts = tracked
    .filter((path) => path.endsWith('.md') && !notByHand.includes(path))
    .map((path) => ({
      path,
      count: readFileSync(join(root, path), 'utf8').split(/\s+/).filter(Boolean).length,
    }))
    .sort((one, other) => other.count - one.count);
  return {
    value: counts.reduce((sum, { count }) => sum + count, 0),
    about: 'words of documents',
    places: counts.map(({ path, count }) => `${path} ${count}`),
  };
}

/** Counts casts by which the compiler accepts anything as anything. */
function consoleCasts(code: readonly SourceFile[]): Measure {
  const places = code
    .filter(({ path }) => path.startsWith('packages/console/src/'))
    .flatMap(({ path, code: text }) =>
      [...text.matchAll(/\bas (?:never|unknown as|object)\b/g)].map(() => path),
    );
  return { value: places.length, about: 'hard casts in the console', places };
}

function domainRooms(code: readonly SourceFile[]): Measure {
  const rooms = code.flatMap(
    ({ path }) => /^packages\/server\/src\/domains\/([^/]+)\//.exec(path)?.[1] ?? [],
  );
  const places = [...new Set(rooms)];
  return { value: places.length, about: 'rooms of the domains', places };
}

function settings(code: readonly SourceFile[]): Measure {
  const names = code
    .filter(({ path }) => path.startsWith('packages/server/src/config'))
    .flatMap(({ code: text }) =>
      [...text.matchAll(/\(\s*'(PLOIDY_[A-Z\d_]+)',/g)].map(([, name = '']) => name),
    );
  const places = [...new Set(names)];
  return { value: places.length, about: 'settings', places };
}

function dependencies({ root, tracked }: House): Measure {
  const manifests = tracked.filter((path) => /^packages\/[^/]+\/package\.json$/.test(path));
  const names = manifests.flatMap((path) =>
    Object.keys(
      (JSON.parse(readFileSync(join(root, path), 'utf8')) as { dependencies?: object }).dependencies ?? {},
    ),
  );
  const places = [...new Set(names.filter((name) => !name.startsWith('@ploidy/')))];
  return { value: places.length, about: 'dependencies of the packages', places };
}
