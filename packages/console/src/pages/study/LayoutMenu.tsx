import { Button, Menu } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { notify, reportError } from '../../shell/Feedback.tsx';
import type { Placed } from './layout.ts';

type Scope = 'person' | 'project';

/** Layout that a person saved, or else the one of the project; without charts where there is none. */
const layoutOf = (datasetId: string, scope?: Scope) =>
  queryOptions({
    queryKey: ['study-layout', datasetId, scope],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Placed[] | null> => {
      const query = { datasetId, ...(scope && { scope }) };
      const { charts } = await take(api.GET('/v1/analytics/study/layout', { params: { query } }));
      if (!charts) return null;
      return charts
        .toSorted((one, other) => one.position - other.position)
        .map(({ id, width, height, view }) => ({ id, width, height, ...(view && { setting: view }) }));
    },
  });

async function save(datasetId: string, scope: Scope, charts: readonly Placed[]): Promise<void> {
  const body = {
    charts: charts.map(({ id, width, height, setting }, position) => ({
      ...{ id, width, height, position },
      ...(setting && { view: setting }),
    })),
  };
  await take(api.PUT('/v1/analytics/study/layout', { params: { query: { datasetId, scope } }, body }));
}

/** Pause after the last change of a layout until it is saved. */
const saveAfterMs = 800;

/** Returns the saved layout of a project (`undefined`: not known yet), and the function that keeps a changed one. */
export function useLayout(project: string): [Placed[] | null | undefined, (charts: Placed[]) => void] {
  const queries = useQueryClient();
  const { data, error } = useQuery(layoutOf(project));
  const send = useDebouncedCallback(
    (charts: Placed[]) => void save(project, 'person', charts).catch(reportError),
    { delay: saveAfterMs, flushOnUnmount: true },
  );
  const keep = (charts: Placed[]): void => {
    queries.setQueryData(layoutOf(project).queryKey, charts);
    send(charts);
  };
  return [error ? null : data, keep];
}

interface Props {
  project: string;
  charts: readonly Placed[];
  /** Shows other charts and keeps them. */
  setCharts: (charts: Placed[]) => void;
  /** Charts of a study without a layout. */
  first: Placed[];
}

/** Menu that shares the layout with all readers of a project, or takes the shared or the first one. */
export function LayoutMenu({ project, charts, setCharts, first }: Props) {
  const queries = useQueryClient();
  const mayUpdate = useMay('updateData', { dataset: project, type: 'table' });
  const mayAdministrate = useMay('projectAdmin', { dataset: project, type: 'table' });
  const { data: shared } = useQuery(layoutOf(project, 'project'));
  const share = async (): Promise<void> => {
    await save(project, 'project', charts);
    await queries.invalidateQueries({ queryKey: layoutOf(project, 'project').queryKey });
    notify('All readers of this project see these charts first.');
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default">
          Layout
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Your layout is saved as you change it</Menu.Label>
        {(mayUpdate || mayAdministrate) && (
          <Menu.Item onClick={() => void share().catch(reportError)}>Share with the project</Menu.Item>
        )}
        {shared && <Menu.Item onClick={() => setCharts(shared)}>Take the shared layout</Menu.Item>}
        <Menu.Item onClick={() => setCharts(first)}>Start again</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
