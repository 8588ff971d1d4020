import { Alert, Button, Code, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clients } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { serviceAddress } from '../../api/place.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Client = Shape<'OAuthClient'>;

/** Applications that people may let act for them. */
export function Clients() {
  const queries = useQueryClient();
  const [making, { open, close }] = useDisclosure();
  const [made, setMade] = useState<Client>();
  const query = useQuery(clients());
  const refresh = () => queries.invalidateQueries({ queryKey: ['clients'] });
  const make = async ({ name = '', callback = '' }: Record<string, string>): Promise<void> => {
    const body = {
      name,
      callbackUrls: [callback],
      allowedOAuthFlows: ['code' as const],
      allowedScopes: ['openid' as const, 'email' as const, 'profile' as const],
      generateSecret: true,
    };
    setMade(await take(api.POST('/v1/clients', { body })));
    await refresh();
  };
  const { column, confirmation } = useRowActions<Client>({
    changes: ['clients'],
    of: ({ id, name }) => [
      {
        label: 'Delete',
        question: `Delete ${name}?`,
        warning: 'The application can no longer sign people in, and the access that it was given ends.',
        run: () => take(api.DELETE('/v1/clients/{clientId}', { params: { path: { clientId: id } } })),
      },
    ],
  });
  const columns: Column<Client>[] = [
    { name: 'application', value: ({ name }) => name },
    { name: 'id', value: ({ id }) => id },
    { name: 'flows', value: ({ allowedOAuthFlows }) => allowedOAuthFlows.join(', ') },
    { name: 'callbacks', value: ({ callbackUrls }) => callbackUrls.join(', ') },
    { name: 'sign-in', value: ({ identityProviders }) => identityProviders.join(', ') },
    { name: 'origin', value: ({ registered }) => (registered ? 'registered itself' : 'administrator') },
    column,
  ];
  return (
    <>
      {made?.secret && (
        <Alert title="Copy the secret now: it is shown only once" color="yellow" mb="sm">
          <Text size="sm">Client {made.id}</Text>
          <Code block>{made.secret}</Code>
        </Alert>
      )}
      <Button onClick={open} mb="sm">
        New client
      </Button>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No application">
              Create a client for each application that signs people in through Ploidy.
            </Empty>
          ) : (
            <Grid name="OAuth clients" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {making && (
        <Ask
          title="New OAuth client"
          action="Create"
          fields={[
            { name: 'name', label: 'Name of the application' },
            { name: 'callback', label: 'Callback address', type: 'url' },
          ]}
          run={make}
          close={close}
        >
          <Text size="sm">
            The application sends people back to this address, which is compared exactly: path and last slash
            included. Its documents call it redirect URI or callback URL.
          </Text>
          <Text size="sm">
            Its scopes are openid, email and profile: id, address and name of the person. Rights to data are
            those of each person.
          </Text>
          <Text size="sm">
            Most applications need only the client, its secret and this address:{' '}
            <Code>{`${serviceAddress}/v1/.well-known/openid-configuration`}</Code>
          </Text>
        </Ask>
      )}
      {confirmation}
    </>
  );
}
