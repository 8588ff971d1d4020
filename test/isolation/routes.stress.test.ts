/** Answers of every route about existing resources of another account. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { operations } from '../../packages/server/src/access/operations.ts';
import { describeApp } from '../support/app.ts';
import { addressTests } from './addresses.ts';
import { cases } from './cases.ts';
import { addresses } from './catalogue.ts';
import { crossingTests } from './crossing.ts';
import { hostileTests } from './hostile-requests.ts';
import { listTests } from './lists.ts';
import { memberTests } from './members.ts';
import { orderTests } from './order.ts';
import { outsiderTests } from './outsiders.ts';
import { Tally, type World } from './people.ts';
import { threeProjectTests } from './three-projects.ts';
import { householdSettings, openHousehold } from './world.ts';

// asvs: 8.2.1, 8.2.2, 8.3.1
test('every route of the catalogue has a case here, and every case a route', () => {
  assert.deepEqual(Object.keys(cases).sort(), addresses.map(({ name }) => name).sort());
});

test('every route declares its operation, the shape of its input and of its answers', () => {
  const found = addresses.flatMap(({ name, route }) => {
    const wrong: string[] = [];
    if (!Object.hasOwn(operations, route.operation)) wrong.push('no operation');
    const named = (route.path.match(/:\w+/g) ?? []).map((part) => part.slice(1));
    const declared = Object.keys(Reflect.get(route.params ?? {}, 'properties') ?? {});
    if (named.join() !== declared.join()) wrong.push('parameters of the path without a shape');
    const sends = ['POST', 'PUT', 'PATCH', 'UPDATE'].includes(route.method) && !cases[name]?.bodiless;
    const shape = route.body ?? (route.formBody && route.described?.body);
    if (sends && !route.streamsBody && !shape) wrong.push('body without a shape');
    const answers = Object.entries(route.answers);
    if (!answers.some(([status]) => status.startsWith('2'))) wrong.push('no success');
    for (const [status, { schema, contentType }] of answers) {
      const empty = ['204', '206', '302', '304'].includes(status);
      if (!empty && !schema && !contentType) wrong.push(`${status} without a shape`);
    }
    return wrong.map((what) => `${name}: ${what}`);
  });
  assert.deepEqual(found, []);
});

describeApp(
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
