/** Figures of the documents are those of the source: each text below is made from its constant, and is in its document. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineDefaults } from '../../packages/engine/src/settings.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { tuning } from '../../packages/server/src/config/tuning.ts';

const root = join(import.meta.dirname, '../..');
const config = readConfig({});
const [megabyte, mebibyte] = [1e6, 2 ** 20];
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** Value of `const name = …` in a file of the server: products and powers of numbers. */
function constant(path: string, name: string): number {
  const source = readFileSync(join(root, 'packages/server/src', path), 'utf8');
  const [, product = ''] = new RegExp(`^(?:export )?const ${name} = ([\\d_ *]+);`, 'm').exec(source) ?? [];
  assert.notEqual(product, '', `${path} has no constant ${name}`);
  return product
    .replaceAll('_', '')
    .split(/ \* (?!\*)/)
    .reduce((result, factor) => {
      const [base = 0, exponent = 1] = factor.split(' ** ').map(Number);
      return result * base ** exponent;
    }, 1);
}

const { ingestionShortBytes: short, ingestionSmallBytes: small, requestsMax } = tuning;
const spoken = (count: number): string =>
  ['no', 'once', 'twice', 'three times', 'four times', 'five times'][count] ?? '';

/** Texts by document. */
const figures: Record<string, string[]> = {
  'SECURITY.md': [
    `at most 365 days, ${constant('domains/authentication/keys/keys.ts', 'keysMax')} a user and account`,
    `${constant('domains/authentication/sign-in/passwords/rules.ts', 'passwordLengthMin')} characters, none of the commonest`,
    `${constant('http/access/refusals.ts', 'writtenMax')} refusals a minute of a caller and account`,
    `sessions end after ${config.sessionIdleMs / hour} idle hours and ${config.sessionLifeMs / day} days`,
  ],
  'docs/analytics.md': [
    `${engineDefaults.answer.runTimeMaxMs / second} seconds`,
    `first ${constant('domains/analysis/study/attributes.ts', 'ownMax')} columns`,
    `up to ${constant('domains/analysis/study/query-shapes.ts', 'groupsMax')} filters`,
    `2 to ${constant('domains/analysis/study/query-shapes.ts', 'groupsMax')} \`groups\``,
    `up to ${constant('domains/analysis/study/points.ts', 'pointsMax').toLocaleString('en')} subjects`,
  ],
  'docs/data-flow.md': [
    `every ${constant('app/maintenance/chores.ts', 'watchEveryMs') / second} s`,
    `The first ${constant('../../converters/src/recognise.ts', 'headBytes') / 1024} KiB`,
  ],
  'docs/operate/backup.md': [
    `For ${constant('admin/backup/after-restore.ts', 'sharedMs') / day} days the restored service removes no bytes`,
  ],
  'docs/operate/ehr.md': [
    `${tuning.ehrAttemptsMax} attempts a request, ${constant('domains/ehrs/sync/pull.ts', 'pageBytesMax') / mebibyte} MiB a page`,
    `up to ${constant('config/ehrs.ts', 'waitAskedMaxMs') / minute} minutes`,
  ],
  'docs/operate/first-run.md': [
    `requests finish within ${tuning.shutdownMs / second} s`,
    `the password link once, within ${constant('domains/authentication/setup/first-run.ts', 'signInLifeMs') / day} days`,
  ],
  'docs/operate/limits.md': [
    `one below ${short / megabyte} MB, one below ${small / megabyte} MB`,
    `${tuning.compactionRowsMax / 1e6} million rows`,
    `${tuning.bodyMaxBytes / mebibyte} MiB of JSON`,
    `at least twice that + ${constant('http/connection/connection-limit.ts', 'ownFilesMax')}`,
    `${tuning.overloadDelayMs} ms a tick`,
    `at least ${constant('http/connection/load-shedding.ts', 'requestsPerTickMin')}, starts no more`,
    `${requestsMax} at once`,
    `${constant('../../engine/src/guard/guard.ts', 'waitingMax')} of a caller`,
    `Signed-in callers have ${0.65 * requestsMax}, browsers at the sign-in ${0.1 * requestsMax}, all others ${0.25 * requestsMax} of them`,
    `${requestsMax / 10} of a user; without credentials 5 of an address, ${constant('http/connection/waits.ts', 'anonymousMax')} in all`,
  ],
  'docs/operate/mail.md': [
    `doubled intervals up to ${constant('domains/authentication/invitations/retry-schedule.ts', 'delayMaxMs') / hour} hours, for ${tuning.mailGiveUpMs / day} days`,
  ],
  'docs/operate/monitoring.md': [
    `answer within ${constant('http/readiness.ts', 'readyTimeoutMs') / second} s`,
  ],
  'docs/operate/postgresql.md': [`The pool needs ${tuning.databasePoolSize + 1} connections a process`],
  'docs/operate/troubleshooting.md': [
    `of a query was lost ${spoken(constant('domains/queries/queries.ts', 'attemptsMax'))}, of an ingestion ${spoken(constant('domains/ingestion/ingestions.ts', 'attemptsMax'))}, or the service's ${spoken(constant('platform/jobs/rows.ts', 'lostMax'))}`,
    `parts stay for ${tuning.uploadLifeMs / day} days`,
  ],
};

for (const [path, texts] of Object.entries(figures))
  test(`${path} has the figures of the source`, () => {
    const document = readFileSync(join(root, path), 'utf8').replaceAll(/\s+/g, ' ');
    assert.deepEqual(
      texts.filter((text) => !document.includes(text)),
      [],
    );
  });
