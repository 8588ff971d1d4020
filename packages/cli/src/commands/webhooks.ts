import { type Delivery, type PloidyClient, type Webhook, waitUntil } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { collect } from '../input.ts';
import { listCommand } from '../list-command.ts';
import { isId, namedAs, openSession, printResult, projectOf, type Session } from '../session.ts';
import { visible } from '../visible.ts';

interface Created {
  event?: string[];
  project?: string;
}

export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('webhooks of the account, which receive its events');
  listCommand(
    webhooks.command('ls').description('list the webhooks'),
    (session) => session.client.webhooks(),
    ['id', 'name', 'state', 'address', 'events', 'reason'],
    ({ id, name, state, url, events, disabledReason = '' }) => [
      ...[id, name, state, url],
      ...[events.join(' ') || 'all', disabledReason],
    ],
  );
  webhooks
    .command('create')
    .description('create a webhook with your rights; its secret is printed once')
    .argument('<name>')
    .argument('<address>', 'https address that receives the events')
    .option(
      '-e, --event <kind>',
      'kind of event, such as file.arrived; may be repeated; default: all',
      collect,
    )
    .option('-p, --project <project>', 'id or name: only events of this project')
    .action(async (name: string, url: string, { event, project }: Created, command: Command) => {
      const session = await openSession(command);
      const datasetId = project === undefined ? undefined : (await projectOf(session, project)).id;
      // The service refuses unknown kinds, and lists those that it has.
      const events = (event ?? []) as Webhook['events'];
      const body = { name, url, events, ...(datasetId !== undefined && { datasetId }) };
      const made = await session.client.operations.createWebhook({ body });
      printResult(session, made, () => `${made.id}\n${made.secret}`);
    });
  addChanges(webhooks);
  addDeliveries(webhooks);
}

function addChanges(webhooks: Command): void {
  for (const [name, state, description] of [
    ['enable', 'active', 'enable a webhook: it gets the events from now on'],
    ['disable', 'disabled', 'disable a webhook: nothing is sent'],
  ] as const)
    addChange(webhooks, name, description, async (session, webhookId) => {
      const changed = await session.client.operations.updateWebhook({ path: { webhookId }, body: { state } });
      printResult(session, changed, () => `${visible(changed.name)} is ${changed.state}.`);
    });
  addChange(
    webhooks,
    'secret',
    'make a new secret, printed once; the former one signs for a day',
    async (session, webhookId) => {
      const made = await session.client.operations.renewWebhookSecret({ path: { webhookId }, body: {} });
      printResult(session, made, () => made.secret);
    },
  );
  addChange(webhooks, 'rm', 'delete a webhook', async (session, webhookId) => {
    await session.client.operations.deleteWebhook({ path: { webhookId } });
    printResult(session, { id: webhookId, deleted: true }, () => 'Deleted.');
  });
}

function addDeliveries(webhooks: Command): void {
  addChange(webhooks, 'test', 'send a test event and wait for its result', async (session, webhookId) => {
    const { id } = await session.client.operations.testWebhook({ path: { webhookId } });
    await printEnd(session, webhookId, id);
  });
  listCommand<Delivery, [string]>(
    webhooks
      .command('deliveries')
      .description('list what was sent to a webhook, newest first')
      .argument('<webhook>', 'id or name'),
    async (session, named) => session.client.deliveries(await findWebhook(session.client, named)),
    ['id', 'state', 'event', 'attempts', 'status', 'created', 'failure'],
    ({ id, state, message, attempts, status = '', created, failure = '' }) => [
      ...[id, state, message.type, String(attempts)],
      ...[String(status), created, failure],
    ],
  );
  webhooks
    .command('replay')
    .description('send a delivery again and wait for its result')
    .argument('<webhook>', 'id or name')
    .argument('<delivery>', 'id')
    .action(async (named: string, deliveryId: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const webhookId = await findWebhook(session.client, named);
      await session.client.operations.replayWebhookDelivery({ path: { webhookId, deliveryId } });
      await printEnd(session, webhookId, deliveryId);
    });
}

function addChange(
  webhooks: Command,
  name: string,
  description: string,
  run: (session: Session, webhookId: string) => Promise<void>,
): void {
  webhooks
    .command(name)
    .description(description)
    .argument('<webhook>', 'id or name')
    .action(async (named: string, _options: object, command: Command) => {
      const session = await openSession(command);
      await run(session, await findWebhook(session.client, named));
    });
}

/** Waits for the first attempt of a delivery and prints its result. */
async function printEnd(session: Session, webhookId: string, deliveryId: string): Promise<void> {
  const ended = await waitUntil(
    () => session.client.operations.getWebhookDelivery({ path: { webhookId, deliveryId } }),
    ({ state, attempts }) => state !== 'waiting' || attempts > 0,
  );
  if (ended.state !== 'delivered')
    throw new CommandError(ended.failure ?? `The delivery is ${ended.state}.`, exitCodes.failed);
  printResult(session, ended, () => `Delivered: status ${ended.status}, ${ended.tookMs} ms.`);
}

/** Returns the webhook named by id or by name. */
async function findWebhook(client: PloidyClient, named: string): Promise<string> {
  if (isId(named)) return named;
  const found = await namedAs(client.webhooks(), named);
  if (!found) throw new CommandError(`There is no webhook "${named}".`, exitCodes.notFound);
  return found.id;
}
