/** Places of commands, comparisons, jobs, settings and codes of errors. */
import { test } from 'node:test';
import { examples } from '../../packages/cli/src/examples.ts';
import { commandLine, everyCommand, pathOf } from '../../packages/cli/src/main.ts';
import { operators } from '../../packages/policy/src/index.ts';
import { type ErrorEntry, errorAreas } from '../../packages/server/src/base/error-codes/index.ts';
import { settings } from '../../packages/server/src/config/config.ts';
import { jobKinds } from '../../packages/server/src/platform/jobs/kinds.ts';
import { assertNoneMissing, textOf, textsOf } from './missing.ts';

test('every command of the client has a line in docs/cli.md, an example in its help, and a test', () => {
  const paths = everyCommand(commandLine()).map(pathOf);
  const tests = [
    ...textsOf('packages/cli/src/**/*.test.ts', true).values(),
    ...textsOf('test/journeys/*.test.ts', true).values(),
  ];
  const documented = textOf('docs/cli.md');
  /** Reports whether a test has the words of a command as arguments of a run, or as the first in a list. */
  const isRun = (path: string): boolean => {
    const words = path.split(' ').map((word) => `'${word}'`);
    const before = words.length > 1 ? '[([]' : '\\b(?:run|json|start)\\(\\[?';
    return tests.some((text) => new RegExp(`${before}\\s*${words.join(',\\s*')}`).test(text));
  };
  const isShown = (path: string): boolean => {
    const lines = examples[path] ?? [];
    return lines.length > 0 && lines.every((line) => line.includes(`ploidy ${path}`));
  };
  assertNoneMissing([
    ...paths
      .filter((path) => !new RegExp(`\`${path.split(' ')[0]}\\b`).test(documented))
      .map((path) => `ploidy ${path} has no line: add it to docs/cli.md`),
    ...paths
      .filter((path) => !isShown(path))
      .map((path) => `ploidy ${path} has no example: add it to packages/cli/src/examples.ts`),
    ...Object.keys(examples)
      .filter((path) => !paths.includes(path))
      .map((path) => `ploidy ${path} is no command: remove it from packages/cli/src/examples.ts`),
    ...paths
      .filter((path) => !isRun(path))
      .map((path) => `ploidy ${path} is run by no test: add one to a file of test/journeys/cli*.test.ts`),
  ]);
});

test('every comparison of policies is documented', () => {
  const pages = [...textsOf('docs/**/*.md').values(), textOf('packages/policy/src/index.ts')];
  assertNoneMissing(
    operators
      .filter((operator) => !pages.some((text) => text.includes(`\`${operator}\``)))
      .map((operator) => `${operator} is described nowhere: add it to packages/policy/src/index.ts`),
  );
});

test('every kind of job is added and has a handler', () => {
  const sources = [...textsOf('packages/server/src/domains/**/*.ts').values()];
  assertNoneMissing(
    Object.keys(jobKinds).flatMap((kind) => {
      const constant = sources
        .map((text) => new RegExp(`const (\\w+)(?:: JobKind)? = '${kind}'`).exec(text)?.[1])
        .find((name) => name !== undefined);
      if (constant === undefined)
        return [`${kind} is used nowhere: remove it from packages/server/src/platform/jobs/kinds.ts`];
      const uses = sources.flatMap((text) => [
        ...text.matchAll(new RegExp(`\\bkind(?:: ${constant})?\\b`, 'g')),
      ]);
      return uses.filter(([use]) => constant === 'kind' || use.includes(':')).length >= 2
        ? []
        : [
            `${kind} is not both added and handled where ${constant} is declared: add its handler, and jobs.handle in packages/server/src/app/open-*.ts`,
          ];
    }),
  );
});

test('every setting is read by the service', () => {
  const sources = [...textsOf('packages/server/src/**/*.ts')]
    .filter(([path]) => path !== 'packages/server/src/config/config.ts')
    .map(([, text]) => text);
  const own = textOf('packages/server/src/config/config.ts');
  const isRead = (name: string): boolean =>
    sources.some((text) => new RegExp(`\\b${name}\\b(?! = |:)`).test(text)) ||
    [...own.matchAll(new RegExp(`\\b${name}\\b(?!:)`, 'g'))].length > 0;
  assertNoneMissing(
    Object.keys(settings)
      .filter((name) => !isRead(name))
      .map(
        (name) =>
          `${name} of packages/server/src/config/ is read nowhere: take its value in packages/server/src/app/`,
      ),
  );
});

test('every code of an error is given where it belongs', () => {
  const codes = Object.values<Record<string, ErrorEntry>>(errorAreas).flatMap((area) => Object.keys(area));
  const sources = [...textsOf('packages/server/src/**/*.ts')]
    .filter(([path]) => !path.includes('/error-codes/'))
    .map(([, text]) => text)
    .join('\n');
  assertNoneMissing(
    codes
      .filter(
        (code) =>
          !sources.includes(`'${code}'`) &&
          !/^(?:QUERY|INGESTION|\w+)_(?:DISK|MEMORY|RESULT_SIZE|TIME|SQL)$/.test(code),
      )
      .map(
        (code) =>
          `${code} is thrown nowhere: throw it, or remove it from packages/server/src/base/error-codes/`,
      ),
  );
});
