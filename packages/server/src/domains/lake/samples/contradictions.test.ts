/** A comparison holds while no file arrives that names the same samples. */
import assert from 'node:assert/strict';
import type { Bounds } from '@ploidy/formats/tables';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { newId } from '../../../base/ids.ts';
import { addIntents } from '../../../platform/blobs/intents.ts';
import type { Records } from '../../../platform/records/index.ts';
import { type NewSegment, publishSegments } from '../catalogue/catalogue.ts';
import { Contradictions } from './contradictions.ts';

const samples = (...digests: string[]): Bounds => ({ id: { among: digests } });

const rowsOf = (bounds: Bounds | undefined, table = 'sequence'): NewSegment => ({
  ...{ table, rowCount: 1, genomeBuild: null, bounds },
  blob: { key: newId(), size: 1, sha256: '' },
});

/** Data that arrive between the comparison and the publication, and whether the comparison still holds. */
const later: Record<string, [rows: NewSegment, holds: boolean]> = {
  'other samples': [rowsOf(samples('b', 'c')), true],
  'rows of another table': [rowsOf(undefined, 'variant'), true],
  'the same sample': [rowsOf(samples('c', 'a')), false],
  'samples without a list': [rowsOf(undefined), false],
};

/** Publishes rows of a file. */
async function publish(records: Records, project: string, row: NewSegment, fileId = newId()): Promise<void> {
  await records.transact(async (tx) => {
    await addIntents(tx, [row.blob.key]);
    await publishSegments(tx, { project, fileId, ingestionId: newId(), segments: [row] });
  });
}

/** Compares the sample `a` of a file with what a project has. Returns whether that holds, when it is asked. */
async function compared(
  records: Records,
  project: string,
  fileId = newId(),
): Promise<() => Promise<boolean>> {
  const none = {} as never;
  const arriving = { project, fileId, segments: [rowsOf(samples('a'))] };
  const contradictions = new Contradictions({ records, blobs: none, engine: none }, arriving);
  await contradictions.compare();
  return () => records.transact((tx) => contradictions.isCurrent(tx));
}

testOnRecords(
  'a comparison of samples holds until a file arrives that may name one of them',
  async ({ open }) => {
    const records = await open();
    for (const [name, [rows, holds]] of Object.entries(later)) {
      const project = newId();
      await publish(records, project, rowsOf(samples('z')));
      const isCurrent = await compared(records, project);
      assert.equal(await isCurrent(), true);
      await publish(records, project, rows);
      assert.equal(await isCurrent(), holds, name);
    }
  },
);

testOnRecords(
  'a comparison of a file that replaces rows holds while the data are the same',
  async ({ open }) => {
    const records = await open();
    const [project, fileId] = [newId(), newId()];
    await publish(records, project, rowsOf(samples('b')), fileId);
    const isCurrent = await compared(records, project, fileId);
    assert.equal(await isCurrent(), true);
    await publish(records, project, rowsOf(samples('b')));
    assert.equal(await isCurrent(), false);
  },
);
