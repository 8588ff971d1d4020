import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { bodyOf, type PloidyClient } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { projectListCommand } from '../list-command.ts';
import { regionOf } from '../region.ts';
import { openSession } from '../session.ts';
import { printChunks } from './query-rows.ts';

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
    .argument('<set>', 'id of the read group set')
    .argument('[region]', 'such as chr1:1000-2000, 1-based and inclusive; all reads by default')
    .option('-o, --output <path>', 'file to write; standard output by default')
    .action(async (id: string, word: string | undefined, options: { output?: string }, command: Command) => {
      const session = await openSession(command);
      const path = { account: session.credentials.account, id };
      const query = word === undefined ? {} : regionOf(word);
      const { htsget } = await session.client.operations.getReads({ path, query });
      const chunks = blocksIn(htsget.urls);
      if (options.output !== undefined) await pipeline(chunks, createWriteStream(options.output));
      else if (!process.stdout.isTTY) await printChunks(chunks);
      else throw new CommandError('Give --output FILE, or pipe the output to a program.', exitCodes.usage);
    });
}

/** Downloads the blocks of a ticket, one after the other; together they are one file. */
async function* blocksIn(urls: { url: string; headers: object }[]): AsyncGenerator<Uint8Array> {
  for (const { url, headers } of urls) {
    const response = await fetch(url, { headers: { ...headers } });
    if (!response.ok) throw new CommandError(`A block of the reads was refused (status ${response.status}).`);
    if (response.body) yield* response.body;
  }
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
