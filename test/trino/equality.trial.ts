/** Both engines have the same rows for statements of proven operations, some of them within others. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { type Cluster, startCluster, trinoSkip } from './cluster.ts';
import { Engines } from './equality/engines.ts';
import { compareNested } from './equality/nested.ts';

const count = Number(process.env['PLOIDY_TEST_TRINO_STATEMENTS'] ?? 300);

describe('one answer from both engines', { skip: trinoSkip }, () => {
  let cluster: Cluster;
  let engines: Engines;

  before(async () => {
    const port = await freePort();
    cluster = await startCluster({ port, nodes: 1, catalog: ['connector.name=memory'] });
    engines = await Engines.open(port);
  });

  after(async () => {
    engines?.close();
    await cluster?.stop();
  });

  test('random statements of proven operations have the same bytes', async (t) => {
    const { different, stayed, ...counts } = await compareNested(engines, count, 1);
    t.diagnostic(`${JSON.stringify(counts)}, stayed: ${JSON.stringify([...stayed])}`);
    assert.deepEqual(different, []);
    assert.ok(counts.compared >= count / 4, `${counts.compared} compared`);
  });
});
