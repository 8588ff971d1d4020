import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const engine = join(import.meta.dirname, '../../../packages/engine');
/** Files of these folders that decide about no value: the transport, and the table itself. */
const silent = new Set(['client.ts', 'proven.ts']);

/** Returns the sources of a folder of the engine: a new file is one of them. */
function sourcesOf(folder: string): string[] {
  return readdirSync(join(engine, folder))
    .filter((name) => /^[\w-]+\.ts$/.test(name) && !silent.has(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** Returns the digest of everything that the table of proven signatures was made with. */
export function digestOfDialect(): string {
  const digest = createHash('sha256');
  const folders = ['src/cluster', 'src/dialect', 'src/guard/rewrite'].flatMap(sourcesOf);
  for (const source of ['package.json', 'src/guard/functions.ts', ...folders, '../../test/trino/fetch.ts'])
    digest.update(readFileSync(join(engine, source)));
  return digest.digest('hex');
}
