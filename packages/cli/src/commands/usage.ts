import type { Project } from '@ploidy/client';
import type { Command } from 'commander';
import { bytesText } from '../progress.ts';
import { openSession, printList, projectOf, type Session } from '../session.ts';

interface Usage {
  id: string;
  name: string;
  files: number;
  bytes: number;
}

export function addUsage(program: Command): void {
  program
    .command('usage')
    .description('number and bytes of the files of your projects that you may list')
    .option('-p, --project <project>', 'id or name; all projects by default')
    .action(async (options: { project?: string }, command: Command) => {
      const session = await openSession(command);
      const projects =
        options.project === undefined
          ? await Array.fromAsync(session.client.projects())
          : [await projectOf(session, options.project)];
      const found: Usage[] = [];
      for (const project of projects) found.push(await usageOf(session, project));
      printList(session, found, ['id', 'project', 'files', 'size'], ({ id, name, files, bytes }) => [
        id,
        name,
        String(files),
        bytesText(bytes),
      ]);
    });
}

async function usageOf({ client }: Session, { id, name }: Project): Promise<Usage> {
  const usage = { id, name, files: 0, bytes: 0 };
  for await (const { size } of client.files(id)) {
    usage.files += 1;
    usage.bytes += size;
  }
  return usage;
}
