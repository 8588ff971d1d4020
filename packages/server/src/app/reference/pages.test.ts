import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { runAdmin } from '../../admin/admin-command.ts';
import { readConfig } from '../../config/config.ts';
import { referenceNames } from './names.ts';

/** Runs `ploidy admin docs …` where no service was ever started. */
async function printed(...words: string[]): Promise<[code: number, out: string]> {
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  const config = readConfig({ PLOIDY_DATA_DIR: '/nowhere/ploidy' });
  const code = await runAdmin(config, ['docs', ...words], { stdout: { write }, stderr: { write } });
  return [code, out];
}

test('a page that does not exist is refused with the names of those that do', async () => {
  const [code, out] = await printed('nothing');
  assert.equal(code, 2);
  for (const name of referenceNames) assert.ok(out.includes(name), name);
});

test('a page as JSON is its Markdown under its name', async () => {
  const [, markdown] = await printed('errors');
  assert.deepEqual(JSON.parse((await printed('errors', '--json'))[1]), { errors: markdown });
});

describeApp('reference pages', (app) => {
  for (const name of referenceNames)
    test(`${name} is printed by the command as the service serves it`, async () => {
      const reply = await app.call('GET', `/docs/${name}`, { key: '' });
      assert.deepEqual(
        [reply.status, reply.headers.get('content-type')],
        [200, 'text/markdown; charset=utf-8'],
      );
      assert.match(reply.text, /^# \w/);
      assert.deepEqual(await printed(name), [0, reply.text]);
    });

  test('the API document names each page', async () => {
    const { description } = (await app.call('GET', '/docs/json')).body.info;
    for (const name of referenceNames) assert.ok(description.includes(`(/docs/${name})`), name);
  });
});

describeApp(
  'a service without documentation',
  (app) => {
    test('a reference page is 404', async () => {
      assert.equal((await app.call('GET', '/docs/tables')).status, 404);
    });
  },
  { PLOIDY_DOCS: 'false' },
);
