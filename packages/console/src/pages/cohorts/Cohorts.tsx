import { Anchor, Button, Group, MultiSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { cohorts, type Shape, useMay } from '../../api/lists.ts';
import { Confirm } from '../../shell/Confirm.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { ExportDialogue } from '../exports/ExportDialogue.tsx';
import { Compare } from './Compare.tsx';
import { CountHistory } from './CountHistory.tsx';

type Cohort = Shape<'Cohort'>;

const comparedMax = 4;

/** Cohorts of a project: members, SQL, comparison. */
export function Page() {
  const { project = '' } = useParams({ strict: false });
  const { compare = '' } = useSearch({ strict: false }) as Record<string, string>;
  const chosen = compare.split(',').filter(Boolean);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const query = useQuery(cohorts(project));
  const mayDelete = useMay('deleteData', { dataset: project, type: 'cohort' });
  const mayExport = useMay('readData', { dataset: project, type: 'table' });
  const [exported, setExported] = useState<Cohort>();
  const [removed, setRemoved] = useState<Cohort>();
  const [shown, setShown] = useState<Cohort>();
  const remove = async (): Promise<void> => {
    await take(api.DELETE('/v1/cohorts/{cohortId}', { params: { path: { cohortId: removed?.id ?? '' } } }));
    await queries.invalidateQueries({ queryKey: ['cohorts', project] });
  };
  const build = (
    <Button component={Link} to={`/projects/${project}/subjects`}>
      Build a cohort
    </Button>
  );
  return (
    <Frame title="Cohorts" actions={build}>
      <MaskedNote project={project} />
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No cohort yet" action={build}>
              Choose subjects by their properties and save them as a cohort.
            </Empty>
          ) : (
            <>
              <Grid
                name="Cohorts"
                columns={columnsOf(
                  project,
                  setShown,
                  mayExport ? setExported : undefined,
                  mayDelete ? setRemoved : undefined,
                )}
                rows={list}
              />
              <MultiSelect
                label="Compare two to four cohorts"
                data={list.map(({ id, name, resultCount }) => ({
                  value: id,
                  label: `${name} (${resultCount})`,
                }))}
                value={chosen}
                maxValues={comparedMax}
                searchable
                onChange={(ids) =>
                  void navigate({
                    to: '.',
                    search: { compare: ids.join(',') } as never,
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
              {chosen.length > 1 && (
                <Compare project={project} cohorts={list.filter(({ id }) => chosen.includes(id))} />
              )}
            </>
          )
        }
      </Loaded>
      {shown && <CountHistory cohort={shown} close={() => setShown(undefined)} />}
      {exported && (
        <ExportDialogue
          project={project}
          cohort={exported.id}
          name={exported.name}
          close={() => setExported(undefined)}
        />
      )}
      {removed && (
        <Confirm
          title={`Delete ${removed.name}?`}
          action="Delete"
          run={remove}
          close={() => setRemoved(undefined)}
        >
          The cohort of {removed.resultCount.toLocaleString()} subjects will be removed. The subjects stay.
        </Confirm>
      )}
    </Frame>
  );
}

function columnsOf(
  project: string,
  show: (cohort: Cohort) => void,
  exportIt: ((cohort: Cohort) => void) | undefined,
  remove: ((cohort: Cohort) => void) | undefined,
): Column<Cohort>[] {
  const sqlOf = (id: string): string =>
    `SELECT *\nFROM patient\nJOIN cohort USING (patient_id)\nWHERE cohort_id = '${id}'`;
  return [
    {
      name: 'cohort',
      value: ({ name }) => name,
      render: ({ id, name }) => (
        <Anchor
          component={Link}
          size="sm"
          to={`/projects/${project}/subjects`}
          {...({ search: { cohort: id } } as object)}
        >
          {name}
        </Anchor>
      ),
    },
    { name: 'subjects', value: ({ resultCount }) => resultCount, numeric: true },
    { name: 'description', value: ({ description }) => description },
    {
      name: 'counted',
      value: ({ countedTime }) => countedTime,
      render: ({ countedTime }) => new Date(countedTime).toLocaleString(),
    },
    { name: 'error', value: ({ error }) => error },
    {
      name: 'actions',
      isAction: true,
      width: 290,
      value: () => '',
      render: (cohort) => (
        <Group gap={4} wrap="nowrap">
          <Button
            component={Link}
            size="compact-xs"
            variant="default"
            to={`/projects/${project}/sql`}
            {...({ search: { sql: sqlOf(cohort.id) } } as object)}
          >
            SQL
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => show(cohort)}>
            Counts
          </Button>
          {exportIt && (
            <Button size="compact-xs" variant="default" onClick={() => exportIt(cohort)}>
              Export
            </Button>
          )}
          {remove && (
            <Button size="compact-xs" variant="default" onClick={() => remove(cohort)}>
              Delete
            </Button>
          )}
        </Group>
      ),
    },
  ];
}
