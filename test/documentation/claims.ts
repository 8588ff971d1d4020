/** Blocks of code in README, docs/operate and docs/guides, each with its test. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Block of code of a document. */
export interface Block {
  /** `docs/operate/limits.md:12`, the line of its fence. */
  at: string;
  path: string;
  /** Word behind the fence; empty for none. */
  language: string;
  code: string;
}

/** Test file that runs blocks, by the blocks that it takes. */
interface Claim {
  test: string;
  takes: (block: Block) => boolean;
}

const guide = (name: string, language: string, shape = /(?:)/) => {
  return (block: Block): boolean =>
    block.path === `docs/guides/${name}.md` && block.language === language && shape.test(block.code);
};
const importsFirst = (library: string): RegExp => new RegExp(`^import ${library}$`, 'm');

/** One line of this list is true of each block. Tests receive their blocks from here. */
const claims: readonly Claim[] = [
  {
    test: 'test/release/commands.trial.ts',
    takes: ({ path, code }) => path === 'README.md' && /^npm ci/.test(code),
  },
  {
    test: 'test/journeys/demo.stress.test.ts',
    takes: ({ path, code }) => path === 'README.md' && code.startsWith('The service is ready'),
  },
  {
    test: 'test/release/operate.trial.ts',
    takes: ({ path, language }) => path.startsWith('docs/operate/') && ['', 'yaml'].includes(language),
  },
  { test: 'test/documentation/claims.test.ts', takes: ({ path }) => path === 'docs/operate/trino.md' },
  { test: 'test/documentation/statements.test.ts', takes: guide('analyst', 'sql') },
  {
    test: 'test/clients/results.stress.test.ts',
    takes: (block) =>
      guide('analyst', 'sh')(block) ||
      guide('analyst', 'r')(block) ||
      guide('analyst', 'python', /^import (?:pandas as pd|polars as pl|duckdb)$/m)(block),
  },
  {
    test: 'packages/python/tests/test_guides.py',
    takes: ({ path, language, code }) =>
      path.startsWith('docs/guides/') && language === 'python' && importsFirst('ploidy').test(code),
  },
  {
    test: 'test/clients/guides.stress.test.ts',
    takes: (block) =>
      ['sh', 'bash', 'sql'].some((language) => guide('bioinformatician', language)(block)) ||
      guide('analyst', 'bash')(block) ||
      guide('analyst', 'py')(block) ||
      guide('analyst', 'python', importsFirst('pandas'))(block),
  },
  { test: 'packages/converters/src/own-table/guide.test.ts', takes: guide('bioinformatician', '') },
  { test: 'test/journeys/http-guide.stress.test.ts', takes: guide('http', 'sh') },
];

/** Reports whether a block is a drawing, which nothing can run. */
const isDrawing = ({ language, code }: Block): boolean => language === '' && code.includes('┌');

/** Every block of the documents that is no drawing. */
export const blocks: readonly Block[] = ['README.md', 'docs/operate/*.md', 'docs/guides/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())
  .map((path) => path.replaceAll('\\', '/'))
  .flatMap((path) => blocksIn(path, readFileSync(join(root, path), 'utf8')))
  .filter((block) => !isDrawing(block));

/** Test files that take a block. */
export function testsOf(block: Block): string[] {
  return claims.filter(({ takes }) => takes(block)).map(({ test }) => test);
}

/** Test files that run blocks. */
export const claiming: readonly string[] = claims.map(({ test }) => test);

/** Blocks that a test file has to run, by its own path (`import.meta.filename`). */
export function blocksFor(file: string): Block[] {
  const test = relative(root, file).replaceAll('\\', '/');
  return blocks.filter((block) => testsOf(block).includes(test));
}

/** Blocks of code of a document; fences of lists are indented. */
export function blocksIn(path: string, text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map((match) => ({
    at: `${path}:${text.slice(0, match.index).split('\n').length}`,
    path,
    language: match[2] ?? '',
    code: match[3] ?? '',
  }));
}
