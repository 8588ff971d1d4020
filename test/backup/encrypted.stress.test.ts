import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { describeApp } from '../support/app.ts';
import { adminHere, assertWhole, emptyPlace, newFolder } from './operator.ts';

describeApp('a backup that the operator encrypts', (app) => {
  test('an encrypted backup is restored after decryption, and refused where a byte of it was changed', async (context) => {
    const project = await TestProject.make(app.call, 'Encrypted');
    await project.take('list.csv', 'patient_id,volume\np-1,1.5\n', {
      type: 'table',
      table: { name: 'biobank' },
    });
    const folder = newFolder(context);
    const made = await adminHere(app.settings, 'backup', folder);
    assert.equal(made.code, 0, made.err);
    const [archive, password] = ['archive', 'password'].map((name) => join(dirname(folder), name)) as [
      string,
      string,
    ];
    writeFileSync(password, 'of the operator', { mode: 0o600 });
    const cipher = `-aes-256-ctr -pbkdf2 -pass file:${password}`;
    const shell = (line: string) => execFileSync('bash', ['-o', 'pipefail', '-c', line], { stdio: 'pipe' });
    shell(`tar -C ${folder} -c . | openssl enc ${cipher} -out ${archive}`);
    const sealed = readFileSync(archive);
    assert.ok(!sealed.includes('biobank') && !sealed.includes('manifest.json'));
    const key = join(app.folder, 'secrets', 'master.key');

    const restoreFrom = async (bytes: Buffer) => {
      const decrypted = newFolder(context);
      mkdirSync(decrypted);
      const copy = `${decrypted}.archive`;
      writeFileSync(copy, bytes);
      shell(`openssl enc -d ${cipher} -in ${copy} | tar -C ${decrypted} -x`);
      const place = await emptyPlace(context, app.people.records.dialect);
      return { place, ...(await adminHere(place, 'restore', decrypted, '--key', key)) };
    };
    const whole = await restoreFrom(sealed);
    assert.equal(whole.code, 0, whole.err);
    await assertWhole(whole.place);

    // In this mode one changed byte changes one byte of the content and nothing else: here one of the records.
    const listed = shell(`tar -C ${folder} -c . | tar -tRf - | grep accounts.ndjson.gz`).toString();
    const block = Number(/block (\d+):/.exec(listed)?.[1]);
    const changed = Buffer.from(sealed);
    const at = 16 + (block + 1) * 512 + 20;
    changed[at] = (changed[at] ?? 0) ^ 1;
    const altered = await restoreFrom(changed);
    assert.notEqual(altered.code, 0);
    assert.match(altered.err, /accounts\.ndjson\.gz/);
  });
});
