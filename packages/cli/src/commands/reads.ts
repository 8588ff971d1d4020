import { bodyOf, type PloidyClient } from '@ploidy/client';
import type { Command } from 'commander';
import { openSession, projectOf, sayList } from '../session.ts';

export function addReads(program: Command): void {
  const reads = program
    .command('reads')
    .description('read group sets of a project: the reads of its BAM files');
  reads
    .command('ls')
    .description('list them')
    .option('-p, --project <project>', 'id or name')
    .action(async (options: { project?: string }, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, options.project);
      const sets = await Array.fromAsync(readGroupSets(session.client, session.credentials.account, id));
      sayList(session, sets, ['id', 'name', 'state', 'samples', 'aligned', 'unaligned', 'file'], (set) => [
        set.id,
        set.name,
        set.status.toLowerCase(),
        [...new Set(set.readGroups.flatMap(({ sampleName }) => sampleName ?? []))].join(' '),
        set.stats.alignedReadCount,
        set.stats.unalignedReadCount,
        set.fileId,
      ]);
    });
}

/** All of a project, page by page: this search takes its tokens in the body. */
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
