/** Large files in an S3-compatible store: statements about few rows read the row groups that may hold them. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { vcfText } from '../inputs/texts.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type S3Server, startS3 } from '../support/s3/server.ts';
import { until } from '../support/until.ts';

/** Three row groups. */
const records = 300_000;
const firstPosition = 1000;
const step = 10;

describe('excerpts of files in a store', () => {
  let s3: S3Server;
  let app: TestApp;
  let project: TestProject;
  /** Bytes that were asked for, by object. */
  const read = new Map<string, number>();

  before(async () => {
    s3 = await startS3();
    app = await openTestApp(s3.settings, { wholeMaxBytes: 100_000 });
    project = await TestProject.make(app.call, 'Excerpts');
    await project.take('large.vcf', vcfText('large', records));
    s3.fault = ({ method, url, headers }) => {
      const key = decodeURIComponent(new URL(url ?? '/', 'http://s3').pathname).slice('/test-bucket/'.length);
      const size = s3.bucket.objects.get(key)?.bytes.length ?? 0;
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
      const bytes = from === undefined ? size : Math.min(Number(to || size), size - 1) - Number(from) + 1;
      if (method === 'GET' && size > 0) read.set(key, (read.get(key) ?? 0) + bytes);
      return undefined;
    };
  });
  after(async () => {
    await app?.stop();
    await s3?.close();
  });

  /** Returns the object of the present file of a table, with the bytes that were read of it since. */
  async function fileOf(table: string): Promise<{ size: number; bytes: number }> {
    const { key, size } = await app.app.core.records.read
      .selectFrom('lake_files')
      .select(['key', 'size'])
      .where('project_id', '=', project.id)
      .where('table_name', '=', table)
      .where('removed_version', 'is', null)
      .executeTakeFirstOrThrow();
    const object = [...read].find(([name]) => name.endsWith(key));
    return { size, bytes: object?.[1] ?? 0 };
  }

  const ask = async (sql: string): Promise<string[]> => {
    read.clear();
    return project.ask(sql);
  };
  const within = (from: number, to: number) => `position BETWEEN ${from} AND ${to}`;

  test('a region reads a part of the file, with the answer of the whole', async () => {
    const region = within(firstPosition, firstPosition + 99 * step);
    const sql = `SELECT count(*), min(position), max(position), count(DISTINCT variant_id) FROM variant WHERE ${region}`;
    assert.deepEqual(await ask(sql), [`100,${firstPosition},${firstPosition + 99 * step},100`]);
    const { size, bytes } = await fileOf('variant');
    assert.ok(size > 100_000, `${size} bytes`);
    assert.ok(bytes > 0 && bytes < size, `${bytes} of ${size} bytes`);
    assert.deepEqual(await ask(`SELECT count(*) FROM variant WHERE ${within(1, 5)}`), ['0']);
    assert.deepEqual(
      await ask(`SELECT count(*) FROM variant WHERE chromosome = 'chr2' AND ${within(1, 5)}`),
      ['0'],
    );
  });

  test('a statement without conditions reads all of it, and keeps the copy for later ones', async () => {
    assert.deepEqual(await ask('SELECT count(*), min(position) FROM variant'), [
      `${records},${firstPosition}`,
    ]);
    const whole = await fileOf('variant');
    assert.equal(whole.bytes, whole.size);
    const last = firstPosition + (records - 1) * step;
    assert.deepEqual(await ask(`SELECT count(*) FROM variant WHERE ${within(last, last)}`), ['1']);
    assert.equal((await fileOf('variant')).bytes, 0);
  });

  test('a broken connection is resumed, and no part of a file stays on the disk', async () => {
    const record = s3.fault;
    let cuts = 0;
    s3.fault = (request) => {
      record(request);
      return request.method === 'GET' && request.headers.range && cuts++ < 2 ? 'cut' : undefined;
    };
    const sql = `SELECT count(*), sum(position) FROM variant_call WHERE ${within(firstPosition, firstPosition + step)}`;
    assert.deepEqual(await ask(sql), [`2,${2 * firstPosition + step}`]);
    s3.fault = record;
    assert.ok(cuts >= 2, 'ranges were read');
    const { size, bytes } = await fileOf('variant_call');
    assert.ok(bytes < 2 * size);
    const scratch = join(app.folder, 'blobs', 'scratch');
    await until(() => readdirSync(scratch).length === 0, 'the scratch folder is empty');
  });
});
