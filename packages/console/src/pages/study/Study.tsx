import { Button, Group, SegmentedControl, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { cohorts } from '../../api/account.ts';
import { project as projectOf, schema, useMay } from '../../api/lists.ts';
import { ExportDialogue } from '../../exports/ExportDialogue.tsx';
import { KeepableContext } from '../../reports/keeping.ts';
import { Empty, Loaded, Waiting } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { TabLink } from '../../shell/TabLink.tsx';
import { type Conditions, readConditions, writeConditions } from '../../study/conditions.ts';
import { SaveCohort } from '../../study/SaveCohort.tsx';
import type { Attribute, Unit } from '../../study/study.ts';
import { answerOf, attributesOf } from '../../study/study.ts';
import { survivalCharts } from '../../study/survival-charts.ts';
import { AddChart } from './AddChart.tsx';
import { ChartGrid } from './ChartGrid.tsx';
import { resultsIn, studyBody } from './charts.ts';
import { Data, type Table } from './Data.tsx';
import { FilterBar } from './FilterBar.tsx';
import { LayoutMenu, useLayout } from './LayoutMenu.tsx';
import { firstLayout, geneCharts, type Placed, readLayout, writeLayout } from './layout.ts';
import { NextSteps } from './NextSteps.tsx';
import { SubjectTable } from './SubjectTable.tsx';

const from = '/projects/$project';

/** A project at a glance: charts that choose subjects together, their list, and the data behind them. */
export function Page() {
  const { project } = useParams({ from });
  const { data } = useQuery(projectOf(project));
  const tables = useQuery(schema(project));
  const attributes = useQuery(attributesOf(project));
  const mayExport = useMay('readData', { dataset: project, type: 'table' });
  const [isExporting, exporting] = useDisclosure();
  const name = data?.name ?? 'Project';
  const actions = mayExport && (
    <Button variant="default" onClick={exporting.open}>
      Export
    </Button>
  );
  return (
    <Frame title={name} actions={actions}>
      <MaskedNote project={project} />
      <Loaded query={tables}>
        {(list) =>
          list.length === 0 ? (
            <Empty
              title="No data yet"
              action={
                <ButtonLink to="/projects/$project/files" params={{ project }}>
                  Add files
                </ButtonLink>
              }
            >
              Charts appear when clinical or genomic files are ingested, or a study folder of cBioPortal.
            </Empty>
          ) : (
            <Loaded query={attributes}>
              {(known) => <Content project={project} tables={list} attributes={known} />}
            </Loaded>
          )
        }
      </Loaded>
      {isExporting && <ExportDialogue project={project} name={name} close={exporting.close} />}
    </Frame>
  );
}

interface ContentProps {
  project: string;
  tables: Table[];
  attributes: Attribute[];
}

/** Waits for the saved layout, so that one request answers the charts. */
function Content(props: ContentProps) {
  const [saved, keep] = useLayout(props.project);
  return saved === undefined ? <Waiting /> : <Arranged {...props} saved={saved} keep={keep} />;
}

interface ArrangedProps extends ContentProps {
  saved: Placed[] | null;
  keep: (charts: Placed[]) => void;
}

function Arranged({ project, tables, attributes, saved, keep }: ArrangedProps) {
  const { filter, view = 'charts', charts: written, unit: counted, tour } = useSearch({ from });
  const navigate = useNavigate({ from });
  const names = tables.map(({ table }) => table);
  const unit: Unit = counted === 'sample' ? 'sample' : 'patient';
  const conditions = readConditions(filter);
  const first = firstLayout(attributes, names);
  const charts = readLayout(written) ?? saved ?? first;
  const set = (part: { filter?: string; charts?: string; unit?: string }): void =>
    void navigate({
      search: (now) => ({ ...now, ...part }),
      // The way back leads through choices of subjects, not through sizes of charts.
      replace: 'charts' in part,
      resetScroll: false,
    });
  const change = (next: Conditions): void => set({ filter: writeConditions(next) });
  const setCharts = (next: Placed[]): void => {
    keep(next);
    set({ charts: writeLayout(next) });
  };
  const query = useQuery(answerOf(studyBody(project, unit, conditions, charts, attributes)));
  const { data: list = [] } = useQuery(cohorts(project));
  const [isAdding, adding] = useDisclosure();
  const results = resultsIn(query.data, unit, conditions, charts);
  const { labels } = results;
  const chartOf = (id: string) => ({
    ...{ project, unit, conditions, change, labels, attributes },
    attribute: attributes.find((one) => one.id === id),
    name: [...attributes, ...survivalCharts(attributes)].find((one) => one.id === id)?.name,
    ...(results.charts.get(id) ?? { result: undefined, total: null }),
  });
  const tab = ['charts', 'subjects', 'data'].includes(view) ? view : 'charts';
  const search = { filter, charts: written, unit: counted };
  return (
    <>
      {tour === 'sample' && <NextSteps project={project} tables={names} />}
      <FilterBar
        {...{ project, conditions, change }}
        known={{ attributes, labels, cohorts: list }}
        results={results}
        isStale={query.isPlaceholderData}
        error={query.error}
      >
        {[...geneCharts.values()].some(({ table }) => names.includes(table)) && (
          <ButtonLink
            size="compact-sm"
            variant="default"
            to="/projects/$project/oncoprint"
            params={{ project }}
            search={{ filter, unit }}
          >
            Oncoprint
          </ButtonLink>
        )}
        <SaveCohort project={project} unit={unit} conditions={conditions} count={results.matched?.patients} />
      </FilterBar>
      <Tabs value={tab} keepMounted={false}>
        <Group justify="space-between" align="end" mb="xs">
          <Tabs.List style={{ flex: '1 1 260px' }}>
            <TabLink value="charts" to={from} params={{ project }} search={search}>
              Charts
            </TabLink>
            <TabLink value="subjects" to={from} params={{ project }} search={{ ...search, view: 'subjects' }}>
              Subjects
            </TabLink>
            <TabLink value="data" to={from} params={{ project }} search={{ ...search, view: 'data' }}>
              Data
            </TabLink>
          </Tabs.List>
          {tab === 'charts' && (
            <Group gap="xs">
              <SegmentedControl
                size="xs"
                aria-label="Counted"
                data={[
                  { value: 'patient', label: 'Subjects' },
                  { value: 'sample', label: 'Samples' },
                ]}
                value={unit}
                onChange={(next) => set({ unit: next === 'sample' ? next : '' })}
              />
              <LayoutMenu {...{ project, charts, setCharts, first }} />
              <Button size="xs" variant="default" onClick={adding.open}>
                Add charts
              </Button>
            </Group>
          )}
        </Group>
        <Tabs.Panel value="charts">
          <KeepableContext value={{ project, page: 'study', version: query.data?.version }}>
            <ChartGrid charts={charts} setCharts={setCharts} chartOf={chartOf} />
          </KeepableContext>
        </Tabs.Panel>
        <Tabs.Panel value="subjects">
          <SubjectTable
            {...{ project, unit, conditions, attributes, labels }}
            counted={{ patients: results.matched?.patients, at: query.dataUpdatedAt, again: query.refetch }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="data">
          <Data project={project} tables={tables} />
        </Tabs.Panel>
      </Tabs>
      {isAdding && (
        <AddChart
          {...{ project, unit, conditions, attributes, charts, setCharts }}
          tables={names}
          close={adding.close}
        />
      )}
    </>
  );
}
