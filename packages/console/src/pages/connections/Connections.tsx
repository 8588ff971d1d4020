import { Button, Card, Group, Menu, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { lists } from '../../api/account.ts';
import { account, all, api, take } from '../../api/client.ts';
import { projects, type Shape, useMay } from '../../api/lists.ts';
import { inWords } from '../../api/schedule.ts';
import { Empty, Loaded, notify, reportError } from '../../shell/Feedback.tsx';
import { Page as Frame } from '../../shell/Page.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { CheckButton } from './CheckButton.tsx';
import { EhrForm } from './EhrForm.tsx';
import { Syncs } from './Syncs.tsx';

type Ehr = Shape<'ListedEhr'>;

/** EHR systems from which projects are filled. */
export function Page() {
  const may = useMay('accountAdmin', { type: 'account' });
  return (
    <Frame title="Connections">
      {may === false ? (
        <Empty title="You may not manage connections">
          This needs the privilege accountAdmin. Ask an administrator of the account.
        </Empty>
      ) : (
        may && <Content />
      )}
    </Frame>
  );
}

function Content() {
  const [making, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<Ehr>();
  const query = useQuery({ queryKey: ['ehrs', account()], queryFn: () => all(lists.ehrs()) });
  const { column, confirmation } = useRowActions<Ehr>({
    changes: ['ehrs'],
    width: 280,
    of: (ehr) => [
      <CheckButton key="check" ehr={ehr} />,
      <SyncButton key="sync" ehr={ehr} />,
      { label: 'Syncs', run: () => setShown(ehr) },
      {
        label: 'Delete',
        question: `Delete ${ehr.name}?`,
        warning:
          'The configuration with its key and secret will be removed, and a running sync ends. Rows already read stay.',
        run: () => take(api.DELETE('/v1/ehrs/{ehrId}', { params: { path: { ehrId: ehr.id } } })),
      },
    ],
  });
  const columns: Column<Ehr>[] = [
    { name: 'name', value: ({ name }) => name },
    { name: 'address', value: ({ apiBaseUrl }) => apiBaseUrl },
    { name: 'sign-in', value: ({ apiAuthType }) => apiAuthType },
    { name: 'schedule', value: ({ schedule }) => (schedule ? inWords(schedule.cron) : 'by hand') },
    { name: 'next', value: ({ schedule }) => schedule?.next, isTime: true },
    column,
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
      {confirmation}
    </Stack>
  );
}

/** Pulls from an EHR system into a project. */
function SyncButton({ ehr }: { ehr: { id: string; name: string } }) {
  const { data = [] } = useQuery(projects());
  const queries = useQueryClient();
  const sync = async (datasetId: string): Promise<void> => {
    await take(
      api.POST('/v1/ehrs/{ehrId}/sync', { params: { path: { ehrId: ehr.id } }, body: { datasetId } }),
    );
    await queries.invalidateQueries({ queryKey: ['syncs', ehr.id] });
    notify(`The sync of ${ehr.name} has started.`);
  };
  return (
    <Menu>
      <Menu.Target>
        <Button size="compact-xs" variant="default">
          Sync now
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Into the project</Menu.Label>
        {data.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => void sync(id).catch(reportError)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
