/** The examples of docs/guides/analyst.md run, and pyarrow reads every kind of file in the lake. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pythonWith, root } from '../deploy/tools.ts';
import { blocksFor } from '../documentation/claims.ts';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { missing } from './missing.ts';

const packages = ['pandas==3.1.1', 'pyarrow==26.0.1', 'polars==2.1.0', 'duckdb==2.0.1'];
const samples = join(root, 'samples/data');
let server: TestServer;
let project: string;
const { home, run, json, remove } = commandLine();

/** Returns the blocks of the guide in a language. */
function examples(language: string): string[] {
  return blocksFor(import.meta.filename)
    .filter((block) => block.language === language)
    .map(({ code }) => code);
}

/** A proof for each example in Python, by the library that it imports first. */
const proofs: Record<string, string> = {
  'pandas as pd': 'assert len(patients) == len(from_csv) == len(from_json) > 0',
  'polars as pl': 'assert len(patients) > 0 and from_arrow.equals(patients)',
  duckdb: `assert duckdb.sql("SELECT count(*) FROM 'patients.parquet'").fetchall()[0][0] > 0`,
};

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
  for (const line of examples('sh')[0]?.trim().split('\n') ?? []) {
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

for (const code of examples('python')) {
  const [, library = ''] = /^import (.+)$/m.exec(code) ?? [];
  test(`the example of ${library} in Python reads the results`, () => {
    const proof = proofs[library];
    assert.ok(proof, 'it has a proof');
    runs(pythonWith(packages), '-c', `${code}\n${proof}`);
  });
}

const missingR = await missing('Rscript');
// R's package of Arrow is in no registry of Debian: its example runs where an R has it, and is no test elsewhere.
const hasArrowInR = missingR === false && spawnSync('Rscript', ['-e', 'library(arrow)']).status === 0;
for (const code of examples('r').filter((one) => hasArrowInR || !one.includes('arrow::')))
  test(`the example in R that begins with ${code.split('\n')[0]} reads the results`, { skip: missingR }, () =>
    runs(
      'Rscript',
      '-e',
      `${code}\nstopifnot(nrow(patients) > 0, patients$patient_id == sort(patients$patient_id))`,
    ),
  );

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
