/** Places that every route has beside its own file. */
import { test } from 'node:test';
import { operations } from '../../packages/server/src/access/operations.ts';
import { pathsOf } from '../../packages/server/src/api/route.ts';
import { operationName } from '../../packages/server/src/http/contract/operation-names.ts';
import { cases } from '../isolation/cases.ts';
import { addresses } from '../isolation/catalogue.ts';
import { classified, mayHoldRows } from '../kept-rows/routes.ts';
import { assertNoneMissing } from './missing.ts';

const main = addresses.filter(({ name, route }) => name === `${route.method} ${pathsOf(route)[0]}`);
const names = new Set(addresses.map(({ name }) => name));

// asvs: 8.2.1, 8.2.2, 8.3.1
test('every route has a case of isolation, and every case a route', () => {
  assertNoneMissing([
    ...[...names]
      .filter((name) => !Object.hasOwn(cases, name))
      .map((name) => `${name} has no case of isolation: add it to a file of test/isolation/cases-*.ts`),
    ...Object.keys(cases)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is no route: remove its case from test/isolation/cases-*.ts`),
  ]);
});

test('every route has a name in the API document', () => {
  const unnamed = main.filter(({ route }) => operationName(route) === undefined);
  assertNoneMissing(
    unnamed.map(
      ({ name }) => `${name} has no name: add it to packages/server/src/http/contract/operation-names.ts`,
    ),
  );
});

test('every route whose answer may hold rows of the lake is classified', () => {
  const held = new Set(main.filter(({ route }) => mayHoldRows(route)).map(({ name }) => name));
  const known = new Set<string>(classified);
  assertNoneMissing([
    ...[...held]
      .filter((name) => !known.has(name))
      .map((name) => `${name} may answer with kept rows: add it to a list of test/kept-rows/routes.ts`),
    ...[...known]
      .filter((name) => !held.has(name))
      .map((name) => `${name} answers with no kept rows: remove it from test/kept-rows/routes.ts`),
  ]);
});

test('every route declares its operation, the shape of its input and of its answers', () => {
  assertNoneMissing(
    addresses.flatMap(({ name, route }) => {
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
      return wrong.map(
        (what) => `${name}: ${what}; complete the route in its file under packages/server/src`,
      );
    }),
  );
});
