import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { regionOf } from '../region.ts';
import { isId, openSession, printList, type Session } from '../session.ts';
import { visible } from '../visible.ts';

export function addReferences(program: Command): void {
  const references = program.command('references').description('reference genomes (ingested FASTA files)');
  references
    .command('ls')
    .description('list the reference sets, or the sequences of one set')
    .argument('[set]', 'id or assembly, such as GRCh38')
    .action(async (named: string | undefined, _options: object, command: Command) => {
      const session = await openSession(command);
      if (named === undefined) {
        const sets = await Array.fromAsync(referenceSets(session));
        return printList(session, sets, ['id', 'name', 'assembly', 'checksum'], (set) => [
          set.id,
          set.name,
          set.assemblyId ?? '',
          set.md5checksum,
        ]);
      }
      const found = await Array.fromAsync(sequencesOf(session, await setIdOf(session, named)));
      printList(session, found, ['id', 'name', 'length', 'checksum'], (one) => [
        one.id,
        one.name,
        one.length,
        one.md5checksum,
      ]);
    });
  references
    .command('bases')
    .description('print the bases of a region as FASTA')
    .argument('<set>', 'id or assembly')
    .argument('<region>', 'such as chr1:1000-2000, 1-based and inclusive')
    .action(async (named: string, word: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const region = regionOf(word);
      const set = await setIdOf(session, named);
      for await (const reference of sequencesOf(session, set)) {
        if (reference.name !== region.referenceName) continue;
        process.stdout.write(`>${visible(word)}\n`);
        for await (const bases of basesOf(session, reference.id, region)) process.stdout.write(bases);
        process.stdout.write('\n');
        return;
      }
      throw new CommandError(`The set has no sequence "${region.referenceName}".`, exitCodes.notFound);
    });
}

async function* referenceSets({ client, credentials: { account } }: Session, assemblyId?: string) {
  for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
    const body = { pageToken, ...(assemblyId !== undefined && { assemblyId }) };
    const page = await client.operations.searchReferenceSets({ path: { account }, body });
    yield* page.referenceSets;
    pageToken = page.nextPageToken;
  }
}

async function* sequencesOf({ client, credentials: { account } }: Session, referenceSetId: string) {
  for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
    const body = { pageToken, referenceSetId };
    const page = await client.operations.searchReferences({ path: { account }, body });
    yield* page.references;
    pageToken = page.nextPageToken;
  }
}

async function* basesOf(
  { client, credentials: { account } }: Session,
  referenceId: string,
  { start, end }: { start?: number; end?: number },
): AsyncGenerator<string> {
  const path = { account, referenceId };
  for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
    const range = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
    const page = await client.operations.queryReferenceBases({ path, body: { ...range, pageToken } });
    yield page.sequence;
    pageToken = page.nextPageToken;
  }
}

async function setIdOf(session: Session, named: string): Promise<string> {
  if (isId(named)) return named;
  for await (const { id } of referenceSets(session, named)) return id;
  throw new CommandError(`There is no reference set of the assembly "${named}".`, exitCodes.notFound);
}
