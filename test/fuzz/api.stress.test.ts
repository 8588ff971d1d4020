/** The short form of `npm run fuzz`: what the API document allows and much that it does not, asked of the whole service. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres } from '../support/app.ts';
import { Campaign, heldBytes, summary } from './campaign.ts';
import { operations, type Schema } from './document.ts';
import { patternExamples } from './examples.ts';
import { fuzzSettings } from './settings.ts';
import { FuzzWorld } from './world.ts';

const seed = 20260504;
const perOperation = 7;
/** Bytes that one more request may retain; a leak of whole requests or answers is many times larger. */
const perRequestMaxBytes = 12 * 1024;

test('the generator has a text for every pattern of the document', () => {
  const patterns = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { pattern } = value as Schema;
    if (typeof pattern === 'string') patterns.add(pattern);
    Object.values(value).forEach(collect);
  };
  collect(operations.map(({ parameters, requests }) => [parameters, requests]));
  const unknown = [...patterns].filter((one) => !patternExamples.some((text) => new RegExp(one).test(text)));
  assert.deepEqual(unknown, []);
});

describeOnPostgres(
  'a fuzzed service',
  (app) => {
    let campaign: Campaign;

    before(async () => {
      campaign = new Campaign(await FuzzWorld.open(app, 'fuzz'), seed);
    });

    // asvs: 2.2.1, 2.2.2, 4.1.1
    test('the service answers every request as its document states, without a failure, and keeps nothing of it', async (context) => {
      await campaign.send(operations.length * 3);
      const before = { held: heldBytes(), sent: campaign.sent };
      await campaign.send(operations.length * (perOperation - 3));
      const perRequest = (heldBytes() - before.held) / (campaign.sent - before.sent);
      campaign.close();
      assert.deepEqual(campaign.findings, [], summary(campaign.findings));
      assert.ok(perRequest < perRequestMaxBytes, `each request leaves ${Math.round(perRequest)} bytes`);
      const ready = await app.call('GET', '/readyz', { key: undefined, account: undefined });
      assert.equal(ready.status, 200, ready.text);
      const reached = `${campaign.reached} of ${operations.length} operations answered with success`;
      context.diagnostic(`fuzz: ${campaign.sent} requests, 0 findings, ${reached}, seed ${seed}`);
      assert.ok(campaign.reached > operations.length / 2, reached);
    });
  },
  fuzzSettings,
);
