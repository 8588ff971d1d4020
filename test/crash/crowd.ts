import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Rows of each kind in a crowded project: enough that their removal takes time. */
const rows = { segments: 500, queries: 12_000, ingestions: 12_000, uploads: 12_000, files: 1500 };

/**
 * Fills a project as thousands of users would, past the API, which would take an hour: copies of what it holds already, each
 * file and segment with bytes of its own. The service must not run.
 */
export function crowd(folder: string, project: string): void {
  const records = new DatabaseSync(join(folder, 'records.sqlite'));
  try {
    records.exec('begin immediate');
    for (const [table, count] of Object.entries(rows)) copyRows(records, folder, project, table, count);
    records.exec('commit');
  } finally {
    records.close();
  }
}

function copyRows(
  records: DatabaseSync,
  folder: string,
  project: string,
  table: string,
  count: number,
): void {
  const model = records.prepare(`select * from ${table} where project_id = ? limit 1`).get(project);
  if (!model) throw new Error(`The project has no row of ${table} to copy.`);
  const names = Object.keys(model);
  const places = names.map(() => '?').join(', ');
  const insert = records.prepare(`insert into ${table} (${names.join(', ')}) values (${places})`);
  const intend = records.prepare("insert into blob_intents (key, kind, expires_at) values (?, 'write', 0)");
  for (let number = 0; number < count; number += 1) {
    const copy = { ...model, id: `${project}-${table}-${number}` };
    if ('name' in model) Object.assign(copy, { name: `${number}.bin`, name_key: `${number}.bin` });
    if ('blob_key' in model) {
      const blob = writeBlob(folder, `${project} ${table} ${number}`);
      intend.run(blob.blob_key);
      Object.assign(copy, blob);
    }
    insert.run(...names.map((name) => Reflect.get(copy, name)));
  }
}

function writeBlob(folder: string, text: string): { blob_key: string; size: number; sha256: string } {
  const key = randomBytes(16).toString('hex');
  const fan = join(folder, 'blobs', key.slice(0, 2));
  mkdirSync(fan, { recursive: true });
  writeFileSync(join(fan, key), text);
  return { blob_key: key, size: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}
