/** A study folder from the command line and back: an export has the same rows again. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

const { run, json, remove } = commandLine();
const folder = mkdtempSync(join(tmpdir(), 'ploidy-cli-study-'));
const source = join(folder, 'source');
const exported = join(folder, 'exported');
let service: TestServer;

before(async () => {
  service = await startServer();
  await json('login', '--first-run', service.folder, '--address', service.baseUrl);
  for (const name of ['First', 'Second']) await json('projects', 'create', name);
  for (const [name, text] of Object.entries(studyFolder(40).files)) {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    writeFileSync(join(source, name), text);
  }
});
after(async () => {
  await service.stop();
  remove();
  rmSync(folder, { recursive: true, force: true });
});

const rowsOf = async (project: string, sql: string): Promise<string[]> =>
  (await json('query', sql, '--project', project)).rows.map((row: object) => JSON.stringify(row)).sort();

test('a folder is packed, sent and ingested', async () => {
  const [ingestion] = await json('import', 'cbioportal', source, '--project', 'First');
  assert.deepEqual([ingestion.type, ingestion.state], ['cbioportal', 'succeeded']);
  assert.ok(ingestion.found.unread.some(({ name }: { name: string }) => /Git LFS/.test(name)));
  assert.equal((await run('import', 'excel', source, '--project', 'First')).code, 2);
  assert.equal((await run('import', 'cbioportal', join(folder, 'none'), '--project', 'First')).code, 2);
});

test('an exported study has the same rows in another project', async () => {
  const { code, err } = await run('export', exported, '--format', 'cbioportal', '--project', 'First');
  assert.equal(code, 0, err);
  assert.ok(existsSync(join(exported, 'case_lists/cases_sequenced.txt')));
  const again = await run('import', 'cbioportal', exported, '--project', 'Second', '--json');
  assert.equal(again.code, 0, again.err);
  for (const statement of [
    'SELECT * FROM sequence',
    'SELECT * FROM attribute_value',
    'SELECT attribute_id, level, name, type, priority FROM attribute',
    'SELECT patient_id, gender, is_deceased FROM demographic',
    'SELECT * FROM alteration',
    'SELECT * FROM sample_profile',
    'SELECT * FROM gene_panel',
    'SELECT * FROM timeline_event',
    'SELECT sample_id, gene_name, expression FROM gene',
    'SELECT sample_id, gene, status, chromosome, start_position, end_position, copy_number FROM copynumber',
    'SELECT sample_id, gene, chromosome, position, reference, alternate, genotype, ebcanon_class, amino_acid_change FROM variant',
    'SELECT sample_id, gene1, gene2, chromosome1, start_position1, chromosome2, start_position2 FROM fusion',
  ]) {
    const before = await rowsOf('First', statement);
    assert.ok(before.length > 0, statement);
    assert.deepEqual(await rowsOf('Second', statement), before, statement);
  }
});
