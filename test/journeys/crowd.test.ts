/** Fifty clients at once create, rename, delete, invite and accept, while others page through it all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyChain } from '../../packages/server/src/domains/audit/index.ts';
import { describeApp, type Reply } from '../support/app.ts';
import type { Person } from '../support/people.ts';

const clients = 50;
const each = Array.from({ length: clients }, (_, index) => index);

describeApp('fifty clients at once', (app) => {
  const call = (method: string, path: string, body?: object) =>
    app.call(method, path, body === undefined ? {} : { body });

  /** All items of a list, page by page. */
  const listed = async (path: string, size: number): Promise<{ id: string; name: string }[]> => {
    const items: { id: string; name: string }[] = [];
    let next: string | undefined = `${path}?pageSize=${size}`;
    while (next !== undefined) {
      const page: Reply = await call('GET', next);
      assert.equal(page.status, 200, page.text);
      items.push(...page.body.items);
      next = page.body.links.next;
    }
    return items;
  };

  const assertNamesOnce = (items: { name: string }[]): void => {
    const names = items.map(({ name }) => name.toLowerCase());
    assert.equal(new Set(names).size, names.length, 'a name is there twice');
  };

  test('exactly one of fifty clients gets a name, and acknowledged changes exist', async () => {
    const projects = await Promise.all(each.map(() => call('POST', '/v1/projects', { name: 'One name' })));
    const groups = await Promise.all(
      each.map(() => call('POST', '/v1/account/groups', { name: 'One name' })),
    );
    for (const replies of [projects, groups]) {
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      assert.equal(replies.filter(({ status }) => status === 409).length, clients - 1);
    }
  });

  test('names stay unique while all create, rename and delete, no rename is lost, and pages miss nothing that stays', async () => {
    const staying = await Promise.all(
      each.slice(0, 20).map((index) => call('POST', '/v1/projects', { name: `Stays ${index}` })),
    );
    const stays = staying.map(({ body }) => body.id as string);
    let working = true;
    const reading = (async () => {
      do {
        const seen = (await listed('/v1/projects', 7)).map(({ id }) => id);
        // One that is renamed meanwhile may be on both sides of a page's end; one that is not touched is there once.
        for (const id of stays)
          assert.equal(seen.filter((one) => one === id).length, 1, 'skipped or shown twice');
      } while (working);
    })();
    const kept = await Promise.all(each.map((index) => lifeOfProject(index)));
    working = false;
    await reading;
    const after = await listed('/v1/projects', 100);
    assertNamesOnce(after);
    for (const one of kept) assert.ok(after.some(({ id, name }) => one.id === id && one.name === name));
  });

  /** Makes a project, takes a name that others want too, and deletes it at once in one of three cases. */
  const lifeOfProject = async (index: number): Promise<{ id: string; name: string }> => {
    const made = await call('POST', '/v1/projects', { name: `Client ${index}` });
    assert.equal(made.status, 200, made.text);
    const { id } = made.body;
    const wanted = `Wanted ${index % 5}`;
    const renamed = await call('PATCH', `/v1/projects/${id}`, { name: wanted });
    assert.ok([200, 409].includes(renamed.status), renamed.text);
    const name = renamed.status === 200 ? wanted : `Client ${index}`;
    if (index % 3 !== 0) return { id, name };
    assert.equal((await call('DELETE', `/v1/projects/${id}?force=true`)).status, 204);
    assert.equal((await call('GET', `/v1/projects/${id}`)).status, 404);
    const again = await call('POST', '/v1/projects', { name: `Again ${index}` });
    assert.equal(again.status, 200, again.text);
    return { id: again.body.id, name: `Again ${index}` };
  };

  test('invited at once and accepting twice at once, everybody is a member exactly once', async () => {
    const guests = await Promise.all(each.map((index) => app.people.owner(`guest-${index}`)));
    const group = (await call('POST', '/v1/account/groups', { name: 'Guests' })).body.id;
    const invitations = await Promise.all(
      each.map((index) => call('POST', '/v1/invitations', { group, email: `owner@guest-${index}.test` })),
    );
    for (const { status, text } of invitations) assert.equal(status, 200, text);
    const accept = (guest: Person, id: string) =>
      app.call('PATCH', `/v1/invitations/${id}`, {
        key: guest.key,
        account: guest.account,
        body: { status: 'ACCEPTED' },
      });
    const answers = await Promise.all(
      guests.flatMap((guest, index) => {
        const id = invitations[index]?.body.id;
        return [accept(guest, id), accept(guest, id)];
      }),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, clients);
    assert.equal(answers.filter(({ status }) => status === 409).length, clients);
    const members = await listed(`/v1/account/groups/${group}/members`, 9);
    assert.deepEqual(members.map(({ id }) => id).sort(), guests.map(({ userId }) => userId).sort());
  });

  test('the audit log is whole after all that', async () => {
    const report = await verifyChain(app.people.records.read, app.account);
    assert.equal(report.brokenAt, undefined, JSON.stringify(report));
    assert.ok(report.events > clients * 4);
  });
});
