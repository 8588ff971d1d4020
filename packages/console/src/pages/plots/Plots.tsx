import { Checkbox, Group as Row, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { KeepableContext } from '../../reports/keeping.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { nodeOf, readConditions } from '../../study/conditions.ts';
import { type Attribute, answerOf, attributesOf, type Unit } from '../../study/study.ts';
import { axisName, axisOptions, type Point, plottedOf } from './axes.ts';
import { PlotFigure } from './PlotFigure.tsx';

const from = '/projects/$project/plots';

/** Any two values of subjects against each other, with a third as colour. */
export function Page() {
  const { project } = useParams({ from });
  const query = useQuery(attributesOf(project));
  return (
    <Frame title="Plots">
      <MaskedNote project={project} />
      <Loaded query={query}>{(attributes) => <Content attributes={attributes} />}</Loaded>
    </Frame>
  );
}

function Content({ attributes }: { attributes: Attribute[] }) {
  const { project } = useParams({ from });
  const search = useSearch({ from });
  const { x, y, colour, logs = '' } = search;
  const navigate = useNavigate({ from });
  const set = (part: Record<string, string>): void =>
    void navigate({ search: (now) => ({ ...now, ...part }), resetScroll: false });
  const axis = (key: 'x' | 'y' | 'colour', label: string, value: string | undefined) => (
    <AxisChoice {...{ attributes, label, value }} change={(next) => set({ [key]: next })} />
  );
  const log = (key: 'x' | 'y') => (
    <Checkbox
      mb={8}
      label={`log ${key}`}
      checked={logs.includes(key)}
      onChange={(event) =>
        set({ logs: event.currentTarget.checked ? `${logs}${key}` : logs.replace(key, '') })
      }
    />
  );
  return (
    <Stack>
      <Row align="end">
        {axis('x', 'Horizontal', x)}
        {axis('y', 'Vertical', y)}
        {axis('colour', 'Colour', colour)}
        {log('x')}
        {log('y')}
      </Row>
      {x && y ? (
        <Plot {...{ project, attributes, search }} />
      ) : (
        <Empty title="Choose two axes">
          Attributes, or a gene: type its symbol for its expression, mutations, copy number and fusions.
        </Empty>
      )}
    </Stack>
  );
}

/** Settings of a plot, as its address has them. */
interface PlotSearch {
  x?: string;
  y?: string;
  colour?: string;
  logs?: string;
  filter?: string;
  unit?: string;
}

interface PlotProps {
  project: string;
  attributes: Attribute[];
  search: PlotSearch;
}

/** Plot of two values that its settings name. */
export function Plot({ project, attributes, search }: PlotProps) {
  const { x = '', y = '', colour, logs = '', filter, unit: counted } = search;
  const unit: Unit = counted === 'sample' ? 'sample' : 'patient';
  const query = useQuery(
    answerOf({
      ...{ datasetId: project, unit, filter: nodeOf(readConditions(filter)) },
      aggregates: [{ id: 'plot', kind: 'points', x, y, ...(colour && { colour }) }],
    }),
  );
  return (
    <Loaded query={query}>
      {({ results, version }) => {
        const { points, error } = results['plot'] ?? {};
        if (error) return <Text role="alert">{error.message}</Text>;
        return (
          points && (
            <KeepableContext value={{ project, page: 'plots', version }}>
              <Drawn {...{ project, attributes, x, y, colour, logs, filter, unit }} points={points.points} />
            </KeepableContext>
          )
        );
      }}
    </Loaded>
  );
}

interface ChoiceProps {
  attributes: Attribute[];
  label: string;
  value: string | undefined;
  change: (value: string) => void;
}

function AxisChoice({ attributes, label, value, change }: ChoiceProps) {
  const [typed, setTyped] = useState('');
  return (
    <Select
      label={label}
      placeholder="Attribute or gene"
      searchable
      clearable
      w={260}
      limit={100}
      data={axisOptions(attributes, typed, value)}
      value={value || null}
      onSearchChange={setTyped}
      onChange={(next) => change(next ?? '')}
    />
  );
}

interface DrawnProps {
  project: string;
  attributes: Attribute[];
  x: string;
  y: string;
  colour: string | undefined;
  logs: string;
  filter: string | undefined;
  unit: Unit;
  points: Point[];
}

function Drawn({ project, attributes, x, y, colour, logs, filter, unit, points }: DrawnProps) {
  const plotted = useMemo(
    () => plottedOf(points, { x: logs.includes('x'), y: logs.includes('y') }),
    [points, logs],
  );
  const hasNumbers = (axis: string): boolean =>
    axis.startsWith('expression:') || attributes.some(({ id }) => id === axis);
  return (
    <>
      {plotted.points.length === 0 ? (
        <Empty title="Nothing to draw">No subject that you may see has both values.</Empty>
      ) : (
        <PlotFigure
          project={project}
          plotted={plotted}
          names={{
            x: axisName(x, attributes),
            y: axisName(y, attributes),
            ...(colour && { colour: axisName(colour, attributes) }),
          }}
          logs={logs}
          chosen={hasNumbers(x) && hasNumbers(y) ? { x, y, filter, unit } : undefined}
        />
      )}
      <Text size="sm">
        {plotted.words.join('. ')}.{plotted.kind === 'numbers' && ' A line drawn around points chooses them.'}
        {plotted.hidden > 0 && ` ${plotted.hidden} without a value above 0 are left out.`} Tests take subjects
        as independent; correlations and lines are of single values without other causes.
      </Text>
    </>
  );
}
