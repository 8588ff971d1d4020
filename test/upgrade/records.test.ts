import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Manifest } from '../../packages/server/src/admin/backup/manifest.ts';
import { verifyChains } from '../../packages/server/src/domains/audit/index.ts';
import { look } from '../backup/operator.ts';
import { testOnDialect } from '../support/records.ts';
import { dataOf } from './frozen/place.ts';
import { frozen, releases } from './frozen/release.ts';

for (const version of releases)
  for (const store of ['sqlite', 'postgres'] as const)
    testOnDialect(
      store,
      `records of ${version} on ${store} keep every row and whole audit chains when they are migrated`,
      async (context) => {
        const release = frozen(version, store);
        const manifest =
          [...release.files.keys()].find((path) => /^backup\/.*manifest\.json$/.test(path)) ?? '';
        const { tables } = JSON.parse(String(release.files.get(manifest))) as Manifest;
        await look(await dataOf(context, release, store), async ({ read }) => {
          // The backup itself wrote an intent, which keeps blobs while it copies them.
          for (const { name, rows } of tables.filter((table) => table.name !== 'blob_intents')) {
            const counted = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(
              read,
            );
            // A step may add rows.
            assert.ok(Number(counted.rows[0]?.n) >= rows, name);
          }
          for (const chain of await verifyChains(read)) assert.equal(chain.brokenAt, undefined);
        });
      },
    );
