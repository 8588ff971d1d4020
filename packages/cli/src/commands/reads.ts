import { bodyOf, type PloidyClient } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { interruptible } from '../interrupt.ts';
import { projectListCommand } from '../list-command.ts';
import { localTarget } from '../local-target.ts';
import { fileIdOf } from '../project-files.ts';
import { regionOf } from '../region.ts';
import { isId, isSameName, openSession, projectOf, type Session } from '../session.ts';
import { visible } from '../visible.ts';

export function addReads(program: Command): void {
  const reads = program.command('reads').description('reads of BAM and CRAM files (read group sets)');
  projectListCommand(
    reads.command('ls').description('list the read group sets of a project'),
    (session, id) => readGroupSets(session.client, session.credentials.account, id),
    ['id', 'name', 'state', 'samples', 'aligned', 'unaligned', 'file'],
    (set) => [
      set.id,
      set.name,
      set.status.toLowerCase(),
      [...new Set(set.readGroups.flatMap(({ sampleName }) => sampleName ?? []))].join(' '),
      set.stats.alignedReadCount,
      set.stats.unalignedReadCount,
      set.fileId,
    ],
  );
  reads
    .command('get')
    .description('download the reads of a region as BAM (htsget)')
    .argument('<set>', 'id or name of the read group set, or name of its file')
    .argument('[region]', 'such as chr1:1000-2000, 1-based and inclusive; all reads by default')
    .option('-o, --output <path>', 'file to write; standard output by default')
    .option('-p, --project <project>', 'id or name, for a set that is named; the chosen project by default')
    .action(async (named: string, word: string | undefined, options: GetOptions, command: Command) => {
      const session = await openSession(command);
      const region = word === undefined ? {} : regionOf(word);
      if (options.output === undefined && process.stdout.isTTY)
        throw new CommandError('Give --output FILE, or pipe the output to a program.', exitCodes.usage);
      const set = await setOf(session, named, options.project);
      if (options.output === undefined) return session.client.downloadReads(set.id, region, process.stdout);
      const target = localTarget(options.output, `${set.name}.bam`);
      await interruptible(
        (signal) => session.client.downloadReads(set.id, region, target, signal),
        async () => `Interrupted; ${visible(target)} was not written.`,
      );
    });
}

interface GetOptions {
  output?: string;
  project?: string;
}

/** Finds a read group set by its id, its name, or the name of its file. */
async function setOf(
  session: Session,
  named: string,
  project: string | undefined,
): Promise<{ id: string; name: string }> {
  if (isId(named)) return { id: named, name: named };
  const { id: projectId } = await projectOf(session, project);
  const found: { id: string; name: string }[] = [];
  const fileId = await fileIdOf(session, projectId, named).catch((error: unknown) => {
    if (error instanceof CommandError && error.exitCode === exitCodes.notFound) return undefined;
    throw error;
  });
  for await (const set of readGroupSets(session.client, session.credentials.account, projectId))
    if (isSameName(set.name, named) || set.fileId === fileId) found.push(set);
  const [first] = found;
  if (first === undefined)
    throw new CommandError(
      `No read group set of the project is called "${named}".`,
      exitCodes.notFound,
      'ploidy reads ls shows them.',
    );
  if (found.length === 1) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw new CommandError(
    `Several read group sets are called "${named}": ${ids}. Name one by its id.`,
    exitCodes.usage,
  );
}

/** Lists all of a project, page by page: this search has its tokens in the body. */
async function* readGroupSets(client: PloidyClient, account: string, datasetId: string) {
  const params = { path: { account } };
  for (let pageToken: string | undefined; ; ) {
    const body = { datasetId, ...(pageToken !== undefined && { pageToken }) };
    const page = bodyOf(await client.api.POST('/{account}/v1/readgroupsets/search', { params, body }));
    yield* page.readGroupSets;
    if (page.nextPageToken === undefined) return;
    pageToken = page.nextPageToken;
  }
}
