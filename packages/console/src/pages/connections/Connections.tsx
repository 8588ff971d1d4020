import { Button, Card, Group, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { account, all, api, take } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { Confirm } from '../../shell/Confirm.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { CheckButton } from './CheckButton.tsx';
import { EhrForm } from './EhrForm.tsx';
import { SyncButton } from './SyncButton.tsx';
import { Syncs } from './Syncs.tsx';
import { inWords } from './schedule.ts';

interface Ehr {
  id: string;
  name: string;
  apiBaseUrl: string;
  apiAuthType: string;
  schedule?: { cron: string; datasetId: string; next: string };
}

/** EHR systems from which projects are filled. */
export function Page() {
  const may = useMay('accountAdmin', { type: 'account' });
  return (
    <Frame title="Connections">
      {may === false ? (
        <Empty title="You may not manage connections">
          It needs accountAdmin. Ask an administrator of the account.
        </Empty>
      ) : (
        may && <Content />
      )}
    </Frame>
  );
}

function Content() {
  const queries = useQueryClient();
  const [making, { open, close }] = useDisclosure();
  const [removed, setRemoved] = useState<Ehr>();
  const [shown, setShown] = useState<Ehr>();
  const query = useQuery({
    queryKey: ['ehrs', account()],
    queryFn: () => all<Ehr>(take(api.GET('/v1/ehrs'))),
  });
  const remove = async (): Promise<void> => {
    await take(api.DELETE('/v1/ehrs/{ehrId}', { params: { path: { ehrId: removed?.id ?? '' } } }));
    await queries.invalidateQueries({ queryKey: ['ehrs'] });
  };
  const columns: Column<Ehr>[] = [
    { name: 'name', value: ({ name }) => name },
    { name: 'address', value: ({ apiBaseUrl }) => apiBaseUrl },
    { name: 'sign-in', value: ({ apiAuthType }) => apiAuthType },
    { name: 'schedule', value: ({ schedule }) => (schedule ? inWords(schedule.cron) : 'by hand') },
    { name: 'next', value: ({ schedule }) => schedule?.next, isTime: true },
    {
      name: 'actions',
      isAction: true,
      width: 280,
      value: () => '',
      render: (ehr) => (
        <Group gap={4} wrap="nowrap">
          <CheckButton ehr={ehr} />
          <SyncButton ehr={ehr} />
          <Button size="compact-xs" variant="default" onClick={() => setShown(ehr)}>
            Syncs
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setRemoved(ehr)}>
            Delete
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <Stack>
      <Group>
        <Button onClick={open}>New connection</Button>
      </Group>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No connection">
              An EHR system with FHIR R4 can fill a project, once or on a schedule.
            </Empty>
          ) : (
            <Grid name="Connections" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {shown && (
        <Card withBorder>
          <Title order={2} size="h4" mb="sm">
            Syncs of {shown.name}
          </Title>
          <Syncs ehrId={shown.id} />
        </Card>
      )}
      {making && <EhrForm close={close} />}
      {removed && (
        <Confirm
          title={`Delete ${removed.name}?`}
          action="Delete"
          run={remove}
          close={() => setRemoved(undefined)}
        >
          The configuration with its key and secret will be removed, and a sync that runs ends. Rows stay.
        </Confirm>
      )}
    </Stack>
  );
}
