import { Select, Stack, Switch, Text, Title } from '@mantine/core';
import { pages } from '@ploidy/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { all, api } from '../../api/client.ts';
import { projects, type Shape } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Reader = Shape<'ProjectReader'>;
type Right = Reader['rights'][number];
type MaskedColumn = Shape<'MaskedColumn'>;

/** People with their rights in a project, and the columns that are masked for some of them. */
export function AccessTo({ project }: { project: string | undefined }) {
  const { data: list = [] } = useQuery(projects());
  const navigate = useNavigate();
  const choose = (chosen: string | null): void =>
    void navigate({
      to: '/account/people',
      search: { tab: 'access', ...(chosen !== null && { project: chosen }) },
      replace: true,
    });
  return (
    <Stack>
      <Select
        label="Project"
        placeholder="Choose a project"
        searchable
        maw={420}
        data={list.map(({ id, name }) => ({ value: id, label: name }))}
        value={project ?? null}
        onChange={choose}
      />
      {project === undefined ? (
        <Empty title="No project">
          Choose a project to see its readers, and the policies behind their rights.
        </Empty>
      ) : (
        <>
          <People project={project} />
          <MaskedColumns project={project} />
        </>
      )}
    </Stack>
  );
}

function People({ project }: { project: string }) {
  const [everybody, setEverybody] = useState(false);
  const query = useQuery({
    queryKey: ['project access', project],
    queryFn: () =>
      all(
        pages((nextPageToken) =>
          api.GET('/v1/projects/{id}/access', {
            params: { path: { id: project }, query: { pageSize: 100, nextPageToken } },
          }),
        ),
      ),
  });
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        People with access
      </Title>
      <Text size="sm">
        Each cell names the policies behind the right. People with accessAdmin can change policies, and so
        take every right.
      </Text>
      <Loaded query={query}>
        {(readers) => (
          <Grid
            name="People with access"
            columns={personColumns}
            rows={everybody ? readers : readers.filter(({ rights }) => rights.length > 0)}
          >
            <Switch
              size="xs"
              label="Also people without a right"
              checked={everybody}
              onChange={(event) => setEverybody(event.currentTarget.checked)}
            />
          </Grid>
        )}
      </Loaded>
    </Stack>
  );
}

const personColumns: Column<Reader>[] = [
  { name: 'name', value: ({ name }) => name },
  { name: 'e-mail', value: ({ email }) => email },
  { name: 'kind', value: ({ owner, type }) => (owner ? 'owner' : type), width: 90 },
  { name: 'reads rows', value: rowsText, width: 300 },
  { name: 'reads files', value: rightText('readFiles', { some: 'own or named ones' }), width: 260 },
  { name: 'adds files', value: rightText('createFiles', {}), width: 200 },
  { name: 'changes files', value: rightText('changeFiles', { some: 'own or named ones' }), width: 240 },
  { name: 'deletes files', value: rightText('deleteFiles', { some: 'own or named ones' }), width: 240 },
  { name: 'administers', value: rightText('administer', { all: 'yes' }), width: 220 },
];

/** Returns the text of a right: to what it applies, and by which policies. */
function rightText(right: Right['right'], words: { all?: string; some?: string }) {
  return ({ rights }: Reader): string | undefined => {
    const found = rights.find((one) => one.right === right);
    if (!found) return undefined;
    const extent = found.extent === 'all' ? (words.all ?? 'all') : (words.some ?? 'some');
    return `${extent}, by ${policiesText(found)}`;
  };
}

function policiesText({ policies, policyCount }: Right): string {
  const more = policyCount - policies.length;
  return policies.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function rowsText(reader: Reader): string | undefined {
  const real = rightText('readRows', { some: 'of some patients' })(reader);
  const isLimited = reader.rights.some(
    ({ right, extent }) => right === 'readMaskedRows' && extent === 'some',
  );
  const form = reader.countsMin > 0 ? `counts of ${reader.countsMin} patients or more` : 'masked';
  const masked = rightText('readMaskedRows', { all: form, some: `${form}, of some patients` })(reader);
  const others = masked && real && !isLimited ? `others ${masked}` : masked;
  return [real, others].filter((text) => text !== undefined).join('; ') || undefined;
}

function MaskedColumns({ project }: { project: string }) {
  const query = useQuery({
    queryKey: ['masked columns', project],
    queryFn: () =>
      all(
        pages((nextPageToken) =>
          api.GET('/v1/projects/{id}/masked-columns', {
            params: { path: { id: project }, query: { pageSize: 1000, nextPageToken } },
          }),
        ),
      ),
  });
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Masked columns
      </Title>
      <Text size="sm">
        Readers of masked rows see these columns changed, and all others as they are. Readers of some patients
        do not see tables without patients.
      </Text>
      <Loaded query={query}>
        {(columns) =>
          columns.length === 0 ? (
            <Empty title="No masked column">The project has no table with a masked column yet.</Empty>
          ) : (
            <Grid name="Masked columns" columns={maskColumns} rows={columns} />
          )
        }
      </Loaded>
    </Stack>
  );
}

const maskColumns: Column<MaskedColumn>[] = [
  { name: 'table', value: ({ table }) => table, width: 190 },
  { name: 'column', value: ({ column }) => column, width: 190 },
  { name: 'shown as', value: ({ shown }) => shown },
  { name: 'has patients', value: ({ hasPatients }) => (hasPatients ? 'yes' : 'no'), width: 120 },
];
