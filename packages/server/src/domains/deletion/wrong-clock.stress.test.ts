import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { resetClock, setClock } from '../../../../../test/faults/set-clock.ts';
import { describeOnPostgres } from '../../../../../test/support/app.ts';
import { silent } from '../../../../../test/support/records.ts';
import type { Caller } from '../../access/caller.ts';
import { Audit } from '../audit/index.ts';
import { ProjectDeletion } from '../files/projects/index.ts';
import { AccountDeletion } from '../identity/accounts/index.ts';
import { Removals } from './index.ts';

const graceMs = 14 * 86_400_000;

describeOnPostgres('deletion by several machines with shared records', (app) => {
  afterEach(resetClock);

  /** Deletes an account and a project of it on another machine. */
  const elsewhere = async (account: string) => {
    const { records } = app.people;
    const { key, userId } = await app.people.owner(account);
    const made = await app.call('POST', '/v1/projects', { key, account, body: { name: 'Doomed' } });
    const removals = new Removals({ add: async () => '' });
    const deps = { records, audit: new Audit(records), removals, log: silent };
    const projects = new ProjectDeletion(deps, graceMs);
    const removeProjects = projects.removeWithAccount.bind(projects);
    const accounts = new AccountDeletion({ ...deps, removeProjects }, graceMs);
    const by = { caller: { userId, via: 'test' } as Caller, requestId: 'request' };
    const project = { id: made.body.id, account, name: 'Doomed', description: '' };
    const dateIn = async (table: 'accounts' | 'projects', id: string) => {
      const rows = records.read.selectFrom(table).select('deletion_at').where('id', '=', id);
      return (await rows.executeTakeFirst())?.deletion_at ?? undefined;
    };
    return {
      mark: async () => {
        await projects.delete(project, false, by);
        await accounts.delete(account, false, by);
      },
      removeDue: async () => {
        await projects.removeDue();
        await accounts.removeDue();
      },
      dates: async () => [await dateIn('projects', project.id), await dateIn('accounts', account)],
    };
  };

  test('a machine with a wrong clock removes nothing early', async () => {
    const { mark, removeDue, dates } = await elsewhere('wrong-clock');
    const before = Date.now();
    setClock(-2 * graceMs);
    await mark();
    resetClock();
    for (const date of await dates())
      assert.ok((date ?? 0) > before + graceMs - 60_000, 'its clock was behind');
    setClock(2 * graceMs);
    await removeDue();
    resetClock();
    assert.ok(
      (await dates()).every((date) => date !== undefined),
      'its clock was ahead',
    );
  });
});
