import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { Conditions } from '../../study/conditions.ts';
import type { Attribute, Unit } from '../../study/study.ts';
import { answerOf } from '../../study/study.ts';
import { survivalCharts } from '../../study/survival-charts.ts';
import { shownShare } from '../../words/dictionary.ts';
import { type Result, resultsIn, studyBody } from './charts.ts';
import { eventCharts, geneCharts, type Placed, placed } from './layout.ts';

interface Props {
  project: string;
  unit: Unit;
  conditions: Conditions;
  attributes: readonly Attribute[];
  charts: readonly Placed[];
  setCharts: (charts: Placed[]) => void;
  close: () => void;
}

const shownMax = 12;

/** Dialogue that finds any attribute by its name, with a preview of its values among the chosen subjects. */
export function AddChart({ project, unit, conditions, attributes, charts, setCharts, close }: Props) {
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed).toLowerCase().split(/\s+/).filter(Boolean);
  const genes = [...geneCharts, ...eventCharts].map(([id, { title }]) => ({
    id,
    name: title,
    share: undefined,
    type: 'string',
  }));
  const survival = survivalCharts(attributes).map((one) => ({ ...one, share: undefined, type: 'survival' }));
  const found = [...attributes, ...genes, ...survival]
    .filter(({ id, name }) => words.every((word) => `${name} ${id}`.toLowerCase().includes(word)))
    .slice(0, shownMax);
  const previews = found.map(({ id }): Placed => ({ id, width: 1, height: 1 }));
  const { data } = useQuery(answerOf(studyBody(project, unit, conditions, previews, attributes)));
  const { charts: shown } = resultsIn(data, unit, conditions, previews);
  return (
    <Modal opened onClose={close} title="Charts" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <TextInput
        label="Search attributes"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Stack gap={6} mt="sm">
        {found.map((one) => {
          const isShown = charts.some(({ id }) => id === one.id);
          const chart =
            one.share === undefined
              ? { id: one.id, width: 2, height: one.type === 'survival' ? 1 : 2 }
              : placed(one as Attribute);
          return (
            <Group key={one.id} wrap="nowrap" justify="space-between">
              <Text size="sm" style={{ flex: 1 }} truncate title={one.id}>
                {one.name}
                {one.share !== undefined && (
                  <Text span size="xs" c="var(--soft)">{` ${shownShare(one.share)} with a value`}</Text>
                )}
              </Text>
              <Preview result={shown.get(one.id)?.result} />
              <Button
                size="compact-sm"
                variant={isShown ? 'default' : 'light'}
                aria-label={`${isShown ? 'Remove' : 'Add'} the chart ${one.name}`}
                onClick={() =>
                  setCharts(isShown ? charts.filter(({ id }) => id !== one.id) : [chart, ...charts])
                }
              >
                {isShown ? 'Remove' : 'Add'}
              </Button>
            </Group>
          );
        })}
        {found.length === 0 && <Text size="sm">No attribute has this in its name.</Text>}
      </Stack>
    </Modal>
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
