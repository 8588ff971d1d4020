import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from '../../../platform/engine/conversion.ts';
import { literal } from './parquet.ts';

/** Which resources of a source are older versions of others in it. */
export interface RefusedVersions {
  count: number;
  has(ordinal: number): boolean;
  /** A condition on the column `ordinal`. */
  condition: string;
}

const none: RefusedVersions = { count: 0, has: () => false, condition: 'true' };

/**
 * Finds the resources that lose against another with the same type and id: the newest `meta.lastUpdated` wins, then the later
 * one; a removal without a time counts as the newest. `notes` reads the stage's `resource` file.
 */
export async function findRefusedVersions(sql: Sql, notes: string, folder: string): Promise<RefusedVersions> {
  const repeated = `SELECT resource_type, resource_id FROM ${notes} GROUP BY ALL HAVING count(*) > 1`;
  const [any] = await sql.rows(`SELECT 1 AS found FROM (${repeated}) LIMIT 1`);
  if (!any) return none;
  const path = join(folder, 'refused');
  await sql.run(`COPY (
    SELECT ordinal FROM (
      SELECT ordinal, row_number() OVER (
        PARTITION BY resource_type, resource_id ORDER BY decisive DESC, last_updated DESC NULLS LAST, rank DESC
      ) AS place
      FROM ${notes} SEMI JOIN (${repeated}) USING (resource_type, resource_id)
    ) WHERE place > 1
  ) TO ${literal(path)} (FORMAT csv, HEADER false)`);
  return readRefused(path);
}

function readRefused(path: string): RefusedVersions {
  const ordinals = readFileSync(path, 'latin1').split('\n').filter(Boolean).map(Number);
  const highest = ordinals.reduce((most, ordinal) => Math.max(most, ordinal), 0);
  const bits = new Uint8Array((highest >> 3) + 1);
  for (const ordinal of ordinals) bits[ordinal >> 3] = (bits[ordinal >> 3] ?? 0) | (1 << (ordinal & 7));
  const file = `read_csv(${literal(path)}, columns = {'ordinal': 'BIGINT'}, header = false, auto_detect = false)`;
  return {
    count: ordinals.length,
    has: (ordinal) => ((bits[ordinal >> 3] ?? 0) & (1 << (ordinal & 7))) !== 0,
    condition: `ordinal NOT IN (SELECT ordinal FROM ${file})`,
  };
}
