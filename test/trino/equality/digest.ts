import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const engine = join(import.meta.dirname, '../../../packages/engine');

/** Sources that decide about the meaning of a statement on one of the engines, and its versions. */
const sources = [
  'package.json',
  ...['functions', 'macros', 'renamed', 'xxhash64', 'formats', 'joda-formats'].map((name) =>
    name === 'functions' ? 'src/guard/functions.ts' : `src/dialect/${name}.ts`,
  ),
  'src/guard/rewrite/dialect-names.ts',
  ...['calls', 'expressions', 'forms', 'functions', 'proof', 'queries', 'scope', 'types'].map(
    (name) => `src/cluster/${name}.ts`,
  ),
  '../../test/trino/fetch.ts',
];

/** Returns the digest of everything that the table of proven signatures was made with. */
export function digestOfDialect(): string {
  const digest = createHash('sha256');
  for (const source of sources) digest.update(readFileSync(join(engine, source)));
  return digest.digest('hex');
}
