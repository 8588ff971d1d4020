/** The examples of docs/guides/python-and-r.md run, and pyarrow reads every kind of file in the lake. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pythonWith, root } from '../deploy/tools.ts';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

const packages = ['pandas==3.1.1', 'pyarrow==26.0.1', 'polars==2.1.0', 'duckdb==2.0.1'];
const guide = readFileSync(join(root, 'docs/guides/python-and-r.md'), 'utf8');
const samples = join(root, 'samples/data');
let server: TestServer;
let project: string;
const { home, run, json, remove } = commandLine();

/** Returns the code of the guide in a language, with the heading above each block. */
function examples(language: string): { heading: string; code: string }[] {
  const blocks = guide.matchAll(/^#+ (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm);
  const found: { heading: string; code: string }[] = [];
  let heading = '';
  for (const [, title, word, code = ''] of blocks) {
    heading = title ?? heading;
    if (word === language) found.push({ heading, code });
  }
  return found;
}

function runs(program: string, ...words: string[]): void {
  const env = {
    ...process.env,
    PLOIDY_ADDRESS: server.baseUrl,
    PLOIDY_API_KEY: server.apiKey,
    PLOIDY_ACCOUNT: server.account,
    PROJECT: project,
  };
  const { status, stderr, error } = spawnSync(program, words, { cwd: home, encoding: 'utf8', env });
  assert.equal(status, 0, stderr ?? String(error));
}

before(async () => {
  server = await startServer();
  await run('login', '--first-run', server.folder, '--address', server.baseUrl);
  project = (await json('projects', 'create', 'Clients', '--use')).id;
  const files = globSync(['fhir/*.ndjson', 'vcf/SYN0001.vcf'], { cwd: samples }).map((name) =>
    join(samples, name),
  );
  await json('files', 'put', ...files, '--ingest');
  for (const line of examples('sh')[0]?.code.trim().split('\n') ?? []) {
    const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    // The files are saved where the examples read them.
    const saved = words.with(-1, join(home, words.at(-1) ?? ''));
    const { code, err } = await run(...saved.slice(1));
    assert.equal(code, 0, err);
  }
});

after(async () => {
  await server.stop();
  remove();
});

for (const { heading, code } of examples('python'))
  test(`the example of ${heading} in Python runs`, () => runs(pythonWith(packages), '-c', code));

// R's package of Arrow is in no registry of Debian: the example runs where an R has it, and is no test elsewhere.
const hasArrowInR = spawnSync('Rscript', ['-e', 'library(arrow)']).status === 0;
for (const { code } of hasArrowInR ? examples('r') : [])
  test('the example in R runs', () => runs('Rscript', '-e', code));

test('pyarrow reads every file of the lake, with one type of instants', () => {
  const code = `
import glob, os, sys
import pyarrow.parquet as pq

types, count = set(), 0
for path in filter(os.path.isfile, glob.glob(sys.argv[1] + "/blobs/**", recursive=True)):
    with open(path, "rb") as file:
        if file.read(4) != b"PAR1":
            continue
    table = pq.read_table(path)
    table.validate(full=True)
    types |= {str(field.type) for field in table.schema if "timestamp" in str(field.type)}
    count += 1
assert count > 5, count
assert types == {"timestamp[us]"}, types
`;
  runs(pythonWith(packages), '-c', code, server.folder);
});
