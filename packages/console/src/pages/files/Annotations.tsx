import { Button, Group, Progress, Stack, Text, Title } from '@mantine/core';
import type { AnnotationChange, AnnotationSource } from '@ploidy/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lists } from '../../api/account.ts';
import { all, api, take } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { Empty, Loaded, reportError } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

/** Changes that are shown; the command line and the API have all. */
const changesMax = 2000;

const sourceColumns: Column<AnnotationSource>[] = [
  { name: 'source', value: ({ source }) => source },
  { name: 'version', value: ({ version }) => version },
  { name: 'released', value: ({ released }) => released },
  { name: 'build', value: ({ genomeBuild }) => genomeBuild },
  { name: 'rows', value: ({ rows }) => rows, numeric: true },
  { name: 'used', value: ({ isUsed }) => (isUsed ? 'yes' : 'replaced') },
  { name: 'of', value: ({ isOfService }) => (isOfService ? 'service' : 'project') },
  { name: 'ingested', value: ({ ingested }) => ingested, isTime: true },
];

const changeColumns: Column<AnnotationChange>[] = [
  { name: 'gene', value: ({ gene }) => gene },
  {
    name: 'allele',
    value: ({ chromosome, position, reference, alternate, proteinChange }) =>
      chromosome === undefined ? proteinChange : `${chromosome}:${position} ${reference}>${alternate}`,
  },
  { name: 'value', value: ({ name }) => name.replaceAll('_', ' ') },
  { name: 'before', value: ({ oldValue }) => oldValue },
  { name: 'after', value: ({ newValue }) => newValue },
  { name: 'samples', value: ({ samples }) => samples, numeric: true },
  { name: 'subjects', value: ({ subjects }) => subjects, numeric: true },
  { name: 'source', value: ({ source }) => source },
  {
    name: 'versions',
    value: ({ oldVersion, newVersion }) => `${oldVersion ?? '?'} → ${newVersion ?? '?'}`,
  },
];

/** Annotation sources of a project with their releases, the filling of its variants, and changes that concern its samples. */
export function Annotations({ project }: { project: string }) {
  const sources = useQuery({
    queryKey: ['annotations', project, 'sources'],
    queryFn: () => all(lists.annotationSources(project)),
  });
  const changes = useQuery({
    queryKey: ['annotations', project, 'changes'],
    queryFn: () => all(lists.annotationChanges(project), changesMax),
  });
  return (
    <Stack>
      <Filling project={project} />
      <Loaded query={sources}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No annotation source">
              Ingest a file of ClinVar, gnomAD, scores or a gene list with the type annotation.
            </Empty>
          ) : (
            <Grid name="Annotation sources" columns={sourceColumns} rows={list} />
          )
        }
      </Loaded>
      <Title order={3} size="h4">
        Changed by a release, and carried by samples here
      </Title>
      <Loaded query={changes}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No change concerns your samples">
              The next release of a source is compared with the one before.
            </Empty>
          ) : (
            <Grid name="Changes of annotations" columns={changeColumns} rows={list} />
          )
        }
      </Loaded>
    </Stack>
  );
}

/** Progress of the filling, which those who may update data can pause. */
function Filling({ project }: { project: string }) {
  const mayPause = useMay('updateData', { dataset: project, type: 'table' });
  const queries = useQueryClient();
  const queryKey = ['annotations', project, 'filling'];
  const { data } = useQuery({
    queryKey,
    queryFn: async () =>
      (
        await take(
          api.GET('/v1/projects/{id}/annotation-sources', {
            params: { path: { id: project }, query: { pageSize: 1 } },
          }),
        )
      ).filling,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 2000 : false),
  });
  if (!data || data.state === 'done') return null;
  const { state, rowsDone, rowsTotal } = data;
  const pause = async (): Promise<void> => {
    const body = { isPaused: state === 'running' };
    await take(api.PUT('/v1/projects/{id}/annotation-filling', { params: { path: { id: project } }, body }));
    await queries.invalidateQueries({ queryKey });
  };
  const text = `${rowsDone.toLocaleString()} of ${rowsTotal.toLocaleString()} variants have the present values (${state}). Queries are correct meanwhile, and slower.`;
  return (
    <Group>
      <Progress value={(100 * rowsDone) / rowsTotal} w={160} aria-label="Variants that are filled" />
      <Text size="sm">{text}</Text>
      {mayPause && (
        <Button size="xs" variant="default" onClick={() => void pause().catch(reportError)}>
          {state === 'running' ? 'Pause' : 'Go on'}
        </Button>
      )}
    </Group>
  );
}
