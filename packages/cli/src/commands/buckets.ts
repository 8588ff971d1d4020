import { waitUntil } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { definedOf, readSecret } from '../input.ts';
import { projectListCommand } from '../list-command.ts';
import { openSession, printResult, projectOf, type Session } from '../session.ts';
import { visible } from '../visible.ts';

interface Given {
  project?: string;
}

interface Connected extends Given {
  folder?: string;
  ingest?: boolean;
  key?: string;
  secret?: string;
  wait: boolean;
}

export function addBuckets(program: Command): void {
  const buckets = program
    .command('buckets')
    .description('buckets of S3 whose objects are files of a project');
  projectListCommand(
    buckets.command('ls').description('list the buckets of the project'),
    async ({ client }, id) => (await client.operations.listBuckets({ path: { id } })).items,
    ['id', 'address', 'state', 'files', 'bytes', 'skipped', 'missing', 'failure'],
    (one) => [
      ...[one.id, one.address, one.state, String(one.files), String(one.bytes)],
      ...[String(one.skipped), String(one.missing), one.failure ?? ''],
    ],
  );
  buckets
    .command('connect')
    .description('connect a bucket: its objects become files and stay where they are')
    .argument('<address>', 's3://bucket/prefix?region=…, with &endpoint=https://… for another store than AWS')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--folder <name>', 'beginning of the names of its files')
    .option('--ingest', 'ingest new and changed files')
    .option('--key <id>', 'id of the key; none for a public bucket')
    .option('--secret <file>', 'file with the secret of the key; - for the standard input')
    .option('--no-wait', 'do not wait for the first look')
    .action(async (address: string, options: Connected, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, options.project);
      const { folder, ingest, key: accessKeyId, secret } = options;
      const secretAccessKey = secret === undefined ? undefined : await readSecret(secret);
      const body = { address, ...definedOf({ folder, ingest, accessKeyId, secretAccessKey }) };
      const made = await session.client.operations.connectBucket({ path: { id }, body });
      await printLook(session, { id, bucketId: made.id }, options.wait);
    });
  change(buckets, 'look', 'look for new and changed objects now, and wait', async (session, path) => {
    await session.client.operations.lookAtBucket({ path });
    await printLook(session, path, true);
  });
  change(buckets, 'rm', 'disconnect a bucket: its files go, rows and objects stay', async (session, path) => {
    await session.client.operations.disconnectBucket({ path });
    printResult(session, { id: path.bucketId, disconnected: true }, () => 'Its files are being removed.');
  });
}

/** Path of the routes of one bucket. */
interface BucketPath {
  id: string;
  bucketId: string;
}

function change(
  buckets: Command,
  name: string,
  description: string,
  run: (session: Session, path: BucketPath) => Promise<void>,
): void {
  buckets
    .command(name)
    .description(description)
    .argument('<bucket>', 'id, as "buckets ls" prints it')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (bucketId: string, { project }: Given, command: Command) => {
      const session = await openSession(command);
      await run(session, { id: (await projectOf(session, project)).id, bucketId });
    });
}

/** Prints a bucket, after its look unless the caller does not wait. */
async function printLook(session: Session, path: BucketPath, waits: boolean): Promise<void> {
  const read = () => session.client.operations.getBucket({ path });
  const bucket = waits ? await waitUntil(read, ({ state }) => state !== 'looking') : await read();
  if (bucket.state === 'failed')
    throw new CommandError(`${bucket.failure} The bucket is ${bucket.id}.`, exitCodes.failed);
  const left = `${bucket.skipped} objects skipped, ${bucket.missing} files without their object`;
  printResult(
    session,
    bucket,
    () => `${bucket.id}\n${visible(bucket.address)}: ${bucket.files} files, ${bucket.bytes} bytes; ${left}`,
  );
}
