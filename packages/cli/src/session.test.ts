import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedAs } from './session.ts';

test('a name is found without regard to case, and whether its letters are written whole or taken apart', async () => {
  const items = [{ name: 'caf' }, { name: 'Caf\u00e9' }, { name: 'cafes' }];
  const paged = async function* () {
    yield* items;
  };
  for (const named of ['caf\u00e9', 'CAFE\u0301', 'cafe\u0301']) {
    assert.equal((await namedAs(items, named))?.name, 'Caf\u00e9');
    assert.equal((await namedAs(paged(), named))?.name, 'Caf\u00e9');
  }
  assert.equal((await namedAs([{ name: 'Cafe\u0301' }], 'caf\u00e9'))?.name, 'Cafe\u0301');
  assert.equal(await namedAs(items, 'cafe'), undefined);
});
