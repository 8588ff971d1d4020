import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { bytesText, Progress } from '../progress.ts';
import { fileIdOf, openSession, projectOf, type Session, say, sayList } from '../session.ts';

interface PutOptions {
  project?: string;
  name?: string;
  prefix?: string;
  overwrite?: boolean;
  ingest?: boolean;
  type?: string;
}

export function addFiles(program: Command): void {
  const files = program.command('files').description('files of a project');
  files
    .command('ls')
    .description('list them')
    .argument('[prefix]', 'only names that begin with this')
    .option('-p, --project <project>', 'id or name')
    .action(async (prefix: string | undefined, options: { project?: string }, command: Command) => {
      const session = openSession(command);
      const { id } = await projectOf(session, options.project);
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
    .option('--ingest', 'ingest each when its bytes are complete')
    .option('--type <type>', 'content type')
    .action(async (paths: string[], options: PutOptions, command: Command) => {
      const session = openSession(command);
      if (options.name && paths.length > 1) {
        throw new CommandError('--name goes with one file; use --prefix for several.', exitCodes.usage);
      }
      const { id } = await projectOf(session, options.project);
      const made: { id: string; name: string }[] = [];
      for (const path of paths) made.push(await putOne(session, id, path, options));
      say(session, made, () => made.map((file) => `${file.id}  ${file.name}`).join('\n'));
    });
  files
    .command('get')
    .description('download a file')
    .argument('<file>', 'id or name')
    .argument('[path]', 'where to; standard output when absent or -')
    .option('-p, --project <project>', 'id or name')
    .action(
      async (named: string, path: string | undefined, options: { project?: string }, command: Command) => {
        const session = openSession(command);
        const project = await projectIdFor(session, named, options.project);
        const id = await fileIdOf(session, project, named);
        const progress = new Progress(named, path === undefined);
        const sink = path === undefined || path === '-' ? process.stdout : path;
        let total = 0;
        await session.client.download(id, sink, (bytes) => {
          total = bytes;
          progress.update(0, 0, bytesText(bytes));
        });
        progress.end(bytesText(total));
      },
    );
  files
    .command('rm')
    .description('delete files and the rows that were ingested from them')
    .argument('<files...>', 'ids or names')
    .option('-p, --project <project>', 'id or name')
    .option('--keep-rows', 'leave the ingested rows')
    .action(async (named: string[], options: { project?: string; keepRows?: boolean }, command: Command) => {
      const session = openSession(command);
      const removed: string[] = [];
      for (const name of named) {
        const id = await fileIdOf(session, await projectIdFor(session, name, options.project), name);
        const query = options.keepRows ? { keepRows: true } : {};
        await session.client.api.DELETE('/v1/files/{id}', { params: { path: { id }, query } });
        removed.push(id);
      }
      say(session, { removed }, () => `Deleted: ${named.join(', ')}`);
    });
}

/** A file's id needs no project. */
async function projectIdFor(session: Session, named: string, project: string | undefined): Promise<string> {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named);
  return isId ? '' : (await projectOf(session, project)).id;
}

async function putOne(
  session: Session,
  project: string,
  path: string,
  options: PutOptions,
): Promise<{ id: string; name: string }> {
  const fromInput = path === '-';
  if (fromInput && !options.name) {
    throw new CommandError('Standard input needs a --name.', exitCodes.usage);
  }
  const size = fromInput ? 0 : sizeOf(path);
  const local = options.name ?? basename(path);
  const name = options.prefix ? `${options.prefix.replace(/\/+$/, '')}/${local}` : local;
  const progress = new Progress(name, session.json);
  const id = await session.client.upload(project, name, fromInput ? process.stdin : path, {
    ...(options.overwrite && { overwrite: true }),
    ...(options.ingest && { ingest: true }),
    ...(options.type && { contentType: options.type }),
    onBytes: (bytes) => progress.update(bytes, size, bytesText(bytes)),
  });
  progress.end(fromInput ? 'uploaded' : bytesText(size));
  return { id, name };
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new CommandError(`${path} is no file that can be read.`, exitCodes.usage);
  return found.size;
}
