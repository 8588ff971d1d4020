import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { cohorts } from './api/account.ts';
import { schema } from './api/lists.ts';
import { choiceIn } from './chart/result-chart.ts';
import type { Endpoint } from './pages/compare/endpoints.ts';
import { drawn, readGroups } from './pages/compare/groups.ts';
import { endpointIn, GroupCurves } from './pages/compare/SurvivalTab.tsx';
import { KeptOncoprint } from './pages/oncoprint/Oncoprint.tsx';
import { Plot } from './pages/plots/Plots.tsx';
import { ResultChart } from './pages/sql/ChartBuilder.tsx';
import { statementRows } from './pages/sql/run.ts';
import { resultsIn, studyBody } from './pages/study/charts.ts';
import { StudyChart } from './pages/study/StudyChart.tsx';
import { KeepableContext } from './reports/keeping.ts';
import type { Figure as KeptFigure } from './reports/reports.ts';
import { Loaded } from './shell/Feedback.tsx';
import { type Node, nodeOf, readConditions } from './study/conditions.ts';
import { type Attribute, answerOf, attributesOf, type Unit } from './study/study.ts';
import { survivalCharts } from './study/survival-charts.ts';
import { conditionText } from './study/words.ts';

interface Props {
  project: string;
  figure: KeptFigure;
}

/** Draws a kept figure anew, under the rights of the reader. */
export function Figure({ project, figure }: Props) {
  const attributes = useQuery(attributesOf(project));
  const tables = useQuery(schema(project));
  return (
    <KeepableContext value={undefined}>
      <Loaded query={attributes}>
        {(known) => (
          <Loaded query={tables}>
            {(list) => (
              <>
                <Chosen {...{ project, figure }} attributes={known} />
                <ByPage {...{ project, figure }} attributes={known} tables={list.map(({ table }) => table)} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </KeepableContext>
  );
}

/** The conditions of a figure in words: without them its numbers mean nothing. */
function Chosen({ project, figure, attributes }: Omit<KnownProps, 'tables'>) {
  const { data: list = [] } = useQuery(cohorts(project));
  const search = Object.fromEntries(new URLSearchParams(figure.state));
  // Without a unit, an oncoprint is of samples.
  const isOfSamples =
    figure.page === 'oncoprint' ? search['unit'] !== 'patient' : unitOf(search) === 'sample';
  const counted = isOfSamples ? 'Samples' : 'Subjects';
  const known = { attributes, labels: new Map(), cohorts: list };
  const conditions = readConditions(search['filter']);
  const chosen = conditions.length === 0 ? 'all' : conditionText({ is: nodeOf(conditions) }, known);
  if (figure.page === 'comparison' || figure.page === 'sql') return null;
  return <p className="report-chosen">{`${counted}: ${chosen}.`}</p>;
}

interface KnownProps extends Props {
  attributes: Attribute[];
  tables: string[];
}

function ByPage(props: KnownProps) {
  const { project, figure, attributes, tables } = props;
  const search = Object.fromEntries(new URLSearchParams(figure.state));
  switch (figure.page) {
    case 'plots':
      return <Plot {...{ project, attributes, search }} />;
    case 'oncoprint':
      return <KeptOncoprint {...{ project, attributes, search }} />;
    case 'study':
      return <OfStudy {...props} search={search} />;
    case 'comparison':
      return (
        <GroupCurves
          project={project}
          unit={unitOf(search)}
          groups={drawn(readGroups(search['groups']))}
          overlap={
            search['overlap'] === 'exclude' || search['overlap'] === 'include' ? search['overlap'] : undefined
          }
          {...endpointIn(search, attributes, tables)}
        />
      );
    case 'sql':
      return <OfStatement project={project} search={search} />;
    default:
      return <Text>This version of the console cannot draw the figure.</Text>;
  }
}

/** Chart of a statement, which runs again under the rights of the reader. */
function OfStatement({ project, search }: { project: string; search: Record<string, string> }) {
  const { sql = '' } = search;
  const choice = useMemo(() => choiceIn(search), [search]);
  const query = useQuery(statementRows(project, sql));
  return (
    <Loaded query={query}>
      {({ columns, rows }) => (
        <>
          <p className="report-chosen">{`Statement: ${sql}`}</p>
          <ResultChart {...{ choice, rows }} headings={columns.map(({ name }) => name)} />
        </>
      )}
    </Loaded>
  );
}

interface IndexProps {
  project: string;
  /** Members of the cohort. */
  is: Node;
  endpoint: Endpoint;
}

/** Survival of a cohort from its index event. */
export function IndexCurves({ project, is, endpoint }: IndexProps) {
  const groups = JSON.stringify([{ name: 'Cohort', is }]);
  const state = new URLSearchParams({ groups, endpoint: JSON.stringify(endpoint), tab: 'survival' });
  return (
    <GroupCurves
      {...{ project, unit: 'patient', overlap: undefined, times: [] }}
      state={String(state)}
      groups={drawn(readGroups(groups))}
      chosen={{ id: 'timed', name: 'time from the index event', unit: 'days', endpoint }}
    />
  );
}

const unitOf = ({ unit }: Record<string, string>): Unit => (unit === 'sample' ? unit : 'patient');

/** One chart of a study. Conditions cannot be changed here. */
function OfStudy({ project, figure, attributes, search }: KnownProps & { search: Record<string, string> }) {
  const unit = unitOf(search);
  const conditions = readConditions(search['filter']);
  const [id = '', setting = ''] = (figure.chart ?? '').split('~');
  const placed = { id, width: 2, height: 2, ...(setting !== '' && { setting }) };
  const query = useQuery(answerOf(studyBody(project, unit, conditions, [placed], attributes)));
  const { charts, labels } = resultsIn(query.data, unit, conditions, [placed]);
  return (
    <div className="study-grid report-chart">
      <StudyChart
        {...{ project, unit, conditions, labels, placed, attributes }}
        change={() => undefined}
        columns={2}
        attribute={attributes.find((one) => one.id === id)}
        name={[...attributes, ...survivalCharts(attributes)].find((one) => one.id === id)?.name}
        {...(charts.get(id) ?? { result: undefined, total: null })}
      />
    </div>
  );
}
