import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import type { TestApp } from '../support/app.ts';
import { makeAll } from './doors.ts';
import type { Given, Kept } from './kept.ts';
import { type Kind, kinds, patients, policyOf } from './readers.ts';
import type { Door } from './routes.ts';

/** Registers a test for each kind of reader: makes all that is kept, becomes each kind in turn, and asks for it again. */
export function matrixTests(app: TestApp, earlierKinds: readonly Kind[]): void {
  let project: TestProject;
  let target: string;

  before(async () => {
    project = await TestProject.make(app.call, 'Kept rows');
    await project.take('p.ndjson', fhirText('p', patients.length, 1));
    target = (await app.call('POST', '/v1/projects', { body: { name: 'Another' } })).body.id;
  });

  async function readerOf(kind: Kind) {
    const person = await app.people.member(app.account, []);
    const policy = await app.call('POST', '/v1/policies', {
      body: { name: `Of ${person.userId}`, policy: policyOf(kind, person.userId) },
    });
    assert.equal(policy.status, 200, policy.text);
    const theirs = project.as((method, path, options) =>
      app.call(method, path, { key: person.key, ...options }),
    );
    const become = async (later: Kind) => {
      const body = { policy: policyOf(later, person.userId) };
      const changed = await app.call('PUT', `/v1/policies/${policy.body.id}`, { body });
      assert.equal(changed.status, 200, changed.text);
    };
    const leave = async () => {
      const { items } = (await app.call('GET', '/v1/account/groups?name=Subjects')).body;
      const path = `/v1/account/groups/${items[0].id}/members/${person.userId}`;
      assert.equal((await app.call('DELETE', path)).status, 204);
    };
    const made = await makeAll({ app, project: theirs, target, person, before: kind });
    return { become, leave, made };
  }

  for (const earlier of earlierKinds) {
    test(`rows made as a reader of "${earlier}" are given to readers who see all of them now`, async () => {
      const { become, leave, made } = await readerOf(earlier);
      const wrong: string[] = [];
      let ids: string[] = [];
      // Its own kind is first, and again after all others.
      for (const later of [earlier, ...kinds.filter((kind) => kind !== earlier), earlier]) {
        await become(later);
        for (const [door, kept, { given, text }] of await askAll(made)) {
          if (door === 'file' && given && ids.length === 0) ids = firstColumn(text);
          if (given !== kept.isFor(later)) wrong.push(`${door}, now "${later}": given ${given}, ${text}`);
          const shown = given ? [] : ids.filter((id) => text.includes(`"${id}"`));
          if (shown.length > 0) wrong.push(`${door}, now "${later}": shows ${shown}`);
        }
      }
      await leave();
      for (const [door, , { given, text }] of await askAll(made.filter(({ door }) => door !== 'moved file')))
        if (given) wrong.push(`${door}, after leaving the account: ${text}`);
      assert.deepEqual(wrong, []);
      assert.ok(ids.length > 0, 'the result had rows');
    });
  }
}

async function askAll(made: { door: Door; kept: Kept }[]): Promise<[Door, Kept, Given][]> {
  const ask = async ({ door, kept }: { door: Door; kept: Kept }): Promise<[Door, Kept, Given]> => [
    door,
    kept,
    await kept.ask(),
  ];
  // A file that is being moved is asked for alone.
  const [moving, others] = [true, false].map((moves) =>
    made.filter(({ door }) => (door === 'moved file') === moves),
  ) as [typeof made, typeof made];
  const answers = await Promise.all(others.map(ask));
  return [...answers, ...(await Promise.all(moving.map(ask)))];
}

const firstColumn = (csv: string): string[] =>
  csv
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(',')[0] || []);
