import type { Command } from 'commander';
import { openSession, projectOf } from '../session.ts';
import { documentText } from '../visible.ts';

export function addPhenopacket(program: Command): void {
  program
    .command('phenopacket')
    .description('print a patient as a GA4GH phenopacket')
    .argument('<patient>', 'id of the patient')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (subjectId: string, options: { project?: string }, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, options.project);
      const packet = await session.client.operations.getPhenopacket({ path: { id, subjectId } });
      process.stdout.write(`${documentText(packet, 2)}\n`);
    });
}
