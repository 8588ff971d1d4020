import { download } from '../../api/files.ts';
import { categories, mainColour, restColour } from '../../design/palette.ts';
import { reportError } from '../../shell/Feedback.tsx';
import { clustered, type Event, type Lane } from './lanes.ts';

/** Heights of a line with marks, and of one with a curve, in pixels. */
const laneHeight = 22;
const lineHeight = 46;

interface MarksProps {
  x: (day: number) => number;
  point: (events: Event[] | undefined) => void;
}

/** Spans as bars, points as dots; points at one place are one mark with their number. */
export function Marks({ lane, x, distance, point }: MarksProps & { lane: Lane; distance: number }) {
  const middle = laneHeight / 2;
  const spans = lane.events.filter(({ from, to }) => to > from);
  const points = lane.events.filter(({ from, to }) => to === from);
  const colour = colours[lane.kind] ?? restColour;
  const shown = (events: Event[]) => ({
    onPointerEnter: () => point(events),
    onPointerLeave: () => point(undefined),
    ...(events[0]?.fileId !== undefined && {
      style: { cursor: 'pointer' },
      onClick: () => void download(events[0]?.fileId ?? '').catch(reportError),
    }),
  });
  return (
    <>
      {spans.map((event) => (
        <rect
          key={`${event.from} ${event.to} ${event.label}`}
          x={x(event.from)}
          y={middle - 4}
          width={Math.max(2, x(event.to) - x(event.from))}
          height={8}
          rx={2}
          fill={colour}
          {...shown([event])}
        />
      ))}
      {clustered(points, distance).map((group) => {
        const [first] = group;
        if (!first) return null;
        const left = x(first.from);
        const isDeath = first.label === 'Deceased';
        return (
          <g key={`${first.from} ${first.label}`} {...shown(group)}>
            {isDeath ? (
              <path d={`M${left} ${middle - 7}l7 7l-7 7l-7 -7z`} fill="currentColor" />
            ) : lane.kind === 'Imaging' ? (
              <rect x={left - 5} y={middle - 5} width={10} height={10} fill={colour} />
            ) : (
              <circle
                cx={left}
                cy={middle}
                r={group.length > 1 || first.sample ? 8 : 5}
                fill={(group.length === 1 && first.sample?.colour) || colour}
              />
            )}
            {(group.length > 1 || first.sample) && (
              <text
                className="lanes-count"
                x={left}
                y={middle}
                textAnchor="middle"
                dominantBaseline="central"
              >
                {group.length > 1 ? group.length : first.sample?.number}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** Values of a test, with the lowest and the highest one. */
export function Curve({ events, x, point }: MarksProps & { events: Event[] }) {
  const values = events.map(({ value = 0 }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number): number =>
    high === low ? lineHeight / 2 : lineHeight - 8 - ((value - low) / (high - low)) * (lineHeight - 16);
  return (
    <>
      <polyline
        fill="none"
        stroke={mainColour}
        strokeWidth={1.5}
        points={events.map(({ from, value = 0 }) => `${x(from)},${y(value)}`).join(' ')}
      />
      {events.map((event) => (
        <circle
          key={`${event.from} ${event.value}`}
          cx={x(event.from)}
          cy={y(event.value ?? 0)}
          r={4}
          fill={mainColour}
          onPointerEnter={() => point([event])}
          onPointerLeave={() => point(undefined)}
        />
      ))}
    </>
  );
}

const colours: Readonly<Record<string, string>> = {
  Diagnosis: categories[4],
  Treatment: mainColour,
  Procedure: categories[1],
  Surgery: categories[1],
  Specimen: categories[2],
  Imaging: categories[5],
};

/** Reports whether a line is drawn as a curve. */
export const isCurve = ({ events }: Lane): boolean => events.every(({ value }) => value !== undefined);

export const heightOf = (lane: Lane): number => (isCurve(lane) ? lineHeight : laneHeight);

/** Lowest and highest value of a test. */
export function Scale({ events, left }: { events: Event[]; left: number }) {
  const values = events.map(({ value = 0 }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const shown = (value: number): string => value.toLocaleString(undefined, { maximumSignificantDigits: 4 });
  return (
    <>
      <text x={left} y={10} dominantBaseline="central">
        {shown(high)}
      </text>
      {low !== high && (
        <text x={left} y={lineHeight - 8} dominantBaseline="central">
          {shown(low)}
        </text>
      )}
    </>
  );
}
