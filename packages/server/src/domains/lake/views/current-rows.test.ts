import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { openSql } from '../../../../../engine/src/engine.fixture.ts';
import { planRevisions } from '../catalogue/revisions.ts';
import { type LocatedFile, rowsWithOrdinal } from '../catalogue/segment-rows.ts';
import { CurrentRows } from './current-rows.ts';

interface Version {
  id: string;
  /** Day of `last_updated`; 0: none. */
  day: number;
  deleted: boolean;
}

interface Ingestion {
  ordinal: number;
  versions: Version[];
  /** Present files by table. */
  files: LocatedFile[];
}

const ids = ['a', 'b', 'c'];
const steps = 60;
const seeds = [1, 2, 3, 4];

/** Pseudo-random numbers below a limit (Park and Miller). */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 7919 + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const columns = 'resource_type, resource_id, patient_id, last_updated, deleted';

function fileOf(table: string, path: string, ordinal: number): LocatedFile {
  return {
    ...{
      table,
      path,
      ordinal,
      ingestionId: '',
      segments: 1,
      recordedAt: 0,
      genomeBuild: null,
      source: '',
      ownColumns: null,
    },
    ...{
      blob: { key: path, size: 1, sha256: '' },
      rowCount: 1,
      fileRows: null,
      ordinals: null,
      merged: false,
    },
  };
}

/** Lake of one table with rows of resources, published and removed as the service does. */
class Lake {
  readonly #sql: DuckdbSql;
  readonly #folder: string;
  readonly present: Ingestion[] = [];
  #ordinal = 0;

  constructor(sql: DuckdbSql, folder: string) {
    this.#sql = sql;
    this.#folder = folder;
  }

  async publish(versions: Version[], replaced: Ingestion | undefined): Promise<void> {
    const others = this.present.filter((one) => one !== replaced);
    this.#ordinal += 1;
    const ordinal = this.#ordinal;
    const folder = await mkdtemp(join(this.#folder, 'ingestion-'));
    const resource = `${folder}/resource.parquet`;
    const values = versions.map(
      ({ id, day, deleted }) =>
        `('Patient', '${id}', NULL::VARCHAR, ${day === 0 ? 'NULL::TIMESTAMP' : `TIMESTAMP '2024-01-0${day}'`}, ${deleted})`,
    );
    await this.#copy(`SELECT * FROM (VALUES ${values.join(', ')}) AS t(${columns})`, resource);
    const rows = `${folder}/rows.parquet`;
    await this.#copy(
      `SELECT resource_type AS _resource_type, resource_id AS _resource_id FROM '${resource}' WHERE NOT deleted`,
      rows,
    );
    const files = [fileOf('_resource', resource, ordinal), fileOf('rows', rows, ordinal)];
    if (others.length > 0) {
      const ours = rowsWithOrdinal([fileOf('_resource', resource, 0)], columns);
      const located = others.flatMap((one) => one.files.filter(({ table }) => table === '_resource'));
      for (const { table, select, path } of planRevisions(ours, rowsWithOrdinal(located, columns), folder)) {
        await this.#copy(select, path);
        if ((await this.#sql.count(`'${path}'`)) > 0) files.push(fileOf(table, path, ordinal));
      }
    }
    if (replaced) this.remove(replaced);
    this.present.push({ ordinal, versions, files });
  }

  remove(ingestion: Ingestion): void {
    this.present.splice(this.present.indexOf(ingestion), 1);
  }

  /** Returns the rows that queries see, as id and ordinal. */
  async rows(): Promise<string[]> {
    const files = this.present.flatMap((one) => one.files);
    const own = files.filter(({ table }) => table === 'rows');
    if (own.length === 0) return [];
    const relation = rowsWithOrdinal(own, '_resource_type, _resource_id');
    const select = new CurrentRows(files).of(relation, { type: '_resource_type', id: '_resource_id' });
    const found = await this.#sql.rows(`SELECT _resource_id AS id, _ordinal::VARCHAR AS o FROM (${select})`);
    return found.map(({ id, o }) => `${id}:${o}`).sort();
  }

  /** Returns the rows of current versions by the definition. */
  expected(): string[] {
    return ids.flatMap((id) => {
      const versions = this.present.flatMap(({ ordinal, versions }) =>
        versions.filter((one) => one.id === id).map((one) => ({ ...one, ordinal })),
      );
      const removals = versions.filter(({ deleted, day }) => deleted && day === 0);
      const removal = removals.reduce((last, { ordinal }) => Math.max(last, ordinal), 0);
      const [winner] = versions
        .filter(({ ordinal }) => ordinal >= removal)
        .toSorted((a, b) => b.day - a.day || b.ordinal - a.ordinal);
      return winner && !winner.deleted ? [`${id}:${winner.ordinal}`] : [];
    });
  }

  async #copy(select: string, path: string): Promise<void> {
    await this.#sql.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  }
}

test('queries see the current versions after any ingestions, replacements and removals in any order', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'current-rows-'));
  const sql = await openSql(folder);
  try {
    for (const seed of seeds) {
      const random = randomOf(seed);
      const lake = new Lake(sql, folder);
      for (let step = 0; step < steps; step += 1) {
        const some = lake.present[random(Math.max(lake.present.length, 1))];
        if (some && random(3) === 0) lake.remove(some);
        else {
          const versions = ids
            .filter(() => random(2) === 0)
            .map((id) => ({ id, day: random(4), deleted: random(4) === 0 }));
          if (versions.length > 0) await lake.publish(versions, random(4) === 0 ? some : undefined);
        }
        assert.deepEqual(await lake.rows(), lake.expected(), `seed ${seed}, step ${step}`);
      }
    }
  } finally {
    sql.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('the versions of resources are not read while each has one', () => {
  const files = [fileOf('_resource', 'r1', 1), fileOf('_resource', 'r2', 2), fileOf('rows', 'd', 1)];
  assert.deepEqual(new CurrentRows(files).files, []);
  const noted = [...files, fileOf('_revision', 'v', 2)];
  assert.deepEqual(
    new CurrentRows(noted).files.map(({ path }) => path),
    ['v'],
  );
});
