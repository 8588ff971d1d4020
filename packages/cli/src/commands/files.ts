import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { bodyOf, linesIn, type StoredFile } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { wholeNumber } from '../input.ts';
import { interruptible } from '../interrupt.ts';
import { inJobs, jobsOption } from '../jobs.ts';
import { localTarget } from '../local-target.ts';
import { bytesText, Progress } from '../progress.ts';
import { fileIdOf, filesOf, isPattern, type NamedFile } from '../project-files.ts';
import { isId, openSession, printList, printResult, projectOf, type Session } from '../session.ts';
import { visible } from '../visible.ts';
import { addPut } from './files-put.ts';
import { printChunks } from './query-rows.ts';

interface ListOptions {
  project?: string;
  folder?: boolean;
}

interface GetOptions {
  project?: string;
  jobs: number;
}

interface MoveOptions {
  project?: string;
  to?: string;
}

export function addFiles(program: Command): void {
  const files = program.command('files').description('files of a project');
  files
    .command('ls')
    .description('list the files')
    .argument('[prefix]', 'only names that begin with this')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--folder', 'list one level; show deeper ones as folders')
    .action(async (prefix: string | undefined, options: ListOptions, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, options.project);
      if (options.folder) return listFolder(session, id, prefix);
      const items = await Array.fromAsync(session.client.files(id, prefix));
      printList(session, items, ['id', 'name', 'bytes', 'modified'], (file) => [
        file.id,
        file.name,
        String(file.size),
        file.lastModified,
      ]);
    });
  addPut(files);
  files
    .command('get')
    .description('download a file, or all files that match a pattern')
    .argument('<file>', 'id, name or pattern, such as "run7/*.vcf"')
    .argument('[path]', 'file or folder to write; standard output by default or with -')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option(...jobsOption)
    .action(async (named: string, path: string | undefined, options: GetOptions, command: Command) => {
      const session = await openSession(command);
      if (isPattern(named)) return getAll(session, named, path ?? '.', options);
      const [file] = await filesOf(session, [named], options.project);
      if (file) await getOne(session, file.id, path);
    });
  files
    .command('cat')
    .description('print files in order')
    .argument('<files...>', 'ids, names or patterns')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (named: string[], options: { project?: string }, command: Command) => {
      const session = await openSession(command);
      for (const { id } of await filesOf(session, named, options.project))
        await printChunks(session.client.bytes(id));
    });
  files
    .command('head')
    .description('print the first lines of a text file, also of a gzipped one, without downloading the rest')
    .argument('<file>', 'id or name')
    .option('-n, --lines <n>', 'number of lines', wholeNumber, 10)
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (named: string, options: { lines: number; project?: string }, command: Command) => {
      const session = await openSession(command);
      const project = await projectIdFor(session, named, options.project);
      let left = options.lines;
      for await (const line of linesIn(
        unzipped(session.client.bytes(await fileIdOf(session, project, named))),
      )) {
        process.stdout.write(`${line}\n`);
        left -= 1;
        if (left <= 0) return;
      }
    });
  files
    .command('link')
    .description('print an address of a file that needs no key, for an hour or as the service limits it')
    .argument('<file>', 'id or name')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (named: string, options: { project?: string }, command: Command) => {
      const session = await openSession(command);
      const id = await fileIdOf(session, await projectIdFor(session, named, options.project), named);
      const params = { path: { id }, query: { include: 'downloadUrl' as const } };
      const { downloadUrl } = bodyOf(await session.client.api.GET('/v1/files/{id}', { params }));
      printResult(session, { id, downloadUrl }, () => downloadUrl ?? '');
    });
  files
    .command('mv')
    .description('rename a file, or move it and its rows into another project')
    .argument('<file>', 'id or name')
    .argument('[name]', 'new name, or a folder that ends with a slash')
    .option('-p, --project <project>', 'id or name of the present project')
    .option('--to <project>', 'id or name of the new project')
    .action(async (named: string, name: string | undefined, options: MoveOptions, command: Command) => {
      const session = await openSession(command);
      if (name === undefined && options.to === undefined) {
        throw new CommandError('Give a new name, or a project with --to.', exitCodes.usage);
      }
      const id = await fileIdOf(session, await projectIdFor(session, named, options.project), named);
      const file = await moveOne(session, id, name, options.to);
      printResult(session, file, () => visible(`${file.id}  ${file.name}`));
    });
  files
    .command('rm')
    .description('delete files and the rows ingested from them')
    .argument('<files...>', 'ids, names or patterns')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--keep-rows', 'keep the ingested rows')
    .action(async (named: string[], options: { project?: string; keepRows?: boolean }, command: Command) => {
      const session = await openSession(command);
      await removeAll(session, await filesOf(session, named, options.project), options.keepRows === true);
    });
}

/** Yields the content of bytes that begin as gzip does (RFC 1952 §2.3.1), and other bytes as they are. */
async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) return;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => source };
  };
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) return yield* all();
  const gunzip = createGunzip();
  // The reader of the lines gets the same error.
  pipeline(all(), gunzip).catch(() => undefined);
  yield* gunzip;
}

/** Deletes files, and reports those that were deleted, also when a later deletion fails. */
async function removeAll(session: Session, files: NamedFile[], keepRows: boolean): Promise<void> {
  const removed: NamedFile[] = [];
  try {
    for (const file of files) {
      const params = { path: { id: file.id }, query: keepRows ? { keepRows } : {} };
      await session.client.api.DELETE('/v1/files/{id}', { params });
      removed.push(file);
    }
  } finally {
    if (removed.length > 0)
      printResult(
        session,
        { removed: removed.map(({ id }) => id) },
        () => `Deleted: ${visible(removed.map(({ name }) => name).join(', '))}`,
      );
  }
}

async function listFolder(session: Session, project: string, prefix: string | undefined): Promise<void> {
  const entries = await Array.fromAsync(session.client.folder(project, prefix));
  printList(session, entries, ['id', 'name', 'bytes', 'modified'], (entry) => [
    entry.id ?? '',
    entry.name,
    String(entry.size ?? ''),
    entry.lastModified ?? '',
  ]);
}

async function moveOne(
  session: Session,
  id: string,
  name: string | undefined,
  to: string | undefined,
): Promise<StoredFile> {
  const { client } = session;
  let target = name;
  if (name?.endsWith('/')) {
    const query = { include: 'metadata' as const };
    const file = bodyOf(await client.api.GET('/v1/files/{id}', { params: { path: { id }, query } }));
    target = `${name}${basename(file.name)}`;
  }
  return client.updateFile(id, {
    ...(target !== undefined && { name: target }),
    ...(to !== undefined && { datasetId: (await projectOf(session, to)).id }),
  });
}

/** Returns the project of a named file; a file's id needs none. */
async function projectIdFor(session: Session, named: string, project: string | undefined): Promise<string> {
  return isId(named) ? '' : (await projectOf(session, project)).id;
}

/** Downloads all files whose names match; folders of the names are made below `folder`. */
async function getAll(session: Session, pattern: string, folder: string, options: GetOptions): Promise<void> {
  const files = await filesOf(session, [pattern], options.project);
  await inJobs(files, options.jobs, async ({ id, name }) => {
    const target = join(folder, name);
    mkdirSync(dirname(target), { recursive: true });
    await getOne(session, id, target);
  });
}

async function getOne(session: Session, id: string, path: string | undefined): Promise<void> {
  const { client } = session;
  if (path === undefined || path === '-') return client.download(id, process.stdout);
  const query = { include: 'metadata' as const };
  const file = bodyOf(await client.api.GET('/v1/files/{id}', { params: { path: { id }, query } }));
  const target = localTarget(path, file.name);
  const progress = new Progress(file.name, session.json);
  const onBytes = (bytes: number): void => progress.update(bytes, file.size, bytesText(bytes));
  await interruptible(
    (signal) => client.download(id, target, { onBytes, signal }),
    async () => {
      progress.clear();
      return `Interrupted; ${visible(target)} was not written. The same command resumes a large download.`;
    },
  );
  progress.clear();
  printResult(
    session,
    { id, path: target, bytes: file.size },
    () => `${visible(target)}  ${bytesText(file.size)}`,
  );
}
