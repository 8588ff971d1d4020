import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ClientError, type Ingestion, retry, type StoredFile, type UploadOptions } from '@ploidy/client';
import type { Command } from 'commander';
import { withDelayedEnd } from '../delayed-end.ts';
import { CommandError } from '../exit.ts';
import { interruptible } from '../interrupt.ts';
import { inJobs, jobsOption } from '../jobs.ts';
import { filesUnder, isHidden, type Source, sourcesOf } from '../local-files.ts';
import { bytesText, Progress } from '../progress.ts';
import { openSession, printEach, printResult, projectOf, type Session } from '../session.ts';
import { UploadState } from '../upload-state.ts';
import { visible } from '../visible.ts';
import { ingestEach, ingestFile } from './ingest.ts';

interface PutOptions {
  project?: string;
  name?: string;
  prefix?: string;
  recursive?: boolean;
  overwrite?: boolean;
  skipExisting?: boolean;
  ingest?: boolean;
  wait: boolean;
  contentType?: string;
}

interface PutCommandOptions extends PutOptions {
  jobs: number;
}

interface Sent {
  id: string;
  name: string;
  /** True for a file of the same name that was there. */
  skipped?: boolean;
}

/** Adds `files put` and `files sync`. */
export function addPut(files: Command): void {
  files
    .command('put')
    .description('upload local files; interrupted uploads of 64 MiB or more are resumed')
    .argument('<paths...>', 'files, patterns such as "*.vcf", or folders with -r; - for standard input')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('-r, --recursive', 'upload folders with everything in them, except hidden files')
    .option('--name <name>', 'name in the project, for a single file')
    .option('--prefix <folder>', 'folder in the project')
    .option('--overwrite', 'replace files of the same name')
    .option('--skip-existing', 'leave files of the same name as they are')
    .option('--ingest', 'ingest each file ("ploidy ingest" has more options)')
    .option('--no-wait', 'with --ingest: do not wait for the result')
    .option('--content-type <type>', 'media type, such as text/csv')
    .option(...jobsOption)
    .action(async (paths: string[], options: PutCommandOptions, command: Command) => {
      const session = await openSession(command);
      const sources = sourcesOf(paths, options);
      const { id } = await projectOf(session, options.project);
      const put = (source: Source) => putOne(session, id, source, options);
      const ingest = async (source: Source) => putAndIngest(session, id, await put(source), options.wait);
      if (options.ingest) await ingestEach(session, sources, ingest, options.jobs);
      else await printEach(session, sources, put, sentText, options.jobs);
    });
  files
    .command('sync')
    .description('upload the files of a folder that are new or have other bytes, except hidden files')
    .argument('<folder>', 'local folder')
    .argument('[prefix]', 'folder in the project; the top level by default')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--delete', 'delete files in the project folder that are not in the local one')
    .option('--dry-run', 'print the changes without making them')
    .option(
      '--checksum',
      'compare the bytes of all files, also of large ones that are older than their upload',
    )
    .option(...jobsOption)
    .action(async (folder: string, prefix: string | undefined, options: SyncOptions, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, options.project);
      await syncFolder(session, id, { folder, prefix, ...options });
    });
}

interface SyncOptions {
  project?: string;
  delete?: boolean;
  dryRun?: boolean;
  checksum?: boolean;
  jobs: number;
}

/** Size from which files that are older than their upload are compared by size alone. */
const comparedMaxBytes = 64 * 1024 * 1024;

async function syncFolder(
  session: Session,
  project: string,
  options: SyncOptions & { folder: string; prefix: string | undefined },
): Promise<void> {
  const { folder, prefix = '', dryRun, jobs } = options;
  const sources = filesUnder(folder, { prefix }, '');
  const start = prefix === '' ? '' : `${prefix.replace(/(?<!\/)\/+$/, '')}/`;
  const there = new Map<string, StoredFile>();
  // The service ignores case in the beginning of names.
  for await (const file of session.client.files(project, start))
    if (file.name.startsWith(start)) there.set(file.name, file);
  const progress = new Progress('compared', session.json);
  let compared = 0;
  const states = await inJobs(sources, jobs, async (source) => {
    const state = await stateOf(session, source, there.get(source.name), options.checksum === true);
    compared += 1;
    progress.update(compared, sources.length, `${compared} of ${sources.length} files`);
    return { source, state };
  });
  progress.clear();
  const changed = states.filter(({ state }) => state === 'changed').map(({ source }) => source);
  const unread = states.filter(({ state }) => state === 'older').length;
  const local = new Set(sources.map(({ name }) => name));
  const isSurplus = (name: string): boolean => !local.has(name) && !isHidden(name.slice(start.length));
  const surplus = options.delete ? [...there].filter(([name]) => isSurplus(name)) : [];
  const uploaded: string[] = [];
  const deleted: string[] = [];
  try {
    await inJobs(changed, jobs, async (source) => {
      if (!dryRun) await putOne(session, project, source, { overwrite: true, wait: true });
      uploaded.push(source.name);
    });
    await inJobs(surplus, jobs, async ([name, { id }]) => {
      if (!dryRun) await session.client.operations.deleteFile({ path: { id } });
      deleted.push(name);
    });
  } finally {
    const unchanged = sources.length - changed.length;
    const bySize = unread === 0 ? '' : `; ${unread} of them compared by size and time, --checksum reads them`;
    const lines = [
      ...uploaded.sort().map((name) => `upload  ${visible(name)}`),
      ...deleted.sort().map((name) => `delete  ${visible(name)}`),
      `${unchanged} of ${sources.length} files were already there${bySize}.`,
    ];
    printResult(session, { uploaded, deleted, unchanged }, () => lines.join('\n'));
  }
}

/**
 * Compares a local file with that of the project: by size, then by SHA-256. `older`: of the same size, large, and not changed since
 * its upload by the clock; the bytes were not read.
 */
async function stateOf(
  { client }: Session,
  { path, size }: Source,
  found: StoredFile | undefined,
  readsAll: boolean,
): Promise<'changed' | 'same' | 'older'> {
  if (found === undefined || found.size !== size) return 'changed';
  const isOlder = statSync(path).mtimeMs < Date.parse(found.lastModified);
  if (isOlder && size >= comparedMaxBytes && !readsAll) return 'older';
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  const digest = hash.digest('hex');
  return (await retry(() => client.hasBytes(found.id, digest))) ? 'same' : 'changed';
}

const sentText = ({ id, name, skipped }: Sent): string =>
  visible(skipped ? `${name} is already there.` : `${id}  ${name}`);

/** Sends one file; returns its id and name. */
export async function putOne(
  session: Session,
  project: string,
  source: Source,
  options: PutOptions,
): Promise<Sent> {
  const { name, size } = source;
  const progress = new Progress(name, session.json);
  const onBytes = (bytes: number): void => progress.update(bytes, size, bytesText(bytes));
  const fields = {
    ...(options.overwrite && { overwrite: true }),
    ...(options.contentType && { contentType: options.contentType }),
  };
  try {
    const id = await interruptible(
      (signal) => send(session, project, source, { ...fields, onBytes, signal }),
      async () => {
        progress.clear();
        return `Interrupted; the upload of ${visible(name)} was stopped.`;
      },
    );
    progress.clear();
    return { id, name };
  } catch (error) {
    const taken = error instanceof ClientError && error.code === 'FILE_EXISTS';
    if (!taken) {
      if (error instanceof ClientError && !session.json)
        process.stderr.write(`${visible(`${name} was not uploaded.`)}\n`);
      throw error;
    }
    if (options.skipExisting) return { id: await idOf(session, project, name), name, skipped: true };
    throw new CommandError(
      `${name} already exists in the project; --overwrite replaces it.`,
      undefined,
      '--skip-existing keeps it and uploads the others.',
    );
  }
}

async function idOf({ client }: Session, project: string, name: string): Promise<string> {
  for await (const file of client.files(project, name)) if (file.name === name) return file.id;
  throw new CommandError(`${name} was renamed or deleted in the meantime.`);
}

/** Sends a file; resumes an upload of the same file that an earlier command left unfinished. */
async function send(
  { client }: Session,
  project: string,
  { path, name }: Source,
  options: UploadOptions & { signal: AbortSignal },
): Promise<string> {
  if (path === '-')
    return client.upload(project, name, withDelayedEnd(process.stdin, options.signal), options);
  const state = new UploadState({ origin: client.origin, project, name, path });
  // A folder of many files outlasts a restart of the service.
  const kept = { resume: state.read(), onPart: state.write.bind(state), patience: {} };
  const id = await client.upload(project, name, path, { ...options, ...kept });
  state.remove();
  return id;
}

async function putAndIngest(
  session: Session,
  project: string,
  file: Sent,
  wait: boolean,
): Promise<Ingestion> {
  try {
    return await ingestFile(session, project, file.id, { wait });
  } catch (error) {
    process.stderr.write(`${visible(`The file is in the project: ${file.id}  ${file.name}`)}\n`);
    throw error;
  }
}
