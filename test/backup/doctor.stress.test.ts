import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { verifyRecords } from '../../packages/server/src/platform/records/index.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText, vcfText } from '../inputs/texts.ts';
import { call } from '../support/app.ts';
import { startServer } from '../support/server.ts';
import { adminHere } from './operator.ts';

interface Visit {
  code: number;
  folder: string;
  say: Record<'records' | 'folder' | 'files', string>;
  findings: { code: string; file?: string; about: string }[];
}

const rounds = Number(process.env['PLOIDY_TEST_ROUNDS'] ?? 60);
const place = mkdtempSync(join(tmpdir(), 'ploidy-damage-'));
after(() => rmSync(place, { recursive: true, force: true }));
/** Data folder of a service that ended as it should, that of one that was killed, and a backup. */
const stopped = join(place, 'stopped');
const killed = join(place, 'killed');
const backup = join(place, 'backup');

before(async () => {
  const server = await startServer();
  const { baseUrl, account, apiKey: key, folder } = server;
  const project = await TestProject.make(
    (method, path, options) => call(baseUrl, method, path, { account, key, ...options }),
    'Damaged',
  );
  await project.take('a.vcf', vcfText('a', 3000));
  await project.take('a.ndjson', fhirText('a', 30, 1));
  await server.kill();
  cpSync(folder, killed, { recursive: true });
  const made = await adminHere({ PLOIDY_DATA_DIR: folder }, 'backup', backup, '--with-key');
  assert.equal(made.code, 0, made.err);
  cpSync(folder, stopped, { recursive: true });
  await server.stop();
});

async function visit(folder: string, ...words: string[]): Promise<Visit> {
  const { code, out, err } = await adminHere({ PLOIDY_DATA_DIR: folder }, 'doctor', '--json', ...words);
  assert.notEqual(out, '', err);
  const { findings, ...say } = JSON.parse(out);
  return { code, folder, findings, say };
}

/** Copies a folder, damages it, and calls the doctor. */
async function visitAfter(damage: (folder: string) => void, source = stopped): Promise<Visit> {
  const folder = join(place, 'damaged');
  rmSync(folder, { recursive: true, force: true });
  cpSync(source, folder, { recursive: true });
  damage(folder);
  return visit(folder, '--bytes');
}

function oneOf<T>(values: readonly T[]): T {
  const value = values[randomInt(values.length)];
  assert.ok(value !== undefined);
  return value;
}

const blobsOf = (folder: string): string[] => globSync(join(folder, 'blobs/??/*'));

function altered(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

const flip = (bytes: Buffer): void => {
  const at = randomInt(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << randomInt(8));
};

const blobDamages: Record<string, (path: string) => void> = {
  DIGEST: (path) => altered(path, flip),
  SIZE: (path) =>
    randomInt(2) ? truncateSync(path, randomInt(statSync(path).size)) : appendFileSync(path, 'x'),
  MISSING: (path) => rmSync(path),
  MODE: (path) => chmodSync(path, oneOf([0o644, 0o640, 0o400, 0o666])),
  ...(process.getuid?.() === 0 && { OWNER: (path: string) => chownSync(path, 65534, 65534) }),
};

describe('ploidy admin doctor', () => {
  test('a whole folder has no finding', async () => {
    for (const source of [stopped, killed]) {
      const { findings, say } = await visitAfter(() => undefined, source);
      assert.deepEqual(findings, []);
      assert.match(say.files, /^(\d+) are there with \d+ bytes; the bytes of \1 were compared$/);
    }
  });

  for (const [code, damage] of Object.entries(blobDamages))
    test(`${code}: a random file is named, and the copy of a backup mends it`, async () => {
      const part = relative(stopped, oneOf(blobsOf(stopped)));
      const found = await visitAfter((folder) => damage(join(folder, part)));
      assert.equal(found.code, 1);
      assert.deepEqual(
        found.findings.map((one) => [one.code, basename(one.file ?? '')]),
        [[code, basename(part)]],
      );
      assert.match(
        `${found.say.files} ${found.say.folder}`,
        new RegExp(`FAULT: 1 findings below\\. ${code}: `),
      );
      rmSync(join(found.folder, part), { force: true });
      cpSync(join(backup, part), join(found.folder, part));
      assert.deepEqual((await visit(found.folder, '--bytes')).findings, []);
    });

  test('a file that no row names is an orphan', async () => {
    const { findings } = await visitAfter((folder) => {
      const [path = ''] = blobsOf(folder);
      writeFileSync(`${path.slice(0, -1)}${path.endsWith('0') ? 1 : 0}`, 'lost', { mode: 0o600 });
    });
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['ORPHAN'],
    );
  });

  test('records open to others are named', async () => {
    const { findings } = await visitAfter((folder) => chmodSync(join(folder, 'records.sqlite'), 0o644));
    // SQLite gives its other files the same mode.
    assert.deepEqual([findings[0]?.code, findings[0]?.file], ['MODE', 'records.sqlite']);
  });
});

/** Rows of each table as JSON. */
type Rows = Record<string, string[]>;

function rowsOf(folder: string): Rows {
  const database = new DatabaseSync(join(folder, 'records.sqlite'), { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    return Object.fromEntries(
      tables.map(({ name }) => {
        const rows = database.prepare(`select * from "${name}"`).all();
        return [String(name), rows.map((row) => JSON.stringify(row))];
      }),
    );
  } finally {
    database.close();
  }
}

/** Lists rows that the other records do not have; another number of rows is one too. */
function differences(one: Rows, other: Rows): string[] {
  return Object.entries(one).flatMap(([table, rows]) => {
    const found = new Set(other[table]);
    if (other[table]?.length !== rows.length) return [`${table}: not ${rows.length} rows`];
    return rows.filter((row) => !found.has(row)).map(() => table);
  });
}

const sector = 512;
const recordDamages: Record<string, (bytes: Buffer) => void> = {
  'a sector of noise': (bytes) => randomBytes(sector).copy(bytes, sectorOf(bytes)),
  'a page of zeros': (bytes) => {
    const at = randomInt(bytes.length / 4096) * 4096;
    bytes.fill(0, at, at + 4096);
  },
  'two pages in the place of each other': (bytes) => {
    const [one, other] = [randomInt(bytes.length / 4096) * 4096, randomInt(bytes.length / 4096) * 4096];
    const kept = Buffer.from(bytes.subarray(one, one + 4096));
    bytes.copy(bytes, one, other, other + 4096);
    kept.copy(bytes, other);
  },
  'a flipped bit': flip,
};
const sectorOf = (bytes: Buffer): number => randomInt(bytes.length / sector) * sector;
describe('ploidy admin doctor, of records', () => {
  let whole: Rows;
  before(() => {
    whole = rowsOf(stopped);
  });

  for (const [name, damage] of Object.entries(recordDamages))
    test(`${name}: named, or all rows are equal but for values of one`, async (context) => {
      const folder = mkdtempSync(join(place, 'records-'));
      const bytes = readFileSync(join(stopped, 'records.sqlite'));
      let named = 0;
      for (let round = 0; round < rounds; round += 1) {
        const altered = Buffer.from(bytes);
        damage(altered);
        for (const end of ['-wal', '-shm']) rmSync(join(folder, `records.sqlite${end}`), { force: true });
        writeFileSync(join(folder, 'records.sqlite'), altered);
        const { faults } = await verifyRecords({ folder });
        // SQLite cannot verify values within a row.
        if (faults.length === 0) assert.ok(differences(whole, rowsOf(folder)).length <= 1);
        else named += 1;
      }
      context.diagnostic(`${named} of ${rounds} named`);
    });

  test('shortened records are named, and the restore of its remedy opens them', async (context) => {
    const found = await visitAfter((folder) => {
      const path = join(folder, 'records.sqlite');
      truncateSync(path, Math.floor(statSync(path).size / 2));
    });
    assert.match(found.say.records, /^FAULT: .*restore the last backup/);
    const folder = join(place, 'restored');
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const restored = await adminHere({ PLOIDY_DATA_DIR: folder }, 'restore', backup);
    assert.equal(restored.code, 0, restored.err);
    assert.deepEqual((await visit(folder, '--bytes')).findings, []);
  });

  test('a lost or altered WAL is named, or nothing was only there', async () => {
    const folder = join(place, 'whole');
    cpSync(killed, folder, { recursive: true });
    const full = rowsOf(folder);
    let named = 0;
    const damages = [
      (wal: string) => rmSync(wal),
      (wal: string) => truncateSync(wal, randomInt(statSync(wal).size)),
      ...Array.from({ length: rounds }, () => (wal: string) => altered(wal, flip)),
    ];
    for (const damage of damages) {
      const at = mkdtempSync(join(place, 'wal-'));
      for (const end of ['', '-wal', '-shm'])
        cpSync(join(killed, `records.sqlite${end}`), join(at, `records.sqlite${end}`));
      damage(join(at, 'records.sqlite-wal'));
      const { faults } = await verifyRecords({ folder: at });
      if (faults.length > 0) named += 1;
      else assert.deepEqual(differences(full, rowsOf(at)), []);
    }
    assert.ok(named > 0);
  });
});
