/** Addresses in answers are those of the service, whatever the headers of a request say. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { inParallel } from '../../packages/server/src/platform/concurrency/in-parallel.ts';
import { describeOnPostgres } from '../support/app.ts';
import type { Request } from './cases.ts';
import { asked } from './catalogue.ts';
import { type Household, householdSettings, openHousehold } from './world.ts';

const forgery = 'forged.example';
const forged = {
  ...{ host: forgery, 'x-forwarded-host': forgery, 'x-forwarded-server': forgery, 'x-host': forgery },
  ...{ 'x-forwarded-proto': 'https', 'x-forwarded-port': '444', 'x-original-host': forgery },
  forwarded: `host=${forgery};proto=https`,
};
/** Methods in the order in which they change least. */
const methods = ['GET', 'POST', 'PUT', 'UPDATE', 'PATCH', 'DELETE'];

describeOnPostgres(
  'addresses in answers',
  (app) => {
    let household: Household;
    before(async () => {
      household = await openHousehold(app, 'addressed');
    });

    /** Sends a request with forged hosts; answers headers and body as one text. */
    async function send(method: string, { path, body, headers }: Request, key?: string): Promise<string> {
      const sent = request(`${app.address}${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { authorization: key, 'service-account': household.ids.account }),
          ...headers,
          ...forged,
        },
      });
      sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return `${answer.rawHeaders.join('\n')}\n${await text(answer)}`;
    }

    test('no answer of any route names a host that the request made up', async (context) => {
      const own = new Set<string>();
      const wrong: string[] = [];
      for (const method of methods) {
        const routes = asked.filter(({ route }) => route.method === method);
        await inParallel(routes, 4, async ({ name, case: { ask, further = [] } }) => {
          for (const made of [ask, ...further])
            for (const key of [household.owner.key, undefined]) {
              const answer = await send(method, made(household.ids), key);
              if (answer.includes(forgery)) wrong.push(`${name}: ${answer.slice(0, 2000)}`);
              if (answer.includes(app.address)) own.add(name);
            }
        });
      }
      context.diagnostic(`routes whose answers hold addresses of the service: ${[...own].join(', ')}`);
      assert.deepEqual(wrong, []);
      for (const name of [
        'POST /v1/statement',
        'GET /iceberg/v1/namespaces/:namespace/tables/:table',
        'POST /v1/projects/:id/exports',
        'GET /:account/v1/htsget/reads/:id',
      ])
        assert.ok(own.has(name), `${name} answers addresses: ${[...own].join(', ')}`);
    });
  },
  householdSettings,
);
