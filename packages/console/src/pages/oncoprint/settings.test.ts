import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGenes, readSettings, writeGenes, writeSettings } from './settings.ts';

test('genes and merged rows are read as people write them, and written back', () => {
  const lines = readGenes('BRAF, TP53;TP53\n["RAS" KRAS NRAS KRAS] [""] HLA-A');
  assert.deepEqual(lines, ['BRAF', 'TP53', { name: 'RAS', genes: ['KRAS', 'NRAS'] }, 'HLA-A']);
  assert.deepEqual(readGenes(writeGenes(lines)), lines);
  assert.deepEqual(readGenes('[ "" A B ]'), [{ name: 'A/B', genes: ['A', 'B'] }]);
});

test('settings survive the address', () => {
  const settings = readSettings({
    ...{ unit: 'patient', genes: 'BRAF', tracks: '["a",["b","c"]]', heat: 'MTOR', lead: '[["a","down"]]' },
    ...{
      by: 'cluster',
      gap: 'a',
      hide: 'unaltered map',
      wide: '3.5',
      tall: '30',
      palette: 'distinct',
      ids: 'x y\nz',
    },
  });
  assert.deepEqual(settings.tracks, [['a'], ['b', 'c']]);
  assert.deepEqual(settings.lead, [{ attribute: 'a', descending: true }]);
  assert.deepEqual(settings.ids, ['x y', 'z']);
  assert.deepEqual(readSettings(writeSettings(settings)), settings);
  const first = readSettings({});
  assert.deepEqual(readSettings(writeSettings(first)), first);
});

test('an address that was cut off or is hostile has the first settings', () => {
  const broken = readSettings({ tracks: '[["a"', lead: '{"a":1}', wide: 'NaN', tall: '1e9', by: '<script>' });
  assert.deepEqual({ ...broken, tall: 0 }, { ...readSettings({}), tall: 0 });
  assert.equal(broken.tall, 40);
});
