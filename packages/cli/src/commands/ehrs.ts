import { bodyOf, type EhrSync, type PloidyClient, waitUntil } from '@ploidy/client';
import { type Command, Option } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { readSecret } from '../input.ts';
import { interruptible } from '../interrupt.ts';
import { listCommand } from '../list-command.ts';
import { Progress } from '../progress.ts';
import { openSession, printList, printResult, projectOf } from '../session.ts';
import { visible } from '../visible.ts';
import { cancelled } from './ingest.ts';

interface SyncOptions {
  project?: string;
  full?: boolean;
  wait: boolean;
}

export function addEhrs(program: Command): void {
  const ehrs = program.command('ehrs').description('EHR systems of the account');
  listCommand(
    ehrs.command('ls').description('list the EHR systems'),
    (session) => session.client.ehrs(),
    ['id', 'name', 'address', 'schedule'],
    (ehr) => [ehr.id, ehr.name, ehr.apiBaseUrl, ehr.schedule?.cron ?? ''],
  );
  addChanges(ehrs);
  ehrs
    .command('syncs')
    .description('list the syncs of an EHR system, newest first')
    .argument('<ehr>', 'id or name')
    .action(async (named: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const ehrId = await findEhr(session.client, named);
      const items = await Array.fromAsync(session.client.ehrSyncs(ehrId));
      printList(session, items, ['id', 'state', 'resources', 'warnings', 'by', 'created'], (sync) => [
        sync.id,
        sync.state,
        String(sync.progress.resources),
        String(sync.warningCount),
        sync.startedBy.toLowerCase(),
        sync.created,
      ]);
    });
  ehrs
    .command('sync')
    .description('load resources from an EHR system into a project, and wait')
    .argument('<ehr>', 'id or name')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--full', 'load everything again, not only the changes')
    .option('--no-wait', 'start the sync without waiting')
    .action(async (named: string, options: SyncOptions, command: Command) => {
      const session = await openSession(command);
      const { client } = session;
      const project = await projectOf(session, options.project);
      const path = { ehrId: await findEhr(client, named) };
      const body = { datasetId: project.id, full: options.full === true };
      const begun = bodyOf(await client.api.POST('/v1/ehrs/{ehrId}/sync', { params: { path }, body }));
      const sync = options.wait ? await waitForEnd(client, begun, session.json) : begun;
      printResult(session, sync, () => summary(sync));
      if (sync.state === 'failed' || sync.state === 'cancelled')
        throw new CommandError(sync.error?.message ?? `The sync was ${sync.state}.`);
    });
}

interface AddOptions {
  project?: string;
  auth?: 'header' | 'basic' | 'oauth2' | 'private_key_jwt';
  key?: string;
  secret?: string;
  cron?: string;
}

function addChanges(ehrs: Command): void {
  ehrs
    .command('add')
    .description('add an EHR system; its key and secret are read from files')
    .argument('<name>')
    .argument('<address>', 'base URL of its FHIR API')
    .addOption(
      new Option('--auth <method>', 'how the service signs in there').choices([
        'header',
        'basic',
        'oauth2',
        'private_key_jwt',
      ]),
    )
    .option('--key <file>', 'file with the key or client id; - is standard input')
    .option('--secret <file>', 'file with the secret or private key; - is standard input')
    .option('--cron <schedule>', 'schedule of syncs into the project, such as "0 3 * * *"')
    .option('-p, --project <project>', 'id or name, for --cron')
    .action(async (name: string, apiBaseUrl: string, options: AddOptions, command: Command) => {
      const session = await openSession(command);
      const { auth: apiAuthType, key, secret, cron } = options;
      const body = {
        name,
        apiBaseUrl,
        ...(apiAuthType !== undefined && { apiAuthType }),
        ...(key !== undefined && { apiKey: await readSecret(key) }),
        ...(secret !== undefined && { apiSecret: await readSecret(secret) }),
        ...(cron !== undefined && {
          schedule: { cron, datasetId: (await projectOf(session, options.project)).id },
        }),
      };
      const made = await session.client.operations.createEhr({ body });
      printResult(session, made, () => made.id);
    });
  ehrs
    .command('rm')
    .description('delete an EHR system; its data stay')
    .argument('<ehr>', 'id or name')
    .action(async (named: string, _options: object, command: Command) => {
      const { client, json } = await openSession(command);
      const ehrId = await findEhr(client, named);
      await client.operations.deleteEhr({ path: { ehrId } });
      printResult({ json }, { id: ehrId, deleted: true }, () => 'Deleted.');
    });
}

async function waitForEnd(client: PloidyClient, begun: EhrSync, json: boolean): Promise<EhrSync> {
  const params = { path: { ehrId: begun.ehrId, syncId: begun.id } };
  const progress = new Progress('sync', json);
  const sync = await interruptible(
    (signal) =>
      waitUntil(
        async (init) => bodyOf(await client.api.GET('/v1/ehrs/{ehrId}/syncs/{syncId}', { params, ...init })),
        ({ state }) => !['queued', 'running', 'ingesting'].includes(state),
        {
          signal,
          onState: ({ state, progress: { resources } }) =>
            progress.update(0, 0, `${state}, ${resources} resources`),
        },
      ),
    async () => {
      progress.clear();
      return cancelled(() => client.api.DELETE('/v1/ehrs/{ehrId}/syncs/{syncId}', { params }), 'sync');
    },
  );
  progress.clear();
  return sync;
}

async function findEhr(client: PloidyClient, named: string): Promise<string> {
  const items = await Array.fromAsync(client.ehrs());
  const found = items.filter(({ id, name }) => id === named || name === named);
  const [first, second] = found;
  if (second)
    throw new CommandError(`Several EHR systems are called ${named}: give the id.`, exitCodes.usage);
  if (!first) throw new CommandError(`There is no EHR system ${named}.`, exitCodes.notFound);
  return first.id;
}

function summary({ id, state, counts, warnings, error }: EhrSync): string {
  const types = Object.entries(counts).map(([type, count]) => `  ${type}  ${count}`);
  const warningLines = warnings.map(({ message }) => `  warning: ${message}`);
  return [`${id}  ${state}`, ...types, ...warningLines, ...(error ? [`  ${error.message}`] : [])]
    .map(visible)
    .join('\n');
}
