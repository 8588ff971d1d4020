import { Button, Group, Modal, Select, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { Conditions } from '../../study/conditions.ts';
import { pairId } from '../../study/pair-charts.ts';
import type { Attribute, Unit } from '../../study/study.ts';
import { answerOf } from '../../study/study.ts';
import { survivalCharts } from '../../study/survival-charts.ts';
import { shownShare } from '../../words/dictionary.ts';
import { type Result, resultsIn, studyBody } from './charts.ts';
import { courseCharts, geneCharts, type Placed, placed } from './layout.ts';

interface Props {
  project: string;
  unit: Unit;
  conditions: Conditions;
  attributes: readonly Attribute[];
  /** Names of the tables that have rows. */
  tables: readonly string[];
  charts: readonly Placed[];
  setCharts: (charts: Placed[]) => void;
  close: () => void;
}

/** Charts with a preview; the rest is found by its name. */
const shownMax = 12;

/** Chart that the dialogue offers. */
interface Offered {
  id: string;
  name: string;
  /** Table or file of an attribute whose name others have too. */
  origin?: string;
  placed: Placed;
}

/** Dialogue that finds any attribute by its name, with a preview and its share of values among the chosen subjects. */
export function AddChart({ attributes, tables, close, ...rest }: Props) {
  return (
    <Modal opened onClose={close} title="Add charts" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Tabs defaultValue="one" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="one">One attribute</Tabs.Tab>
          <Tabs.Tab value="two">Two attributes</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="one">
          <OneAttribute {...rest} attributes={attributes} tables={tables} />
        </Tabs.Panel>
        <Tabs.Panel value="two">
          <TwoAttributes {...rest} attributes={attributes} />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}

type TabProps = Omit<Props, 'close'>;

function OneAttribute({ project, unit, conditions, attributes, tables, charts, setCharts }: TabProps) {
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed).toLowerCase().split(/\s+/).filter(Boolean);
  const all = offeredCharts(attributes, tables).filter(({ id, name }) =>
    words.every((word) => `${name} ${id}`.toLowerCase().includes(word)),
  );
  const found = all.slice(0, shownMax);
  const previews = found.map(({ id }): Placed => ({ id, width: 1, height: 1 }));
  const body = studyBody(project, unit, conditions, previews, attributes);
  const aggregates = [...body.aggregates, { id: coverage, kind: 'coverage' as const }];
  const { data } = useQuery(answerOf({ ...body, aggregates }));
  const { charts: shown } = resultsIn(data, unit, conditions, previews);
  const shares = new Map(
    (data?.results[coverage]?.coverage?.items ?? []).map(({ attribute, share }) => [attribute, share]),
  );
  const counted = `${conditions.length > 0 ? 'chosen ' : ''}${unit === 'sample' ? 'samples' : 'subjects'}`;
  return (
    <>
      <TextInput
        label="Search charts"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Stack gap={6} mt="sm">
        {found.map(({ id, name, origin, placed: chart }) => {
          const isShown = charts.some((one) => one.id === id);
          const share = shares.get(id);
          return (
            <Group key={id} wrap="nowrap" justify="space-between">
              <Text size="sm" style={{ flex: 1 }} truncate title={id}>
                {name}
                {origin !== undefined && ` (${origin})`}
                {share !== undefined && (
                  <Text span size="xs" c="var(--soft)">{` ${shownShare(share)} of ${counted}`}</Text>
                )}
              </Text>
              <Preview result={shown.get(id)?.result} />
              <Button
                size="compact-sm"
                variant={isShown ? 'default' : 'light'}
                aria-label={`${isShown ? 'Remove' : 'Add'} the chart ${name}`}
                onClick={() =>
                  setCharts(isShown ? charts.filter((one) => one.id !== id) : [chart, ...charts])
                }
              >
                {isShown ? 'Remove' : 'Add'}
              </Button>
            </Group>
          );
        })}
        <Text size="sm" role="status">
          {all.length === 0
            ? 'No chart has this in its name.'
            : all.length > found.length
              ? `${(all.length - found.length).toLocaleString()} others: search by their names.`
              : ''}
        </Text>
      </Stack>
    </>
  );
}

/** Id of the aggregate of the subjects with values. */
const coverage = 'coverage';

/** Lists the charts of a study: attributes, genes, survival, treatments, and what was examined. */
function offeredCharts(attributes: readonly Attribute[], tables: readonly string[]): Offered[] {
  const names = Map.groupBy(attributes, ({ name }) => name);
  const ofAttributes = attributes.map(({ id, name, origin, type }): Offered => {
    const isShared = (names.get(name)?.length ?? 0) > 1;
    const where = origin === 'study' ? 'study file' : (id.split('.').at(-2) ?? 'table');
    return { id, name, placed: placed({ id, type }), ...(isShared && { origin: where }) };
  });
  const ofTables = [...geneCharts, ...courseCharts]
    .filter(([, { table }]) => tables.includes(table))
    .map(([id, { title }]): Offered => ({ id, name: title, placed: { id, width: 2, height: 2 } }));
  const survival = survivalCharts(attributes).map(
    ({ id, name }): Offered => ({ id, name, placed: { id, width: 2, height: 1 } }),
  );
  return [...ofAttributes, ...ofTables, ...survival];
}

/** Choice of two attributes: dots of numbers, boxes of numbers by category, or a table of categories. */
function TwoAttributes({
  attributes,
  charts,
  setCharts,
}: Pick<TabProps, 'attributes' | 'charts' | 'setCharts'>) {
  const [x, setX] = useState<string | null>(null);
  const [y, setY] = useState<string | null>(null);
  const data = attributes.map(({ id, name }) => ({ value: id, label: name }));
  const id = x !== null && y !== null && x !== y ? pairId(x, y) : undefined;
  const isShown = charts.some((one) => one.id === id);
  return (
    <Stack>
      <Group grow>
        <Select label="Across" searchable allowDeselect={false} data={data} value={x} onChange={setX} />
        <Select
          label="Up, or in columns"
          searchable
          allowDeselect={false}
          data={data}
          value={y}
          onChange={setY}
          error={x !== null && x === y && 'Choose another attribute.'}
        />
      </Group>
      <Text size="sm" c="var(--soft)">
        Two numbers are dots, or a density of more than 5,000; a number and a category are boxes; two
        categories are a table.
      </Text>
      <Button
        disabled={id === undefined || isShown}
        onClick={() => id !== undefined && setCharts([{ id, width: 2, height: 2 }, ...charts])}
      >
        {isShown ? 'Added' : 'Add'}
      </Button>
    </Stack>
  );
}

/** Bars of a preview. */
const barsMax = 12;
const barWidth = 8;
const previewHeight = 24;

/** Distribution of an attribute in the size of a word. */
function Preview({ result }: { result: Result | undefined }) {
  const counts = (
    result?.bins?.bars.map(({ count }) => count) ??
    result?.values?.items.map(({ count }) => count) ??
    result?.genes?.items.map(({ altered }) => altered) ??
    result?.km?.curves[0]?.steps.map(({ atRisk }) => atRisk) ??
    []
  )
    .map((count) => count ?? 0)
    .slice(0, barsMax);
  const highest = Math.max(1, ...counts);
  return (
    <svg width={barsMax * barWidth} height={previewHeight} aria-hidden="true">
      {counts.map((count, at) => {
        const height = (count / highest) * previewHeight;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
            key={at}
            x={at * barWidth}
            y={previewHeight - height}
            width={barWidth - 1}
            height={height}
            fill="var(--chart-main)"
          />
        );
      })}
    </svg>
  );
}
