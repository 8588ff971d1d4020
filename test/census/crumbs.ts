/** Small files that cost a hop and have no reader of their own. */
import { basename, dirname } from 'node:path';
import type { SourceFile } from '../architecture/source.ts';

/** Lines below which a file with one importer beside it belongs into that importer. */
export const crumbLines = 40;

const server = 'packages/server/src';

/** Small files that readers look for by their name. */
export const namedFiles: readonly { files: RegExp; why: string }[] = [
  {
    files: /^packages\/formats\/src\/tables\/[\w-]+\.ts$/,
    why: 'a table of the lake is in a file with its name',
  },
  {
    files: RegExp(`^${server}/platform/records/migrations/\\d{4}-`),
    why: 'a migration is found by its number',
  },
  {
    files: RegExp(`^${server}/domains/.*/removal\\.ts$`),
    why: 'what a deletion removes is in removal.ts of its domain',
  },
  {
    files: RegExp(`^${server}/platform/\\w+/open\\.ts$`),
    why: 'each part of the platform is opened in open.ts',
  },
  {
    files: RegExp(`^${server}/config/quotas\\.ts$`),
    why: 'limits of an account are looked for under quotas',
  },
  { files: /\/read\/filter-tokens\.ts$/, why: 'the grammar of filters fills its file without the tokens' },
  {
    files: /^packages\/formats\/src\/\w+\/recognise\.ts$/,
    why: 'a format is recognised in recognise.ts of its folder',
  },
  {
    files: /^packages\/formats\/src\/vcf\/foreign\//,
    why: 'a source of annotations is in a file with its name',
  },
];

/** Small file with the only file that imports it. */
export interface Crumb {
  path: string;
  importer: string;
}

/** Finds the files under 40 lines whose only importer is in their folder; tests are no importers. */
export function smallFiles(code: readonly SourceFile[]): Crumb[] {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of code)
    for (const file of new Set(imports.map((one) => one.file)))
      if (file !== undefined) importers.set(file, [...(importers.get(file) ?? []), path]);
  return code.flatMap(({ path, lineCount }) => {
    const [importer = '', ...others] = importers.get(path) ?? [];
    const isSmall = lineCount < crumbLines && others.length === 0 && dirname(importer) === dirname(path);
    return isSmall ? [{ path, importer }] : [];
  });
}

/** Describes the small files that are never looked for by name. */
export function crumbs(code: readonly SourceFile[]): string[] {
  return smallFiles(code)
    .filter(({ path }) => !namedFiles.some(({ files }) => files.test(path)))
    .map(({ path, importer }) => `${path} ← ${basename(importer)}`);
}
