import { Anchor, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clients } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { at, serviceAddress } from '../../api/place.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Client = Shape<'OAuthClient'>;

const metadataAddress = `${serviceAddress}/v1/saml/metadata`;

/** Single sign-on: metadata of this service, and the identity provider of each application. */
export function Saml() {
  const query = useQuery(clients());
  const [edited, setEdited] = useState<Client>();
  const { column } = useRowActions<Client>({
    width: 150,
    of: (client) => [
      { label: 'Provider', run: () => setEdited(client) },
      client.identityProviders.includes('SAML') && (
        <Button
          key="Test"
          size="compact-xs"
          variant="default"
          component="a"
          href={testAddress(client)}
          target="_blank"
          rel="noopener"
        >
          Test
        </Button>
      ),
    ],
  });
  const columns: Column<Client>[] = [
    { name: 'application', value: ({ name }) => name },
    { name: 'provider', value: ({ customIdentityProvider: provider }) => provider?.metadataUrl ?? 'none' },
    {
      name: 'attributes',
      value: ({ customIdentityProvider: provider }) => provider?.attributeMapping.join(', '),
    },
    {
      name: 'groups',
      value: ({ customIdentityProvider: provider }) => provider?.groupMapping?.join('; '),
    },
    { name: 'sign-in', value: ({ identityProviders }) => identityProviders.join(', ') },
    column,
  ];
  return (
    <Stack>
      <Text size="sm">
        Register the metadata of this service with your identity provider. The address is also the entity id:{' '}
        <Code>{metadataAddress}</Code>
      </Text>
      <Group>
        <Anchor size="sm" href={metadataAddress} download="ploidy-metadata.xml">
          Download metadata
        </Anchor>
        <Anchor
          size="sm"
          href={`${metadataAddress}?encryption=true`}
          download="ploidy-metadata-encryption.xml"
        >
          Download metadata with a key for encryption
        </Anchor>
      </Group>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No application">
              An identity provider signs people in to an application. Create one under OAuth clients first.
            </Empty>
          ) : (
            <Grid name="Identity providers" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {edited && <Provider client={edited} close={() => setEdited(undefined)} />}
    </Stack>
  );
}

function Provider({ client, close }: { client: Client; close: () => void }) {
  const queries = useQueryClient();
  const [password, setPassword] = useState(client.identityProviders.includes('PASSWORD'));
  const save = async ({ url = '', mapping = '', groups = '' }: Record<string, string>): Promise<void> => {
    const attributeMapping = mapping.split(/[\s,]+/).filter(Boolean);
    // Distinguished names of groups hold commas and blanks.
    const groupMapping = groups
      .split(';')
      .map((entry) => entry.trim())
      .filter(Boolean);
    const identityProviders: ('PASSWORD' | 'SAML')[] = [
      ...(password || url === '' ? (['PASSWORD'] as const) : []),
      ...(url === '' ? [] : (['SAML'] as const)),
    ];
    const customIdentityProvider = url === '' ? null : { metadataUrl: url, attributeMapping, groupMapping };
    const body = { identityProviders, customIdentityProvider };
    const params = { path: { clientId: client.id } };
    await take(api.PUT('/v1/clients/{clientId}', { params, body }));
    await queries.invalidateQueries({ queryKey: ['clients'] });
  };
  const provider = client.customIdentityProvider;
  return (
    <Ask
      title={`Identity provider of ${client.name}`}
      action="Save"
      fields={[
        {
          name: 'url',
          label: 'Address of its metadata (empty for none)',
          type: 'url',
          value: provider?.metadataUrl ?? '',
          optional: true,
        },
        {
          name: 'mapping',
          label: 'Attributes, such as mail=email, sn=familyName',
          value: provider?.attributeMapping.join(', ') ?? '',
          optional: true,
        },
        {
          name: 'groups',
          label: 'Groups, such as Clinicians=Doctors, separated by semicolons',
          value: provider?.groupMapping?.join('; ') ?? '',
          optional: true,
        },
      ]}
      run={save}
      close={close}
    >
      <Checkbox
        label="Also allow passwords"
        checked={password}
        onChange={(event) => setPassword(event.currentTarget.checked)}
      />
      {provider && (
        <Text size="sm" c="var(--soft)">
          Changing or removing the address signs out everybody who signed in through the current provider.
        </Text>
      )}
    </Ask>
  );
}

/** A sign-in of the application by its provider, whose end is the application. */
function testAddress({ id, callbackUrls, allowedOAuthFlows }: Client): string {
  const request = new URLSearchParams({
    response_type: allowedOAuthFlows.includes('code') ? 'code' : 'token',
    client_id: id,
    redirect_uri: callbackUrls[0] ?? '',
    state: 'test',
  });
  return `${at('/v1/saml/sign-in')}?${new URLSearchParams({ request: request.toString() })}`;
}
