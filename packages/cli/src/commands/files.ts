import { accessSync, constants, statSync } from 'node:fs';
import { basename } from 'node:path';
import { bodyOf, ClientError, type Ingestion, type StoredFile } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { withHeldEnd } from '../held-end.ts';
import { interruptible } from '../interrupt.ts';
import { localTarget } from '../local-target.ts';
import { bytesText, Progress } from '../progress.ts';
import { fileIdOf, isId, openSession, projectOf, type Session, say, sayEach, sayList } from '../session.ts';
import { visible } from '../visible.ts';
import { failUnlessGood, ingestFile, summary } from './ingest.ts';

interface ListOptions {
  project?: string;
  folder?: boolean;
}

interface MoveOptions {
  project?: string;
  to?: string;
}

interface PutOptions {
  project?: string;
  name?: string;
  prefix?: string;
  overwrite?: boolean;
  ingest?: boolean;
  wait: boolean;
  contentType?: string;
}

export function addFiles(program: Command): void {
  const files = program.command('files').description('files of a project');
  files
    .command('ls')
    .description('list them')
    .argument('[prefix]', 'only names that begin with this')
    .option('-p, --project <project>', 'id or name')
    .option('--folder', 'one folder level: what is deeper is shown as folders')
    .action(async (prefix: string | undefined, options: ListOptions, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, options.project);
      if (options.folder) return listFolder(session, id, prefix);
      const items = await Array.fromAsync(session.client.files(id, prefix));
      sayList(session, items, ['id', 'name', 'bytes', 'modified'], (file) => [
        file.id,
        file.name,
        String(file.size),
        file.lastModified,
      ]);
    });
  files
    .command('put')
    .description('upload local files')
    .argument('<paths...>', 'local files; - for standard input')
    .option('-p, --project <project>', 'id or name')
    .option('--name <name>', 'name in the project, for one file')
    .option('--prefix <folder>', 'folder in the project')
    .option('--overwrite', 'replace files of the same name')
    .option('--ingest', 'ingest each as well ("ploidy ingest" has options)')
    .option('--no-wait', 'with --ingest: do not wait for the ends')
    .option('--content-type <type>', 'its media type, such as text/csv')
    .action(async (paths: string[], options: PutOptions, command: Command) => {
      const session = await openSession(command);
      const sources = sourcesOf(paths, options);
      const { id } = await projectOf(session, options.project);
      const put = (source: Source) => putOne(session, id, source, options);
      const ingest = async (source: Source) => putAndIngest(session, id, await put(source), options.wait);
      if (options.ingest) failUnlessGood(await sayEach(session, sources, ingest, summary));
      else await sayEach(session, sources, put, (file) => visible(`${file.id}  ${file.name}`));
    });
  files
    .command('get')
    .description('download a file')
    .argument('<file>', 'id or name')
    .argument('[path]', 'file or folder to write to; standard output when absent or -')
    .option('-p, --project <project>', 'id or name')
    .action(
      async (named: string, path: string | undefined, options: { project?: string }, command: Command) => {
        const session = await openSession(command);
        const project = await projectIdFor(session, named, options.project);
        await getOne(session, await fileIdOf(session, project, named), path);
      },
    );
  files
    .command('mv')
    .description('rename a file, or move it and its rows into another project')
    .argument('<file>', 'id or name')
    .argument('[name]', 'new name; with a slash at its end the folder that it goes into')
    .option('-p, --project <project>', 'id or name of the project that it is in')
    .option('--to <project>', 'id or name of the project that it goes to')
    .action(async (named: string, name: string | undefined, options: MoveOptions, command: Command) => {
      const session = await openSession(command);
      if (name === undefined && options.to === undefined) {
        throw new CommandError('Say the new name, or the project with --to.', exitCodes.usage);
      }
      const id = await fileIdOf(session, await projectIdFor(session, named, options.project), named);
      const file = await moveOne(session, id, name, options.to);
      say(session, file, () => visible(`${file.id}  ${file.name}`));
    });
  files
    .command('rm')
    .description('delete files and the rows that were ingested from them')
    .argument('<files...>', 'ids or names')
    .option('-p, --project <project>', 'id or name')
    .option('--keep-rows', 'leave the ingested rows')
    .action(async (named: string[], options: { project?: string; keepRows?: boolean }, command: Command) => {
      const session = await openSession(command);
      // All are looked for before the first is gone.
      const found: Named[] = [];
      for (const name of named) {
        found.push({
          name,
          id: await fileIdOf(session, await projectIdFor(session, name, options.project), name),
        });
      }
      await removeAll(session, found, options.keepRows === true);
    });
}

type Named = { id: string; name: string };

/** Says which were deleted, also when the next one cannot be. */
async function removeAll(session: Session, files: Named[], keepRows: boolean): Promise<void> {
  const removed: Named[] = [];
  try {
    for (const file of files) {
      const params = { path: { id: file.id }, query: keepRows ? { keepRows } : {} };
      await session.client.api.DELETE('/v1/files/{id}', { params });
      removed.push(file);
    }
  } finally {
    if (removed.length > 0)
      say(
        session,
        { removed: removed.map(({ id }) => id) },
        () => `Deleted: ${visible(removed.map(({ name }) => name).join(', '))}`,
      );
  }
}

async function listFolder(session: Session, project: string, prefix: string | undefined): Promise<void> {
  const entries = await Array.fromAsync(session.client.folder(project, prefix));
  sayList(session, entries, ['id', 'name', 'bytes', 'modified'], (entry) => [
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

/** A file's id needs no project. */
async function projectIdFor(session: Session, named: string, project: string | undefined): Promise<string> {
  return isId(named) ? '' : (await projectOf(session, project)).id;
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
      return `Interrupted; ${visible(target)} was not written.`;
    },
  );
  progress.clear();
  say(session, { id, path: target, bytes: file.size }, () => `${visible(target)}  ${bytesText(file.size)}`);
}

/** What is going to be sent. */
interface Source {
  path: string;
  /** In the project. */
  name: string;
  /** Bytes; 0 of standard input, whose end nobody knows. */
  size: number;
}

/** All are looked at before the first is sent: a mistake that can be seen here shall not leave half of them in the project. */
function sourcesOf(paths: readonly string[], options: PutOptions): Source[] {
  if (options.name && paths.length > 1)
    throw new CommandError('--name goes with one file; use --prefix for several.', exitCodes.usage);
  const sources = paths.map((path) => sourceOf(path, options));
  const names = new Set<string>();
  for (const { path, name } of sources) {
    if (names.has(name))
      throw new CommandError(
        `${path} and another file would both be ${name}: send one of them by itself, with --name or another --prefix.`,
        exitCodes.usage,
      );
    names.add(name);
  }
  return sources;
}

function sourceOf(path: string, options: PutOptions): Source {
  const fromInput = path === '-';
  if (fromInput && !options.name) throw new CommandError('Standard input needs a --name.', exitCodes.usage);
  const local = options.name ?? basename(path);
  const name = options.prefix ? `${options.prefix.replace(/\/+$/, '')}/${local}` : local;
  return { path, name, size: fromInput ? 0 : sizeOf(path) };
}

async function putOne(
  session: Session,
  project: string,
  { path, name, size }: Source,
  options: PutOptions,
): Promise<Named> {
  const progress = new Progress(name, session.json);
  const onBytes = (bytes: number): void => progress.update(bytes, size, bytesText(bytes));
  const fields = {
    ...(options.overwrite && { overwrite: true }),
    ...(options.contentType && { contentType: options.contentType }),
  };
  const id = await interruptible(
    (signal) => {
      const source = path === '-' ? withHeldEnd(process.stdin, signal) : path;
      return session.client.upload(project, name, source, { ...fields, onBytes, signal });
    },
    async () => {
      progress.clear();
      return `Interrupted; the upload of ${visible(name)} was broken off.`;
    },
  ).catch((error: unknown) => {
    const taken = error instanceof ClientError && error.code === 'FILE_EXISTS';
    throw taken ? new CommandError(`${name} already exists in the project; --overwrite replaces it.`) : error;
  });
  progress.clear();
  return { id, name };
}

async function putAndIngest(
  session: Session,
  project: string,
  file: Named,
  wait: boolean,
): Promise<Ingestion> {
  try {
    return await ingestFile(session, project, file.id, { wait });
  } catch (error) {
    process.stderr.write(`${visible(`The file is in the project: ${file.id}  ${file.name}`)}\n`);
    throw error;
  }
}

function sizeOf(path: string): number {
  try {
    accessSync(path, constants.R_OK);
    const found = statSync(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  throw new CommandError(`${path} is no file that can be read.`, exitCodes.usage);
}
