/** Projects as schemas of the catalogue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../../access/caller.ts';
import type { Records } from '../../../platform/records/records.ts';
import { schemasOf } from './schemas.ts';

/** Returns records that hold nothing but these projects. */
function recordsWith(names: readonly string[]): Records {
  const rows = names.map((name, index) => ({
    ...{ id: `project-${index}`, name, description: '', account_id: 'main', created_at: index },
  }));
  const query: Record<string, () => unknown> = {
    select: () => query,
    where: () => query,
    execute: async () => rows,
  };
  return { read: { selectFrom: () => query } } as unknown as Records;
}

/** Returns a caller of one account; `rows` decides about the rows of each project. */
function callerWith(rows: (operation: string) => boolean): Caller {
  return { accounts: new Map([['main', {}]]), onlyAccount: undefined, rows } as unknown as Caller;
}

test('other requests have their turns between the projects of a caller, whose rules may be many', async () => {
  let turns = 0;
  let next: NodeJS.Immediate | undefined;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  count();
  const seen: number[] = [];
  const caller = callerWith(() => seen.push(turns) > 0);
  const schemas = await schemasOf({ records: recordsWith(['A', 'B', 'C', 'D']), countsMin: 0 }, caller);
  clearImmediate(next);
  assert.deepEqual(
    schemas.map(({ name }) => name),
    ['a', 'b', 'c', 'd'],
  );
  assert.equal(new Set(seen).size, schemas.length);
});

test('a project without rows for the caller has no schema, and takes the plain name from younger ones', async () => {
  const asked: string[] = [];
  // Each project is asked about real rows, and about masked ones without them.
  const caller = callerWith((operation) => asked.push(operation) > 2);
  const records = recordsWith(['Same name', 'Same name']);
  const schemas = await schemasOf({ records, countsMin: 0 }, caller);
  assert.deepEqual(
    schemas.map(({ name, project }) => [name, project.id]),
    [['same_name_ject-1', 'project-1']],
  );
});
