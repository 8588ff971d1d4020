/** Answers of every route about existing resources of another account. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres } from '../support/app.ts';
import { addressTests } from './addresses.ts';
import { crossingTests } from './crossing.ts';
import { hostileTests } from './hostile-requests.ts';
import { listTests } from './lists.ts';
import { memberTests } from './members.ts';
import { orderTests } from './order.ts';
import { outsiderTests } from './outsiders.ts';
import { Tally, type World } from './people.ts';
import { threeProjectTests } from './three-projects.ts';
import { householdSettings, openHousehold } from './world.ts';

describeOnPostgres(
  'isolation of accounts',
  (app) => {
    const world = { app, tally: new Tally() } as World;
    before(async () => {
      const [victim, stranger] = await Promise.all([
        openHousehold(app, 'victim'),
        openHousehold(app, 'stranger'),
      ]);
      Object.assign(world, { victim, stranger });
    });
    outsiderTests(world);
    memberTests(world);
    orderTests(world);
    listTests(world);
    addressTests(world);
    crossingTests(world);
    threeProjectTests(world);
    hostileTests(world);

    // asvs: 8.4.1
    test('no attempt against the other account revealed or changed anything', (context) => {
      const { tries, leaks } = world.tally;
      context.diagnostic(`isolation: ${tries} tries, ${leaks.length} leaks`);
      assert.ok(tries > 5000, `only ${tries} tries`);
      assert.deepEqual(leaks, []);
    });
  },
  householdSettings,
);
