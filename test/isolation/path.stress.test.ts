/** Every route of a service with a path on its host: what its answers refer to is below the path, and is there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { openPathProxy, publicPath } from '../support/path-proxy.ts';
import { type Asked, addresses, asked } from './catalogue.ts';
import { doors } from './doors.ts';
import { type Household, householdSettings, openHousehold } from './world.ts';

const proxy = await openPathProxy();
const patterns = addresses.map(
  ({ name }) =>
    new RegExp(
      `^${name.slice(name.indexOf('/')).replace(/[.$]/g, '\\$&').replace(/:\w+/g, '[^/]+')}(?:\\?|$)`,
    ),
);

/** Finds the strings of a value. */
function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) yield* stringsIn(part);
}

/** Text with every encoded address in the open. */
const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

/** Returns the references of an answer: whole addresses of this host, and paths from its root. */
async function referencesOf(answer: Response): Promise<{ whole: string[]; fromRoot: string[] }> {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const text = await answer.text();
  const type = answer.headers.get('content-type') ?? '';
  const whole = [...decoded(`${headers}\n${text}`).matchAll(/https?:\/\/127\.0\.0\.1:\d+[^\s"'`<>\\,;)]*/g)]
    .map(([found]) => found)
    .filter((found) => !found.startsWith('https://127.0.0.1:9/'));
  const named = ['location', 'content-location'].map((name) => answer.headers.get(name) ?? '');
  const attributes = type.startsWith('text/html')
    ? [...text.matchAll(/\s(?:href|action|src)="(\/[^"]*)"/g)].map(([, found = '']) => found)
    : [];
  const inJson = /json/.test(type) && text.startsWith('{') ? [...stringsIn(JSON.parse(text))] : [];
  const isRoute = (text: string) => patterns.some((pattern) => pattern.test(text.replace(publicPath, '')));
  const fromRoot = [...named, ...attributes, ...inJson.filter(isRoute)].filter((one) => one.startsWith('/'));
  return { whole, fromRoot };
}

describeOnSqlite(
  'routes of a service with a path on its host',
  (app) => {
    let owner: Household;
    /** References of all answers, with the route that made them. */
    const found = new Map<string, string>();
    before(async () => {
      proxy.leadTo(app);
      owner = await openHousehold(app, 'owner');
    });
    after(() => proxy.stop());

    const send = (path: string, options: RequestInit = {}) => {
      const headers = { authorization: owner.owner.key, 'service-account': 'owner', ...options.headers };
      return fetch(`${app.address}${path}`, { redirect: 'manual', ...options, headers });
    };
    async function look({ route, name, case: { ask } }: Asked): Promise<string[]> {
      const { path, body, headers } = ask(owner.ids);
      const answer = await send(path, {
        method: route.method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const { whole, fromRoot } = await referencesOf(answer);
      for (const one of [...whole, ...fromRoot.map((place) => `${proxy.origin}${place}`)])
        found.set(one, name);
      const cookies = answer.headers.getSetCookie().filter((one) => !one.includes(`; Path=${publicPath};`));
      const outside = fromRoot.filter((one) => !`${one}/`.startsWith(`${publicPath}/`));
      return [
        ...whole.filter((one) => !`${one}/`.startsWith(`${proxy.address}/`)),
        ...outside,
        ...cookies,
      ].map((wrong) => `${name}: ${wrong}`);
    }

    test('references of what is read are below the path, and open something', async (context) => {
      const wrong: string[] = [];
      for (const one of asked.filter(({ route }) => route.method === 'GET')) wrong.push(...(await look(one)));
      // The issuer of tokens is a name.
      found.delete(`${proxy.address}/v1`);
      for (const [address, name] of found) {
        const { status } = await send(address.slice(app.address.length));
        if (status === 404) wrong.push(`${name}: ${address} is not there`);
      }
      assert.deepEqual(wrong, []);
      context.diagnostic(`${found.size} references`);
      assert.ok(found.size > 50, `only ${found.size}`);
    });

    test('references of answers to changes are below the path', async () => {
      const wrong: string[] = [];
      // Removed things refer to nothing more.
      const changing = asked.filter(({ route }) => route.method !== 'GET' && route.method !== 'DELETE');
      for (const one of changing) wrong.push(...(await look(one)));
      assert.deepEqual(wrong, []);
    });

    for (const removesPath of [false, true])
      test(`signed addresses open through a proxy that ${removesPath ? 'removes the path' : 'passes the path on'}`, async () => {
        proxy.removesPath = removesPath;
        const { ids, call } = owner;
        const { userId } = owner.owner;
        for (const [name, door] of Object.entries(doors)) {
          const use = await door.ask({ userId, call }, { ...ids }, (url) => url);
          assert.equal(await use?.(), 200, name);
        }
      });

    test('no request went to the other site of the host', () => assert.deepEqual(proxy.strays, []));
  },
  { ...householdSettings, PLOIDY_PUBLIC_URL: proxy.address },
);
