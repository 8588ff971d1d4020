import assert from 'node:assert/strict';
import { afterEach, before, mock, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import type { TestApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { doors, type Holder, type Things, type Use } from './doors.ts';
import { byToken, endings, keyOf, readerOf } from './endings.ts';
import { openGenomics } from './world.ts';

/** Waits until a use is refused, or requires that it is refused already. */
type Refused = (use: Use, name: string) => Promise<void>;

/** Asks the process at which the credential ended. */
export const refusedAtOnce = {
  at: (url: string): string => url,
  refused: async (use: Use, name: string): Promise<void> => assert.equal(await use(), 403, name),
};

/**
 * Tests ways in which a credential ends, by default every one, against everything that it was given. `at` moves an address to the
 * process that is to be asked.
 */
export function endedCredentialTests(
  app: TestApp,
  { at, refused }: { at: (url: string) => string; refused: Refused },
  ways: readonly string[] = Object.keys(endings),
): void {
  let things: Things;

  before(async () => {
    const project = await TestProject.make(app.call, 'Handed out');
    await project.take('people.ndjson', JSON.stringify({ resourceType: 'Patient', id: 'one' }));
    const { id } = project;
    const genomics = await openGenomics(app.call, { account: app.account, project: id, mark: 'handed-out' });
    const file = await app.put(id, 'handed-out.txt', 'bytes');
    things = { account: app.account, project: id, file, ...genomics };
  });
  afterEach(() => mock.restoreAll());

  /** Asks for an address at every door, and uses it. */
  async function used(holder: Holder): Promise<[route: string, use: Use][]> {
    const uses: [string, Use][] = [];
    for (const [route, door] of Object.entries(doors)) {
      const use = await door.ask(holder, things, at);
      if (use) uses.push([route, use]);
    }
    for (const [route, use] of uses) assert.equal(await use(), 200, route);
    return uses;
  }

  for (const [name, begin] of Object.entries(endings).filter(([name]) => ways.includes(name)))
    test(`${name} leaves none of its addresses and grants open`, async () => {
      const { holder, end, keepsPicture } = await begin(app);
      const uses = await used(holder);
      await end();
      for (const [route, use] of uses)
        if (keepsPicture && route.endsWith('/picture')) assert.equal(await use(), 200, route);
        else await refused(use, route);
    });

  test('work that was accepted goes on after the end of the key that asked for it', async () => {
    const { call, end } = await keyOf(app);
    const body = { datasetId: things.project, query: 'SELECT * FROM patient', outputFileName: 'goes-on.csv' };
    const { queryId } = (await call('POST', '/v1/analytics/data-lake/query', { body })).body;
    await end();
    const state = async () => (await app.call('GET', `/v1/analytics/data-lake/query/${queryId}`)).body.state;
    await until(async () => (await state()) === 'succeeded', 'the query ends');
  });

  test('addresses and grants outlive the tokens of their consent', async () => {
    const { flow, tokens, holder } = await byToken(app, await readerOf(app));
    const uses = await used(holder);
    assert.equal((await flow.refresh(tokens.refresh_token)).status, 200);
    for (const [route, use] of uses) assert.equal(await use(), 200, route);
  });
}
