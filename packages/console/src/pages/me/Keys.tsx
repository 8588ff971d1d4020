import { Alert, Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { lists } from '../../api/account.ts';
import { account, all, api, take } from '../../api/client.ts';
import { type Shape, useMay } from '../../api/lists.ts';
import { serviceAddress } from '../../api/place.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Key = Shape<'ListApiKeysAnswer'>['items'][number];

/** API keys of the user in the account; the value of a new one is shown once. */
export function Keys() {
  const queries = useQueryClient();
  const [making, { open, close }] = useDisclosure();
  const [made, setMade] = useState<string>();
  const mayUse = useMay('apiKeyUser');
  const query = useQuery({
    queryKey: ['keys', account()],
    queryFn: () => all(lists.apiKeys()),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ['keys'] });
  const make = async ({ name = '', days = '' }: Record<string, string>): Promise<void> => {
    const { key } = await take(api.POST('/v1/api-keys', { body: { name, expireInDays: Number(days) } }));
    setMade(key);
    await refresh();
  };
  const { column, confirmation } = useRowActions<Key>({
    changes: ['keys'],
    of: ({ id, name }) => [
      {
        label: 'Revoke',
        question: `Revoke ${name}?`,
        warning: 'Programs that use the key stop working at once.',
        run: () => take(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } })),
      },
    ],
  });
  const columns: Column<Key>[] = [
    { name: 'name', value: ({ name }) => name },
    { name: 'created', value: ({ created }) => created, isTime: true },
    { name: 'expires', value: ({ expires }) => expires, isTime: true },
    column,
  ];
  return (
    <>
      {made && <NewKey value={made} />}
      {mayUse === false ? (
        <Text size="sm">
          You may not use API keys in this account: this needs the privilege apiKeyUser. Ask an administrator
          of the account.
        </Text>
      ) : (
        <Group>
          <Button onClick={open}>New key</Button>
        </Group>
      )}
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No key">Programs and the command line sign in with an API key.</Empty>
          ) : (
            <Grid name="API keys" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {making && (
        <Ask
          title="New API key"
          action="Create"
          fields={[
            { name: 'name', label: 'Purpose' },
            { name: 'days', label: 'Valid for (days, up to 365)', value: '90', type: 'number' },
          ]}
          run={make}
          close={close}
        />
      )}
      {confirmation}
    </>
  );
}

/** The value of a key, with a command that uses it. */
function NewKey({ value }: { value: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const command = `curl -H "Authorization: Bearer $PLOIDY_API_KEY" -H "Service-Account: ${account()}" ${serviceAddress}/v1/projects`;
  return (
    <Alert ref={place} title="Copy the key now: it is shown only once" color="yellow">
      <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button size="xs" my="xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
      <Text size="sm">Set PLOIDY_API_KEY to the key and send a first request:</Text>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {command}
      </Code>
    </Alert>
  );
}
