import assert from 'node:assert/strict';
import type { Account } from '@ploidy/formats';

/** Throws where a column or key is counted in more records than there are. */
export function requireWithin({ records, ...lists }: Account): void {
  for (const [list, counted] of Object.entries(lists))
    for (const { name, count } of counted)
      assert.ok(count <= records || / others$/.test(name), `${list} ${name}: ${count} of ${records} records`);
}
