/** Names with a meaning in JavaScript are ordinary names, wherever a caller's text becomes the key of an object. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { readApiDocument } from '../support/api-document.ts';
import { describeOnPostgres, type Reply } from '../support/app.ts';

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'length',
];

interface Described {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema?: object; example?: unknown }> };
}

const { paths } = readApiDocument<{ paths: Record<string, Record<string, Described>> }>();
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({
    path,
    method: method === 'x-update' ? 'UPDATE' : method.toUpperCase(),
    parameters: (described.parameters ?? []).filter((one) => one.in === 'query'),
    example: described.requestBody?.content['application/json']?.example,
  })),
);
const withBody = operations.filter(({ example }) => example !== undefined);

/** Body as JSON text, in which a name replaces a text or is one more key of an object. Each place is used in turn, then all. */
function bodiesWith(example: unknown, name: string): string[] {
  const marked = '"\\u0000key"';
  const places = (value: unknown): number =>
    typeof value === 'string'
      ? 1
      : typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum, one) => sum + places(one), Array.isArray(value) ? 0 : 1)
        : 0;
  const count = places(example);
  const changed = (wanted: (place: number) => boolean): string => {
    let place = -1;
    const walk = (value: unknown): unknown => {
      if (typeof value === 'string') {
        place += 1;
        return wanted(place) ? name : value;
      }
      if (Array.isArray(value)) return value.map(walk);
      if (typeof value !== 'object' || value === null) return value;
      place += 1;
      const key = wanted(place) ? { '\u0000key': { polluted: true, status: 'polluted' } } : {};
      return { ...Object.fromEntries(Object.entries(value).map(([one, part]) => [one, walk(part)])), ...key };
    };
    return JSON.stringify(walk(example)).replaceAll(marked, JSON.stringify(name));
  };
  return [...Array.from({ length: count }, (_, at) => changed((place) => place === at)), changed(() => true)];
}

const shapeOfPrototypes = (): unknown =>
  [Object, Array, Function, String, Map, Promise].map((one) =>
    Reflect.ownKeys(one.prototype).map(String).sort(),
  );

describeOnPostgres(
  'names that mean something to the runtime',
  (app) => {
    const before_ = shapeOfPrototypes();
    let project = '';
    let failures: string[];
    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Names' } })).body.id;
      failures = [];
    });
    const note = (what: string, reply: Reply): void => {
      if (reply.status >= 500 && reply.status !== 503)
        failures.push(`${what}: ${reply.status} ${reply.text.slice(0, 200)}`);
    };
    const settled = (): void => {
      assert.deepEqual(failures, []);
      assert.deepEqual(shapeOfPrototypes(), before_);
      assert.equal(Reflect.get({}, 'polluted'), undefined);
      assert.equal(Reflect.get({}, 'status'), undefined);
    };
    const placed = (path: string, name: string): string =>
      path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(name));

    // asvs: 15.3.6
    test('names of prototypes in every body of every operation are refused, or are ordinary keys and texts', async () => {
      assert.ok(withBody.length > 40, `${withBody.length} operations`);
      for (const { path, method, example } of withBody) {
        for (const name of names) {
          for (const body of bodiesWith(example, name)) {
            const own = body.replaceAll('0192d3a1-5b7c-7e2a-9d40-6c1f2e3a4b5c', project);
            const target = placed(path, path.includes('projects/') ? project : name);
            note(`${method} ${target} ${own.slice(0, 300)}`, await app.call(method, target, { body: own }));
          }
        }
      }
      settled();
    });

    test('names of prototypes in paths, queries, headers, cookies and forms find nothing that is absent', async () => {
      for (const { path, method, parameters } of operations) {
        if (method === 'DELETE' || method === 'UPDATE') continue;
        for (const name of names) {
          const query = new URLSearchParams(parameters.map((one) => [one.name, name]));
          query.append(name, 'polluted');
          const headers = { 'service-account': name, cookie: `${name}=polluted; ploidy-session=${name}` };
          note(`${method} ${path} ${name}`, await app.call(method, `${placed(path, name)}?${query}`));
          note(`${method} ${path} as ${name}`, await app.call(method, placed(path, name), { headers }));
        }
      }
      for (const path of ['/v1/oauth/token', '/v1/oauth/sign-in', '/v1/oauth/authorize', '/v1/saml/acs'])
        for (const name of names) {
          const body = `${name}=polluted&${name}[polluted]=1&grant_type=${name}&client_id=${name}&SAMLResponse=${name}`;
          const headers = { 'content-type': 'application/x-www-form-urlencoded' };
          note(`form ${path} ${name}`, await app.call('POST', path, { key: undefined, body, headers }));
        }
      settled();
    });

    test('as properties and statements of a Trino session they are kept or refused', async () => {
      for (const name of names) {
        const headers = {
          'content-type': 'text/plain',
          'x-trino-user': name,
          'x-trino-catalog': name,
          'x-trino-schema': name,
          'x-trino-session': `${name}=polluted,query_max_run_time=1m`,
          'x-trino-prepared-statement': `${name}=SELECT+1`,
          'x-trino-extra-credential': `${name}=polluted`,
        };
        for (const sql of [`EXECUTE ${name}`, `SET SESSION ${name} = 'x'`, `SELECT 1 AS "${name}"`]) {
          const first = await app.call('POST', '/v1/statement', { body: sql, headers });
          note(sql, first);
          const next = first.body?.nextUri;
          if (next !== undefined)
            note(`${sql}, next`, await app.call('GET', next.slice(app.address.length), { headers }));
        }
      }
      settled();
    });
  },
  { PLOIDY_REQUESTS_PER_MINUTE: '1000000' },
);
