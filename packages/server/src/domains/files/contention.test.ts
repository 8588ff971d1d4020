import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Reply } from '../../../../../test/support/app.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';
import { diskBlobs } from '../../platform/blobs/index.ts';

const clients = 20;
const rounds = 6;
const names = ['one.txt', 'two.txt', 'three.txt'];

describeApp('concurrent clients at the same names', (app) => {
  const projects: string[] = [];

  before(async () => {
    for (const name of ['Crowd', 'Other crowd']) {
      projects.push((await app.call('POST', '/v1/projects', { body: { name } })).body.id);
    }
  });

  const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
  const some = async (): Promise<{ id: string } | undefined> => {
    const { body } = await app.call('GET', `/v1/files?datasetId=${pick(projects)}`);
    return body.items.length > 0 ? pick<{ id: string }>(body.items) : undefined;
  };
  const json = async (response: Response): Promise<number> => {
    await response.text();
    return response.status;
  };

  /** Actions of a client with the statuses they may get; only a success changes anything. */
  const doings: Record<string, (client: number) => Promise<number>> = {
    put: async (client) => {
      const body = { name: pick(names), datasetId: pick(projects), overwrite: Math.random() < 0.7 };
      const begun = await app.call('POST', '/v1/files', { body });
      if (begun.status !== 200) return begun.status;
      return json(await fetch(begun.body.uploadUrl, { method: 'PUT', body: `whole ${client}` }));
    },
    parts: async (client) => {
      const overwrite = Math.random() < 0.7;
      const body = { name: pick(names), datasetId: pick(projects), overwrite };
      const begun = await app.call('POST', '/v1/uploads', { body });
      if (begun.status !== 200) return begun.status;
      const { uploadId } = begun.body;
      await Promise.all(
        [1, 2, 2].map(async (part) => {
          const { status, body } = await app.call('GET', `/v1/uploads/${uploadId}/parts/${part}`);
          const put = () => fetch(body.uploadUrl, { method: 'PUT', body: `${part} of ${client};` });
          const sent = status === 200 ? await json(await put()) : status;
          // 404: the file to be replaced was moved into the other project meanwhile.
          assert.ok(sent === 200 || (sent === 404 && overwrite), `${sent}`);
        }),
      );
      const both = await Promise.all([1, 2].map(() => app.call('DELETE', `/v1/uploads/${uploadId}`)));
      return Math.max(...both.map(({ status }) => status));
    },
    rename: async () => {
      const file = await some();
      if (!file) return 404;
      return (await app.call('PATCH', `/v1/files/${file.id}`, { body: { name: pick(names) } })).status;
    },
    move: async () => {
      const file = await some();
      if (!file) return 404;
      return (await app.call('PATCH', `/v1/files/${file.id}`, { body: { datasetId: pick(projects) } }))
        .status;
    },
    remove: async () => {
      const file = await some();
      return file ? (await app.call('DELETE', `/v1/files/${file.id}`)).status : 404;
    },
  };

  test('concurrent uploads, completions, renames, moves and deletions never double a name or mix bytes', async () => {
    const kinds = Object.keys(doings);
    const statuses = new Map<string, Set<number>>();
    const client = async (number: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        const kind = kinds[(number + round) % kinds.length] ?? '';
        const status = (await doings[kind]?.(number)) ?? 0;
        statuses.set(kind, (statuses.get(kind) ?? new Set()).add(status));
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    for (const [kind, seen] of statuses) {
      for (const status of seen) assert.ok([200, 204, 404, 409].includes(status), `${kind}: ${status}`);
    }
    for (const project of projects) {
      const { body } = await app.call('GET', `/v1/files?datasetId=${project}&pageSize=1000`);
      const found: { id: string; name: string; size: number }[] = body.items;
      assert.equal(new Set(found.map(({ name }) => name)).size, found.length);
      for (const { id, size } of found) {
        const { text } = await app.call('GET', `/v1/files/${id}`);
        assert.match(text, /^(?:whole \d+|1 of (\d+);2 of \1;)$/);
        assert.equal(text.length, size);
      }
    }
  });

  // asvs: 2.3.4
  test('concurrent requests for one name: exactly one succeeds', async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Race' } })).body.id;
    const ids = await Promise.all(
      Array.from({ length: clients }, (_, number) => app.put(project, `runner-${number}`, `${number}`)),
    );
    const rename = (id: string): Promise<Reply> =>
      app.call('PATCH', `/v1/files/${id}`, { body: { name: 'winner' } });
    const replies = await Promise.all(ids.map(rename));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ status }) => status === 409).length, clients - 1);
    const { body } = await app.call('GET', `/v1/files?datasetId=${project}&pageSize=1000`);
    assert.equal(body.items.length, clients, 'nobody’s file is lost');
  });

  test('no unreferenced blob is left', async () => {
    const { records } = app.people;
    // Uploads in parts whose names were taken keep their parts until they expire.
    await records.transact((tx) => tx.deleteFrom('uploads').execute());
    await records.transact((tx) => tx.deleteFrom('upload_parts').execute());
    const folder = join(app.folder, 'blobs');
    const held = async (): Promise<string[]> =>
      (await records.read.selectFrom('files').select('blob_key').execute()).map((row) => row.blob_key).sort();
    const stored = (): string[] =>
      readdirSync(folder)
        .filter((name) => /^[0-9a-f]{2}$/.test(name))
        .flatMap((fan) => readdirSync(join(folder, fan)))
        .sort();
    const blobs = diskBlobs({ folder, records });
    await until(async () => {
      await blobs.sweep();
      return String(stored()) === String(await held());
    }, 'blobs and rows agree');
  });
});
