import type { Command } from 'commander';
import { openSession, printResult, projectOf } from '../session.ts';
import { openBrowser } from '../sign-in/browser-sign-in.ts';

export function addOpen(program: Command): void {
  program
    .command('open')
    .description('open the console in your browser, and print its address')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--no-browser', 'only print the address')
    .action(async (options: { project?: string; browser: boolean }, command: Command) => {
      const session = await openSession(command);
      const { origin } = session.client;
      const named = options.project ?? session.credentials.project;
      const project = named === undefined ? undefined : await projectOf(session, named);
      const address = project === undefined ? `${origin}/` : `${origin}/projects/${project.id}`;
      printResult(session, { address }, () => address);
      if (options.browser) openBrowser(address);
    });
}
