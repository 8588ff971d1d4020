import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { tarBytes } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { filesUnder, type Source } from '../local-files.ts';
import { openSession, projectOf } from '../session.ts';
import { putOne } from './files-put.ts';
import { ingestEach, ingestFile } from './ingest.ts';

interface ImportOptions {
  project?: string;
  name?: string;
  overwrite?: boolean;
  wait: boolean;
}

export function addImport(program: Command): void {
  program
    .command('import')
    .description('load a study folder of cBioPortal, or its archive, into the project')
    .argument('<format>', 'cbioportal')
    .argument('<folder>', 'study folder, or a .tar.gz, .tar or .zip of it')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--name <name>', 'name of the archive in the project; that of the folder by default')
    .option('--overwrite', 'replace the archive of the same name, and its rows')
    .option('--no-wait', 'do not wait for the result (see "ploidy ingestions")')
    .action(async (format: string, folder: string, options: ImportOptions, command: Command) => {
      if (format !== 'cbioportal')
        throw new CommandError('Only cbioportal can be imported.', exitCodes.usage);
      const session = await openSession(command);
      const { id: project } = await projectOf(session, options.project);
      const scratch = mkdtempSync(join(tmpdir(), 'ploidy-import-'));
      try {
        const source = await archiveOf(folder, scratch, options.name);
        const { id } = await putOne(session, project, source, options);
        const ingest = (fileId: string) =>
          ingestFile(session, project, fileId, { type: 'cbioportal', wait: options.wait });
        await ingestEach(session, [id], ingest, 1);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    });
}

/** Returns the archive of a folder, packed into a scratch folder; an archive as it is. */
async function archiveOf(path: string, scratch: string, name: string | undefined): Promise<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new CommandError(`${path} does not exist.`, exitCodes.usage);
  if (found.isFile()) return { path, name: name ?? basename(path), size: found.size };
  const files = filesUnder(path, {});
  if (files.length === 0) throw new CommandError(`${path} has no files.`, exitCodes.usage);
  const packed = join(scratch, 'study.tar.gz');
  const target = await open(packed, 'wx', 0o600);
  // Small files first: those are the meta files, by which a study is recognised.
  const ordered = files.toSorted((left, right) => left.size - right.size);
  const entries = ordered.map(({ path: file, name, size }) => ({
    name,
    size,
    read: () => createReadStream(file),
  }));
  await pipeline(tarBytes(entries), createGzip(), target.createWriteStream());
  const title = name ?? `${basename(resolve(path))}.tar.gz`;
  return { path: packed, name: title, size: statSync(packed).size };
}
