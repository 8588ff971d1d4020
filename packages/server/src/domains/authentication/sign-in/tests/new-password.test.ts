/** Change of a password during a sign-in with it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { hashPassword } from '../passwords/index.ts';
import { codeAt, stepAt } from '../second-factor/totp.ts';
import { FormBrowser, makePerson, password, type Shown, signInTo } from './form-browser.fixture.ts';

const enrolPath = '/v1/security/second-factor';

describeApp('a password changed during its use', (app) => {
  const email = 'evicted@example.test';
  let user = '';
  let other = '';
  before(async () => {
    user = await makePerson(app, email);
    other = await hashPassword('another password altogether');
  });
  const set = (password_hash: string) =>
    app.people.records.transact(async (tx) => {
      await tx.updateTable('users').set({ password_hash }).where('id', '=', user).execute();
      await tx
        .updateTable('sessions')
        .set({ ended_at: Date.now() })
        .where('user_id', '=', user)
        .where('ended_at', 'is', null)
        .execute();
    });
  const living = () =>
    app.people.records.read
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', user)
      .where('ended_at', 'is', null)
      .execute();
  /** Runs the work while all hashing slots are taken, and changes the password meanwhile. */
  const changedDuring = async (work: () => Promise<Shown>): Promise<Shown> => {
    await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
    const line = Array.from({ length: 40 }, () => hashPassword(password));
    const working = work();
    const attempts = () => app.people.records.read.selectFrom('sign_in_delays').select('id').execute();
    await until(async () => (await attempts()).length > 0, 'an attempt');
    await set(other);
    const [shown] = await Promise.all([working, ...line]);
    return shown;
  };

  test('the old password does not sign in after the change', async () => {
    const shown = await changedDuring(() => signInTo(new FormBrowser(app.address), email));
    assert.deepEqual(await living(), []);
    assert.equal(shown.status, 409, shown.text);
    assert.match(shown.text, /changed at the same time/);
    assert.equal(
      (await signInTo(new FormBrowser(app.address), email, 'another password altogether')).status,
      302,
    );
  });

  test('the old password does not enable the second step after the change', async () => {
    const browser = new FormBrowser(app.address);
    await set(await hashPassword(password));
    await signInTo(browser, email);
    const page = await browser.open(enrolPath);
    const secret = /<code>([A-Z2-7 ]{30,})<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    const code = codeAt(secret, stepAt(Date.now()));
    const shown = await changedDuring(() => browser.submit(page, enrolPath, { code, current: password }));
    assert.equal(shown.status, 409, shown.text);
    const rows = await app.people.records.read.selectFrom('second_factors').select('user_id').execute();
    assert.deepEqual(rows, []);
  });
});
