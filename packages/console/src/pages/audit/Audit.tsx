import { Button, Checkbox, Group, Select, TextInput } from '@mantine/core';
import { nextToken } from '@ploidy/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { account, api, take } from '../../api/client.ts';
import { type Shape, useMay } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { type Names, useNames, withNames } from './names.ts';
import { Verification } from './Verification.tsx';

type Event = Shape<'AuditEvent'>;
const from = '/account/audit';
type Choice = Partial<Record<'from' | 'to' | 'user' | 'action' | 'resource' | 'outcome', string>>;

/** Events of the account, by user and resource. */
export function Page() {
  const may = useMay('auditRead', { type: 'audit' });
  return (
    <Frame title="Audit">
      {may === false ? (
        <Empty title="You may not read the audit log">
          This needs the privilege auditRead. Ask an administrator of the account.
        </Empty>
      ) : (
        may && <Search />
      )}
    </Frame>
  );
}

function Search() {
  const choice = useSearch({ from });
  const navigate = useNavigate({ from });
  const [typed, setTyped] = useState<Choice>(choice);
  const query = useInfiniteQuery({
    queryKey: ['audit', account(), choice],
    initialPageParam: '',
    queryFn: ({ pageParam: nextPageToken }) => {
      const query = { pageSize: 500, nextPageToken, ...questionOf(choice) };
      return take(api.GET('/v1/audit-events', { params: { query } }));
    },
    getNextPageParam: ({ links }) => nextToken(links),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ search: typed });
  };
  const field = (name: keyof Choice, label: string, type = 'text') => (
    <TextInput
      label={label}
      type={type}
      value={typed[name] ?? ''}
      onChange={(event) => {
        const { value } = event.currentTarget;
        setTyped((all) => ({ ...all, [name]: value }));
      }}
    />
  );
  return (
    <>
      <Verification />
      <form onSubmit={submit}>
        <Group align="end">
          {field('from', 'From', 'date')}
          {field('to', 'To', 'date')}
          {field('user', 'User (id or e-mail)')}
          {field('action', 'Action')}
          {field('resource', 'Resource id')}
          <Select
            label="Outcome"
            data={['done', 'refused']}
            value={typed.outcome ?? null}
            onChange={(value) => setTyped((all) => ({ ...all, outcome: value ?? '' }))}
            clearable
          />
          <Button type="submit">Search</Button>
        </Group>
      </form>
      <Loaded query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <Empty title="No events">
              No event matches these conditions.
              {choice.resource &&
                ' Events name files, projects, cohorts and the like, never patients: to learn who may have seen a patient, search for the actions study., lake. and files. of the period, and look at their projects.'}
            </Empty>
          ) : (
            <>
              <Events items={items} />
              {query.hasNextPage && (
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  Older events
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Events({ items }: { items: Event[] }) {
  const [withFiles, setWithFiles] = useState(false);
  const names = useNames(items, withFiles);
  return (
    <Grid name="Audit" columns={columnsOf(names)} rows={items}>
      {/* To look them up is an event itself, so that it is asked for. */}
      <Checkbox
        size="xs"
        label="Names of files"
        checked={withFiles}
        onChange={(event) => setWithFiles(event.currentTarget.checked)}
      />
    </Grid>
  );
}

/** The parameters of the API: days begin and end in the time of the reader. */
function questionOf({ from, to, user, action, resource, outcome }: Choice) {
  return {
    ...(from && { from: new Date(`${from}T00:00`).toISOString() }),
    ...(to && { to: new Date(`${to}T23:59:59.999`).toISOString() }),
    ...(user && { user }),
    ...(action && { action }),
    ...(resource && { resource }),
    ...(outcome && { outcome: outcome as 'done' | 'refused' }),
  };
}

/** Columns with names in place of ids, which are in the title of a cell, in copies and in files. */
const columnsOf = (names: Names): Column<Event>[] => [
  { name: 'at', value: ({ at }) => at, render: ({ at }) => new Date(at).toLocaleString() },
  { name: 'user', value: ({ user }) => user?.email ?? user?.id },
  { name: 'action', value: ({ action }) => action },
  { name: 'outcome', value: ({ outcome }) => outcome },
  {
    name: 'resource',
    width: 260,
    value: resourceOf,
    label: (event) => withNames(resourceOf(event), names),
  },
  {
    name: 'project',
    value: ({ resource }) => resource.datasetId,
    label: ({ resource: { datasetId = '' } }) => names.get(datasetId) ?? datasetId,
  },
  {
    name: 'details',
    value: ({ details }) => details,
    label: ({ details }) =>
      Object.keys(details).length > 0 ? withNames(JSON.stringify(details), names) : '',
  },
  { name: 'by', value: ({ via }) => via, label: ({ via }) => via.replace(/:.*/, '') },
  { name: 'request', value: ({ requestId }) => requestId },
];

const resourceOf = ({ resource }: Event): string => `${resource.type} ${resource.id ?? ''}`;
