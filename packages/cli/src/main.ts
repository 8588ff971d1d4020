import { ClientError } from '@ploidy/client';
import { Command, CommanderError } from 'commander';
import { addFiles } from './commands/files.ts';
import { addIngest } from './commands/ingest.ts';
import { addLogin } from './commands/login.ts';
import { addProjects } from './commands/projects.ts';
import { addQuery } from './commands/query.ts';
import { addSchema } from './commands/schema.ts';
import { exitCodeOf, exitCodes } from './exit.ts';

const help = `
On the host of the service:
  serve                             run the service
  admin                             make accounts, users and keys, verify the audit log

Exit codes: 0 done · 1 refused or failed · 2 wrong usage · 3 not signed in · 4 not found · 5 service not reachable ·
130 interrupted. The address, key and account can also come from PLOIDY_ADDRESS, PLOIDY_API_KEY and PLOIDY_ACCOUNT.`;

/** Runs one command line; answers the exit code. */
export async function main(words: string[]): Promise<number> {
  const program = new Command('ploidy')
    .description('Ploidy from the command line: projects, files, ingestion, SQL')
    .option('--json', 'print one JSON document instead of text')
    .addHelpText('after', help)
    .showHelpAfterError('(ploidy --help shows the commands)')
    .exitOverride();
  for (const add of [addLogin, addProjects, addFiles, addIngest, addQuery, addSchema]) add(program);
  for (const command of everyCommand(program)) command.exitOverride().option('--json', 'print JSON');
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return report(error);
  }
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((one) =>
    one.commands.length > 0 ? everyCommand(one as Command) : [one as Command],
  );
}

/** Says what went wrong on standard error; answers the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const code = exitCodeOf(error);
  if (code === undefined) throw error;
  const lines = [error instanceof Error ? error.message : String(error)];
  if (error instanceof ClientError) {
    const more = error.details.filter(({ message }) => !lines[0]?.includes(message));
    lines.push(...more.map(({ path, message }) => `  ${path}: ${message}`));
    if (error.status >= 500 && error.requestId) lines.push(`  request id ${error.requestId}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
  return code;
}
