import { Modal, Stack, Text } from '@mantine/core';
import { pages } from '@ploidy/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { all, api } from '../../api/client.ts';
import { projects, type Shape } from '../../api/lists.ts';
import { Chart } from '../../chart/Chart.tsx';
import { stepsOf } from '../../chart/kinds.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { Grid } from '../../table/Grid.tsx';
import { type Count, totals } from './totals.ts';

/** Counts that a chart shows; older ones are left out. */
const countsMax = 5000;

/** Chart and table of the number of subjects of a cohort over time. */
export function CountHistory({ cohort, close }: { cohort: Shape<'Cohort'>; close: () => void }) {
  const { id, name } = cohort;
  const query = useQuery({
    queryKey: ['counts', id, cohort.countedTime],
    queryFn: () => {
      const path = { cohortId: id };
      const counts = pages((nextPageToken) => {
        const params = { path, query: { pageSize: 1000, nextPageToken } };
        return api.GET('/v1/cohorts/{cohortId}/counts', { params });
      });
      return all(counts, countsMax);
    },
  });
  return (
    <Modal
      opened
      onClose={close}
      title={`Counts of ${name}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? <Text size="sm">The cohort has not been counted.</Text> : <Counts list={list} />
        }
      </Loaded>
    </Modal>
  );
}

function Counts({ list }: { list: Count[] }) {
  const { data: known = [] } = useQuery(projects());
  const data = useMemo(() => totals(list), [list]);
  const options = useMemo(() => stepsOf(data, 'time', 'subjects'), [data]);
  return (
    <Stack>
      <Text size="sm">A cohort is counted when it is created, changed or read. Each new number is kept.</Text>
      <Chart title="Subjects over time" data={data} options={options} />
      <Grid
        name="Counts"
        heightMax={280}
        rows={list}
        columns={[
          {
            name: 'counted',
            value: ({ countedTime }) => countedTime,
            render: ({ countedTime }) => new Date(countedTime).toLocaleString(),
          },
          {
            name: 'project',
            value: ({ project }) => known.find(({ id }) => id === project)?.name ?? project,
          },
          { name: 'subjects', value: ({ count }) => count, numeric: true },
        ]}
      />
    </Stack>
  );
}
