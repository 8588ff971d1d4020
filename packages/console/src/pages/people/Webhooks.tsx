import { Alert, Badge, Button, Code, Group, MultiSelect, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { eventKinds } from '@ploidy/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deliveries, webhooks } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded, reportError } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Webhook = Shape<'Webhook'>;
type Delivery = Shape<'WebhookDelivery'>;

/** Receivers of the events of the account. */
export function Webhooks() {
  const queries = useQueryClient();
  const [making, { open, close }] = useDisclosure();
  const [made, setMade] = useState<Shape<'WebhookWithSecret'>>();
  const [kinds, setKinds] = useState<Webhook['events']>([]);
  const [shown, setShown] = useState<string>();
  const query = useQuery(webhooks());
  const opened = query.data?.find(({ id }) => id === shown);
  const changed = (webhook?: Shape<'WebhookWithSecret'>) => {
    if (webhook) setMade(webhook);
    return queries.invalidateQueries({ queryKey: ['webhooks'] });
  };
  const make = async ({ name = '', url = '' }: Record<string, string>): Promise<void> => {
    const body = { name, url, events: kinds };
    await changed(await take(api.POST('/v1/webhooks', { body })));
  };
  const { column, confirmation } = useRowActions<Webhook>({
    changes: ['webhooks'],
    width: 150,
    of: ({ id, name }) => [
      { label: 'Open', run: () => setShown(id) },
      {
        label: 'Delete',
        question: `Delete ${name}?`,
        warning: 'The receiver gets no further events.',
        run: () => take(api.DELETE('/v1/webhooks/{webhookId}', { params: { path: { webhookId: id } } })),
      },
    ],
  });
  const columns: Column<Webhook>[] = [
    { name: 'webhook', value: ({ name }) => name },
    {
      name: 'state',
      value: ({ state }) => state,
      render: ({ state }) => <Badge color={state === 'active' ? 'teal' : 'gray'}>{state}</Badge>,
    },
    { name: 'reason', value: ({ disabledReason = '' }) => disabledReason },
    { name: 'address', value: ({ url }) => url },
    { name: 'events', value: ({ events }) => events.join(', ') || 'all' },
    column,
  ];
  return (
    <>
      {made && (
        <Alert title="Copy the secret now: it is shown only once" color="yellow" mb="sm">
          <Text size="sm">Webhook {made.name}</Text>
          <Code block>{made.secret}</Code>
        </Alert>
      )}
      <Button onClick={open} mb="sm">
        New webhook
      </Button>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No webhook">
              A webhook sends events, such as the end of an ingestion, to a program of yours.
            </Empty>
          ) : (
            <Grid name="Webhooks" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {opened && <OpenedWebhook key={opened.id} webhook={opened} changed={changed} />}
      {making && (
        <Ask
          title="New webhook"
          action="Create"
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'url', label: 'Address', type: 'url' },
          ]}
          run={make}
          close={close}
        >
          <MultiSelect
            label="Events"
            placeholder={kinds.length === 0 ? 'All events that you may know of' : ''}
            data={eventKinds}
            value={kinds}
            onChange={(chosen) => setKinds(chosen as typeof kinds)}
            searchable
          />
        </Ask>
      )}
      {confirmation}
    </>
  );
}

/** One webhook: its changes, and what was sent to it, newest first. */
function OpenedWebhook({
  webhook,
  changed,
}: {
  webhook: Webhook;
  changed: (renewed?: Shape<'WebhookWithSecret'>) => Promise<void>;
}) {
  const query = useQuery(deliveries(webhook.id));
  const params = { path: { webhookId: webhook.id } };
  const isActive = webhook.state === 'active';
  const actions: [string, () => Promise<unknown>][] = [
    [
      'Send a test',
      async () => {
        await take(api.POST('/v1/webhooks/{webhookId}/test', { params }));
        await query.refetch();
      },
    ],
    [
      isActive ? 'Disable' : 'Enable',
      async () => {
        const body = { state: isActive ? ('disabled' as const) : ('active' as const) };
        await take(api.PATCH('/v1/webhooks/{webhookId}', { params, body }));
        await changed();
      },
    ],
    [
      'New secret',
      async () => changed(await take(api.POST('/v1/webhooks/{webhookId}/secret', { params, body: {} }))),
    ],
  ];
  const { column } = useRowActions<Delivery>({
    changes: ['deliveries', webhook.id],
    width: 130,
    of: ({ id, state }) => [
      state !== 'waiting' && {
        label: 'Send again',
        run: () =>
          take(
            api.POST('/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
              params: { path: { webhookId: webhook.id, deliveryId: id } },
            }),
          ),
      },
    ],
  });
  const columns: Column<Delivery>[] = [
    { name: 'time', value: ({ created }) => created, isTime: true },
    { name: 'event', value: ({ message }) => message.type },
    { name: 'state', value: ({ state }) => state },
    { name: 'attempts', value: ({ attempts }) => attempts },
    { name: 'status', value: ({ status = '' }) => status },
    { name: 'reason', value: ({ failure = '' }) => failure },
    column,
  ];
  return (
    <>
      <Group mt="lg" mb="xs" gap="xs">
        <Text fw={600}>Deliveries to {webhook.name}</Text>
        {actions.map(([label, run]) => (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            onClick={() => void run().catch(reportError)}
          >
            {label}
          </Button>
        ))}
      </Group>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="Nothing was sent">Events arrive here within seconds.</Empty>
          ) : (
            <Grid name={`Deliveries to ${webhook.name}`} columns={columns} rows={list} />
          )
        }
      </Loaded>
    </>
  );
}
