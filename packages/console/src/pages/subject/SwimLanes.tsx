import { ActionIcon, Button, Card, Group, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useSize } from '../../chart/useSize.ts';
import { Icon } from '../../design/Icon.tsx';
import { Grid } from '../../table/Grid.tsx';
import { Curve, heightOf, isCurve, Marks, Scale } from './LaneMarks.tsx';
import { dayText, type Event, type History, type Lane } from './lanes.ts';

const axisHeight = 24;
/** Points nearer than this are one mark, in pixels. */
const markSize = 10;
/** Room for the lowest and the highest value of tests. */
const valuesWidth = 64;
const kindHeight = 18;
/** Tests that are shown at first. */
const testsMax = 4;
const lanesMax = 60;

/** Ends of the axis, in days. */
interface View {
  from: number;
  to: number;
}

/** History of a patient in lines: spans are bars, points are dots, and tests with numbers are curves. */
export function SwimLanes({ history: { lanes: all, firstDate } }: { history: History }) {
  const [reference, { width }] = useSize();
  const clip = useId();
  const [hasAll, setAll] = useState(false);
  const tests = all.filter(isCurve).sort((one, other) => other.events.length - one.events.length);
  const hidden = hasAll ? [] : tests.slice(testsMax);
  const lanes = all.filter((lane) => !hidden.includes(lane)).slice(0, lanesMax);
  const whole = viewOf(all.flatMap((lane) => lane.events));
  const [chosen, setView] = useState<View>();
  const [tip, setTip] = useState<Event[]>();
  if (lanes.length === 0) return null;
  const view = chosen ?? whole;
  const namesWidth = width > 520 ? 200 : 110;
  const inner = Math.max(60, width - namesWidth - valuesWidth);
  const x = (day: number): number => namesWidth + ((day - view.from) / (view.to - view.from)) * inner;
  const zoom = (factor: number, shift = 0): void => {
    const size = (view.to - view.from) * factor;
    const middle = (view.from + view.to) / 2 + shift * (view.to - view.from);
    setView({ from: middle - size / 2, to: middle + size / 2 });
  };
  const placed = placedLanes(lanes);
  const height = (placed.at(-1)?.bottom ?? axisHeight) + 4;
  return (
    <Card withBorder padding="sm" component="section" aria-label="History">
      <Group justify="space-between" mb={4}>
        <Title order={2} size="h4">
          History
        </Title>
        <Group gap={4} role="group" aria-label="Size of the history">
          <Tool label="Earlier" name="left" run={() => zoom(1, -0.4)} />
          <Tool label="Later" name="right" run={() => zoom(1, 0.4)} />
          <Tool label="Shorter time" name="plus" run={() => zoom(0.5)} />
          <Tool label="Longer time" name="minus" run={() => zoom(2)} />
          <Tool label="Whole history" name="wider" run={() => setView(undefined)} />
        </Group>
      </Group>
      <div ref={reference}>
        <svg
          className="lanes"
          role="img"
          aria-label="History of the subject; its table is below"
          width={width}
          height={height}
        >
          <clipPath id={clip}>
            <rect x={namesWidth - 6} y={0} width={inner + 12} height={height} />
          </clipPath>
          {ticksOf(view, inner).map((day) => (
            <g key={day}>
              <line
                x1={x(day)}
                x2={x(day)}
                y1={axisHeight - 6}
                y2={height}
                stroke="currentColor"
                opacity={day === 0 ? 0.6 : 0.15}
              />
              <text x={x(day)} y={axisHeight - 10} textAnchor="middle">
                {dayText(day)}
              </text>
            </g>
          ))}
          {placed.map(({ lane, top, title }) => (
            <g key={lane.name} transform={`translate(0 ${top})`}>
              {title && (
                <text className="lanes-kind" x={0} y={-4}>
                  {lane.kind}
                </text>
              )}
              <text x={lane.label === lane.kind ? 0 : 10} y={heightOf(lane) / 2} dominantBaseline="central">
                <title>{lane.name}</title>
                {cut(lane.label, (namesWidth - 14) / 7.2)}
              </text>
              {isCurve(lane) && <Scale events={lane.events} left={width - valuesWidth + 10} />}
              <g clipPath={`url(#${clip})`}>
                {isCurve(lane) ? (
                  <Curve events={lane.events} x={x} point={setTip} />
                ) : (
                  <Marks
                    lane={lane}
                    x={x}
                    distance={(markSize / inner) * (view.to - view.from)}
                    point={setTip}
                  />
                )}
              </g>
            </g>
          ))}
        </svg>
      </div>
      <Text size="sm" mih={22} role="status">
        {tip && <bdi>{tipText(tip)}</bdi>}
      </Text>
      {tests.length > testsMax && (
        <Button
          size="compact-xs"
          variant="default"
          mb={4}
          style={{ alignSelf: 'start' }}
          onClick={() => setAll(!hasAll)}
        >
          {hasAll ? `Only ${testsMax} tests` : `All ${tests.length} tests`}
        </Button>
      )}
      <Text size="xs">
        {firstDate === undefined
          ? 'Days as the source counts them.'
          : `Day 0: ${firstDate}, the first diagnosis (one with a stage before others).`}
        {all.length > lanesMax && ` The first ${lanesMax} of ${all.length} lines.`}
      </Text>
      <details className="print-table">
        <summary>Table of the history</summary>
        <Grid
          name="History"
          heightMax={320}
          columns={[
            { name: 'line', value: ({ lane }) => lane },
            { name: 'event', value: ({ label }) => label },
            { name: 'first_day', value: ({ from }) => from, numeric: true },
            { name: 'last_day', value: ({ to }) => to, numeric: true },
            { name: 'value', value: ({ value }) => value ?? null, numeric: true },
          ]}
          rows={all.flatMap((lane) => lane.events)}
        />
      </details>
    </Card>
  );
}

function Tool({
  label,
  name,
  run,
}: {
  label: string;
  name: 'left' | 'right' | 'plus' | 'minus' | 'wider';
  run: () => void;
}) {
  return (
    <ActionIcon size={26} variant="default" aria-label={label} title={label} onClick={run}>
      <Icon name={name} size={14} />
    </ActionIcon>
  );
}

/** Places the lines below each other; the first of several of a kind has the kind above it. */
function placedLanes(lanes: readonly Lane[]): { lane: Lane; top: number; bottom: number; title: boolean }[] {
  let bottom = axisHeight;
  return lanes.map((lane, at) => {
    const title = lane.label !== lane.kind && lanes[at - 1]?.kind !== lane.kind;
    const top = bottom + (title ? kindHeight : 0);
    bottom = top + heightOf(lane);
    return { lane, top, bottom, title };
  });
}

/** Returns the time of all events, with some room at both ends. */
function viewOf(events: readonly Event[]): View {
  const from = events.reduce((least, event) => Math.min(least, event.from), Number.POSITIVE_INFINITY);
  const to = events.reduce((most, event) => Math.max(most, event.to), Number.NEGATIVE_INFINITY);
  const room = Math.max(5, (to - from) * 0.03);
  return { from: from - room, to: to + room };
}

/** Distances of ticks, in days. */
const steps = [1, 7, 14, 30.4375, 91.3125, 182.625, 365.25, 730.5, 1826.25, 3652.5, 18_262.5];

function ticksOf({ from, to }: View, width: number): number[] {
  const wanted = (to - from) / Math.max(2, width / 90);
  const step = steps.find((one) => one >= wanted) ?? to - from;
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(0, Math.floor(to / step) - first + 1) },
    (_, at) => (first + at) * step,
  );
}

const cut = (text: string, most: number): string =>
  [...text].length > most ? `${[...text].slice(0, Math.floor(most) - 1).join('')}…` : text;

function tipText(events: Event[]): string {
  const words = events.map(({ label, from, to, value, unit, fileId }) => {
    const time = to > from ? `${dayText(from)} to ${dayText(to)}` : dayText(from);
    const measured = value === undefined ? '' : `: ${value}${typeof unit === 'string' ? ` ${unit}` : ''}`;
    return `${label}${measured} (${time})${fileId === undefined ? '' : ', click to download'}`;
  });
  return words.join('; ');
}
