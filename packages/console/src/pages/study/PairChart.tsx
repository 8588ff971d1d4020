import { UnstyledButton } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { type RefObject, useMemo } from 'react';
import type { Shape } from '../../api/lists.ts';
import { Plotted } from '../../chart/Chart.tsx';
import { categories, mainColour, sequence } from '../../design/palette.ts';
import { type Conditions, placeOfLeaf, toggleLeaf } from '../../study/conditions.ts';
import { cellNode, numbersFirst, type Pair, pairTitle } from '../../study/pair-charts.ts';
import { type Labels, valueText } from '../../study/words.ts';
import type { Result } from './charts.ts';

interface Props {
  pair: Pair;
  result: Result;
  labels: Labels;
  conditions: Conditions;
  change: (conditions: Conditions) => void;
  place: RefObject<HTMLDivElement | null>;
  /** Subjects that are counted, in the plural. */
  counted: string;
}

/** Two attributes: dots or a density of numbers, boxes of numbers by category, or a table of categories. */
export function PairChart({ pair, result, labels, place, ...more }: Props) {
  const title = pairTitle(pair);
  const { density, box, table } = result;
  const data = useMemo(() => rowsOfPair(pair, result, labels), [pair, result, labels]);
  const options = useMemo(
    () => (density ? densityOptions(pair, density) : boxOptions(pair, data)),
    [pair, density, data],
  );
  if (table) return <TwoWay {...more} pair={pair} table={table} labels={labels} />;
  if (data.length === 0 && !density?.cells.length)
    return <p className="study-card-empty">No subject has a value of both.</p>;
  return box || density ? (
    <Plotted title={title} data={data} options={options} place={place} isFilling />
  ) : null;
}

/** Returns the rows behind the chart of two attributes, as they are exported. */
export function rowsOfPair(
  pair: Pair,
  { density, box, table }: Result,
  labels: Labels,
): Record<string, unknown>[] {
  const { x, y } = pair;
  if (density?.points) return density.points.map((point) => ({ [x.name]: point.x, [y.name]: point.y }));
  if (density) return density.cells.map((cell) => rectangleOf(density, cell));
  if (box) {
    const { y: groups } = numbersFirst(pair);
    return box.groups.map(({ group, ...numbers }) => ({
      group: valueText(groups, group, labels),
      ...numbers,
    }));
  }
  return (table?.cells ?? []).map(({ row, column, count }) => ({
    [x.name]: valueText(x, row, labels),
    [y.name]: valueText(y, column, labels),
    subjects: count,
  }));
}

type Density = Shape<'StudyDensity'>;

/** Returns a cell of the grid as a rectangle of values. */
function rectangleOf({ x, y, side }: Density, cell: { x: number; y: number; count: number }) {
  const at = (axis: Density['x'], place: number): number =>
    (axis?.from ?? 0) + (((axis?.to ?? 0) - (axis?.from ?? 0)) * place) / side;
  return {
    ...{ x1: at(x, cell.x), x2: at(x, cell.x + 1), y1: at(y, cell.y), y2: at(y, cell.y + 1) },
    count: cell.count,
  };
}

const axes = { marginLeft: 52, marginRight: 10, marginTop: 26, marginBottom: 36 } as const;

const label = (text: string) => ({ label: text, labelArrow: 'none', tickSize: 0, ticks: 5 }) as const;

function densityOptions({ x, y }: Pair, density: Density): Plot.PlotOptions {
  const points = density.points?.map((point) => ({ [x.name]: point.x, [y.name]: point.y })) ?? [];
  const cells = density.points ? [] : density.cells.map((cell) => rectangleOf(density, cell));
  const ends = { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2' };
  return {
    ...axes,
    x: label(x.name),
    y: { ...label(y.name), grid: true },
    color: { type: 'log', range: [sequence[0], categories[4]] },
    marks: [
      ...(cells.length > 0 ? [Plot.rect(cells, { ...ends, fill: 'count', inset: 0, tip: true })] : []),
      Plot.dot(points, { x: x.name, y: y.name, r: 2.5, fill: mainColour, fillOpacity: 0.55 }),
      Plot.tip(points, Plot.pointer({ x: x.name, y: y.name })),
    ],
  };
}

function boxOptions(pair: Pair, data: readonly Record<string, unknown>[]): Plot.PlotOptions {
  const { x: number, y: groups } = numbersFirst(pair);
  const common = { y: 'group' } as const;
  const longest = data.reduce((most, { group }) => Math.max(most, String(group).length), 0);
  return {
    ...axes,
    marginLeft: Math.min(140, 16 + longest * 7),
    x: { ...label(number.name), grid: true },
    y: { label: null, tickSize: 0, domain: data.map(({ group }) => String(group)) },
    ariaDescription: `Quartiles of ${number.name} by ${groups.name}`,
    marks: [
      Plot.ruleY(data, { ...common, x1: 'low', x2: 'high', stroke: mainColour }),
      Plot.barX(data, { ...common, x1: 'q1', x2: 'q3', fill: mainColour, fillOpacity: 0.35, tip: true }),
      Plot.tickX(data, { ...common, x: 'median', stroke: mainColour, strokeWidth: 2 }),
    ],
  };
}

interface TableProps extends Pick<Props, 'pair' | 'labels' | 'conditions' | 'change' | 'counted'> {
  table: Shape<'StudyTable'>;
}

/** Two-way table, the most frequent values of each attribute first; a click on a number chooses its subjects. */
function TwoWay({ pair: { x, y }, table, labels, conditions, change, counted }: TableProps) {
  const [rows, columns] = [sums(table.cells, 'row'), sums(table.cells, 'column')];
  const counts = new Map(table.cells.map((cell) => [JSON.stringify([cell.row, cell.column]), cell.count]));
  const highest = Math.max(1, ...table.cells.map(({ count }) => count ?? 0));
  if (rows.length === 0) return <p className="study-card-empty">No {counted} with a value of both.</p>;
  return (
    <table className="gene-table" aria-label={pairTitle({ x, y })}>
      <thead>
        <tr>
          <th scope="col">{x.name}</th>
          {columns.map((value) => (
            <th
              key={value}
              scope="col"
              className="gene-number"
              title={`${y.name}: ${valueText(y, value, labels)}`}
            >
              {valueText(y, value, labels)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row}>
            <th scope="row">{valueText(x, row, labels)}</th>
            {columns.map((column) => {
              const count = counts.get(JSON.stringify([row, column]));
              if (count === undefined || count === null) return <td key={column} className="gene-number" />;
              const is = cellNode({ x, y }, row, column);
              return (
                <td key={column} className="gene-number">
                  <UnstyledButton
                    className="gene-choice"
                    aria-pressed={placeOfLeaf(conditions, is) >= 0}
                    aria-label={`${valueText(x, row, labels)}, ${valueText(y, column, labels)}: ${count}`}
                    style={{
                      background: `color-mix(in srgb, var(--chart-main) ${(count / highest) * 35}%, transparent)`,
                    }}
                    onClick={() => change(toggleLeaf(conditions, is))}
                  >
                    {count.toLocaleString()}
                  </UnstyledButton>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Lists the values on a side of a table by the sum of their cells. */
function sums(cells: Shape<'StudyTable'>['cells'], side: 'row' | 'column'): string[] {
  const found = new Map<string, number>();
  for (const cell of cells) found.set(cell[side], (found.get(cell[side]) ?? 0) + (cell.count ?? 0));
  return [...found].sort(([, one], [, other]) => other - one).map(([value]) => value);
}

/** Returns the numbers below a chart of two attributes. */
export function pairNote({ density, box, table }: Result): string {
  const shown = (number: number | null): string =>
    number === null ? 'none' : number.toLocaleString(undefined, { maximumFractionDigits: 2 });
  if (density)
    return `${density.count.toLocaleString()} pairs of values, Pearson ${shown(density.pearson)}, Spearman ${shown(density.spearman)}`;
  if (box) {
    const n = box.groups.reduce((sum, { count }) => sum + count, 0);
    return `${n.toLocaleString()} values${box.isCut ? ', the largest groups' : ''}; boxes are quartiles, lines the whole range`;
  }
  const [rows, columns] = [table?.rows, table?.columns];
  return rows !== undefined && columns !== undefined && table && isCut(table)
    ? `The most frequent of ${rows} × ${columns} values`
    : '';
}

const isCut = ({ cells, rows = 0, columns = 0 }: Shape<'StudyTable'>): boolean =>
  sums(cells, 'row').length < rows || sums(cells, 'column').length < columns;
