import { join } from 'node:path';
import type { FirstRun } from '../../domains/authentication/setup/index.ts';

/**
 * Describes the first start. A terminal shows the key and the links; any other output may be a log that others
 * read, and names the file that has them.
 */
export function introductionOf(firstRun: FirstRun, isTerminal: boolean, dataFolder: string): string {
  const { baseUrl, account, user, apiKey, signInUrl, consoleUrl } = firstRun;
  const secrets = [
    `  API key   ${apiKey}`,
    `  password  ${signInUrl}`,
    `  console   ${consoleUrl} (signed in: works once, within an hour)`,
  ];
  const path = join(dataFolder, 'first-run.json');
  return [
    '',
    isTerminal
      ? 'Ploidy is set up. This is shown once; it is also in first-run.json in the data folder.'
      : 'Ploidy is set up.',
    `  address   ${baseUrl}`,
    `  account   ${account}`,
    `  user      ${user}`,
    ...(isTerminal ? secrets : [`  API key, password link and console link: ${path}`]),
    '',
    '',
  ].join('\n');
}
