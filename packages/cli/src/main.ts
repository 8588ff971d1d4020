import { Command } from 'commander';
import { build, buildText } from './build.ts';
import { addAccounts } from './commands/accounts.ts';
import { addAnnotations } from './commands/annotations.ts';
import { addApi } from './commands/api.ts';
import { addApply } from './commands/apply.ts';
import { addAsk } from './commands/ask.ts';
import { addAudit } from './commands/audit.ts';
import { addBuckets } from './commands/buckets.ts';
import { addClients } from './commands/clients.ts';
import { addCohorts } from './commands/cohorts.ts';
import { addCompletion } from './commands/completion.ts';
import { addEhrs } from './commands/ehrs.ts';
import { addExport } from './commands/export.ts';
import { addFiles } from './commands/files.ts';
import { addGroups } from './commands/groups.ts';
import { addImport } from './commands/import.ts';
import { addIngest } from './commands/ingest.ts';
import { addIngestions } from './commands/ingestions.ts';
import { addInvitations } from './commands/invitations.ts';
import { addKeys } from './commands/keys.ts';
import { addLogin } from './commands/login.ts';
import { addOpen } from './commands/open.ts';
import { addPhenopacket } from './commands/phenopacket.ts';
import { addPolicies } from './commands/policies.ts';
import { addProfiles } from './commands/profiles.ts';
import { addProjects } from './commands/projects.ts';
import { addQueries } from './commands/queries.ts';
import { addQuery } from './commands/query.ts';
import { addReads } from './commands/reads.ts';
import { addReferences } from './commands/references.ts';
import { addSamples } from './commands/samples.ts';
import { addSchema } from './commands/schema.ts';
import { addSql } from './commands/sql.ts';
import { addUsage } from './commands/usage.ts';
import { addUsers } from './commands/users.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { useProfile } from './config.ts';
import { examples } from './examples.ts';
import { CommandError, exitCodes } from './exit.ts';
import { endWithOutput } from './output.ts';
import { report } from './report.ts';

const help = `
On the host of the service:
  serve                             run the service
  admin                             manage accounts, users and keys; change the master key, verify, back up and restore

Exit codes: 0 success · 1 refused or failed · 2 wrong usage · 3 not signed in · 4 not found · 5 service unreachable ·
130 interrupted. PLOIDY_ADDRESS, PLOIDY_API_KEY, PLOIDY_ACCOUNT and PLOIDY_PROFILE override the stored sign-in.`;

const commands = [
  addLogin,
  addProfiles,
  addAccounts,
  addProjects,
  addFiles,
  addIngest,
  addImport,
  addIngestions,
  addAnnotations,
  addBuckets,
  addEhrs,
  addExport,
  addPhenopacket,
  addQuery,
  addSql,
  addQueries,
  addAsk,
  addCohorts,
  addSamples,
  addReads,
  addReferences,
  addSchema,
  addInvitations,
  addPolicies,
  addAudit,
  addGroups,
  addUsers,
  addKeys,
  addClients,
  addWebhooks,
  addApply,
  addApi,
  addOpen,
  addUsage,
  addCompletion,
];

/** Returns every command with its arguments and options. */
export function commandLine({ quiet = false } = {}): Command {
  const program = new Command('ploidy')
    .description('Ploidy on the command line: projects, files, ingestion, SQL and users')
    .version(buildText(build))
    .option('--json', 'print one JSON document instead of text')
    .addHelpText('after', help)
    .showHelpAfterError('(ploidy --help shows the commands)')
    .exitOverride();
  if (quiet) program.configureOutput({ writeErr: () => undefined });
  for (const add of commands) add(program);
  program.hook('preAction', (_program, command) => {
    const { profile } = command.optsWithGlobals<{ profile?: string }>();
    if (profile !== undefined) useProfile(profile);
  });
  for (const command of everyCommand(program)) {
    command
      .exitOverride()
      .option('--json', 'print JSON')
      .option('--profile <name>', 'use another stored sign-in');
    const shown = examples[pathOf(command)] ?? [];
    command.addHelpText('after', ['\nExamples:', ...shown.map((line) => `  ${line}`)].join('\n'));
  }
  return program;
}

/** Runs one command line; answers the exit code. */
export async function main(words: string[]): Promise<number> {
  const json = words.includes('--json');
  const program = commandLine({ quiet: json });
  endWithOutput();
  try {
    // An address cannot hold it; Windows passes such words on.
    if (!words.every((word) => word.isWellFormed()))
      throw new CommandError('An argument is not valid Unicode.', exitCodes.usage);
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return report(error, json);
  }
}

/** Words of a command behind `ploidy`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent as Command)} ${command.name()}` : command.name();
}

export function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((one) =>
    one.commands.length > 0 ? everyCommand(one as Command) : [one as Command],
  );
}
