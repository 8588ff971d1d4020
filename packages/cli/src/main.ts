import { ClientError } from '@ploidy/client';
import { Command, CommanderError } from 'commander';
import about from '../package.json' with { type: 'json' };
import { addAccounts } from './commands/accounts.ts';
import { addAudit } from './commands/audit.ts';
import { addEhrs } from './commands/ehrs.ts';
import { addFiles } from './commands/files.ts';
import { addGroups } from './commands/groups.ts';
import { addIngest } from './commands/ingest.ts';
import { addIngestions } from './commands/ingestions.ts';
import { addInvitations } from './commands/invitations.ts';
import { addLogin } from './commands/login.ts';
import { addPolicies } from './commands/policies.ts';
import { addProjects } from './commands/projects.ts';
import { addQueries } from './commands/queries.ts';
import { addQuery } from './commands/query.ts';
import { addReads } from './commands/reads.ts';
import { addSchema } from './commands/schema.ts';
import { addUsers } from './commands/users.ts';
import { exitCodeOf, exitCodes } from './exit.ts';
import { visible } from './visible.ts';

const help = `
On the host of the service:
  serve                             run the service
  admin                             accounts, users, keys; change the master key, verify the audit log, back up, restore

Exit codes: 0 done · 1 refused or failed · 2 wrong usage · 3 not signed in · 4 not found · 5 service not reachable ·
130 interrupted. The address, key and account can also come from PLOIDY_ADDRESS, PLOIDY_API_KEY and PLOIDY_ACCOUNT.`;

const commands = [
  addLogin,
  addAccounts,
  addProjects,
  addFiles,
  addIngest,
  addIngestions,
  addEhrs,
  addQuery,
  addQueries,
  addReads,
  addSchema,
  addInvitations,
  addPolicies,
  addAudit,
  addGroups,
  addUsers,
];

/** Every command with its arguments and options. */
export function commandLine(): Command {
  const program = new Command('ploidy')
    .description('Ploidy from the command line: projects, files, ingestion, SQL, people')
    .version(about.version)
    .option('--json', 'print one JSON document instead of text')
    .addHelpText('after', help)
    .showHelpAfterError('(ploidy --help shows the commands)')
    .exitOverride();
  for (const add of commands) add(program);
  for (const command of everyCommand(program)) command.exitOverride().option('--json', 'print JSON');
  return program;
}

/** Runs one command line; answers the exit code. */
export async function main(words: string[]): Promise<number> {
  const program = commandLine();
  process.stdout.on('error', endUnheard);
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

/** Who reads the output (`head`) has seen enough: that is no failure. What cannot be written (a full disk) is one, and all that follows would be lost as well. */
function endUnheard(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  process.stderr.write(`Standard output cannot be written: ${error.message}.\n`);
  process.exit(exitCodes.failed);
}

const keyRefused =
  'The service does not take your key or sign-in: it is wrong, has expired or was revoked. Run "ploidy login" again.';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Says what went wrong on standard error; answers the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const code = exitCodeOf(error);
  if (code === undefined) throw error;
  const lines = [
    code === exitCodes.signedOut && error instanceof ClientError ? keyRefused : messageOf(error),
  ];
  if (error instanceof ClientError && code !== exitCodes.signedOut) {
    const more = error.details.filter(({ message }) => !lines[0]?.includes(message));
    lines.push(...more.map(({ path, message }) => `  ${path}: ${message}`));
    if (error.status >= 500 && error.requestId) lines.push(`  request id ${error.requestId}`);
  }
  process.stderr.write(`${lines.map(visible).join('\n')}\n`);
  return code;
}
