import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { MortalService } from './mortal-service.ts';

/** Waits until disk and records agree, as they must after the sweep at the start: every blob has a row, every row its blob. */
export async function untilSwept(service: MortalService): Promise<void> {
  let found: string[] = [];
  const agree = async (): Promise<boolean> => {
    found = await disagreements(service);
    return found.length === 0;
  };
  try {
    await until(agree, 'disk and records agree');
  } catch (error) {
    throw new Error(`After the sweep: ${found.join('; ')}`, { cause: error });
  }
}

async function disagreements(service: MortalService): Promise<string[]> {
  const held = await heldBlobs(service);
  const folder = join(service.folder, 'blobs');
  const fans = readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const present = new Set(fans.flatMap((fan) => readdirSync(join(folder, fan))));
  return [
    ...[...present].filter((key) => !held.has(key)).map((key) => `the blob ${key} belongs to nothing`),
    ...[...held]
      .filter(([key, size]) => sizeOf(join(folder, key.slice(0, 2), key)) !== size)
      .map(([key]) => `the blob ${key} is missing or has another size`),
    ...readdirSync(join(folder, 'scratch')).map((name) => `the scratch file ${name} was left`),
    ...strayEngineFolders(service),
  ];
}

async function heldBlobs(service: MortalService): Promise<Map<string, number>> {
  const tables = ['files', 'segments', 'annotated_segments', 'upload_parts', 'pictures'];
  const selects = [
    ...tables.map((table) => `select blob_key, size from ${table}`),
    'select index_blob, index_size from readgroup_sets where index_blob is not null',
    'select index_blob, index_size from variant_indexes where index_blob is not null',
    'select packed_blob, packed_size from variant_indexes where packed_blob is not null',
    'select bases_blob, bases_size from reference_sets where bases_blob is not null',
  ];
  const sql = selects.join(' union all ');
  const rows = await service.rows(sql);
  return new Map(rows.map((row) => [String(row['blob_key']), Number(row['size'])]));
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : -1;
}

/** Lists folders of the engine's processes, below one that bears the number of the service's process. */
function strayEngineFolders(service: MortalService): string[] {
  const mine = `engine-${service.server.process.pid}-`;
  const names = readdirSync(join(service.folder, 'scratch'));
  return names
    .filter((name) => !name.startsWith(mine))
    .map((name) => `the engine folder ${name} was left by a dead process`);
}
