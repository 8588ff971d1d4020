import type { Command } from 'commander';
import { profileNames, readStored } from '../config.ts';
import { printList, wantsJson } from '../session.ts';

export function addProfiles(program: Command): void {
  const profiles = program
    .command('profiles')
    .description('stored sign-ins, chosen with --profile or PLOIDY_PROFILE');
  profiles
    .command('ls')
    .description('list the stored sign-ins')
    .action((_options: object, command: Command) => {
      const items = profileNames().map((name) => ({ name, ...readStored(name) }));
      // Keys and tokens stay in the file.
      const shown = items.map(({ name, address = '', account = '' }) => ({ name, address, account }));
      printList({ json: wantsJson(command) }, shown, ['profile', 'address', 'account'], (one) => [
        one.name,
        one.address,
        one.account,
      ]);
    });
}
