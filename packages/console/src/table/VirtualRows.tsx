import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import { wordOf } from '../words/dictionary.ts';
import type { Column, Source } from './column.ts';
import type { Sorting } from './order.ts';
import { headingOf, shownCell, shownText, textOf } from './shown.tsx';

const rowHeight = 32;
/** Browsers place nothing beyond some 17 million pixels; more rows share them. */
const scrollHeightMax = 15_000_000;
const sampledRows = 50;

interface Props<R> {
  name: string;
  columns: Column<R>[];
  /** Rows in their order of arrival, by which columns get their width. */
  rows: Source<R>;
  length: number;
  rowAt: (index: number) => R;
  sorting: Sorting | undefined;
  sort: (column: string) => void;
  heightMax: number;
  /** Names and values are shown as the database holds them. */
  isRaw: boolean;
  /** Learns which rows are in view. */
  see?: (first: number, count: number) => void;
  /** First and last of the selected rows. */
  selected?: [from: number, to: number] | undefined;
  /** Selects a row; `isMore`: up to it from the first one. */
  select?: (index: number, isMore: boolean) => void;
  press?: (event: KeyboardEvent) => void;
  /** Control beside the heading of a column. */
  about?: (column: string) => ReactNode;
}

/** The visible rows of a table in a box that scrolls. Only these are in the page. */
export function VirtualRows<R>(props: Props<R>) {
  const { name, columns, rows, length, rowAt, sorting, sort, heightMax, isRaw, see, selected, select } =
    props;
  const [scrolled, setScrolled] = useState(0);
  const bodyHeight = Math.min(length * rowHeight, scrollHeightMax);
  const boxHeight = Math.min(heightMax, bodyHeight + rowHeight + 18);
  const visible = Math.ceil((boxHeight - rowHeight) / rowHeight);
  const top = Math.min(scrolled, Math.max(0, bodyHeight - (boxHeight - rowHeight)));
  const first = firstRow(top, bodyHeight, boxHeight - rowHeight, length, visible);
  const shown = Array.from(
    { length: Math.max(0, Math.min(visible + 2, length - first)) },
    (_, at) => first + at,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the listener is not a state
  useEffect(() => see?.(first, visible + 2), [first, visible]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: widths follow the columns, not each scroll
  const styles = useMemo(
    () => widths(columns, rows, isRaw, props.about ? aboutWidth : 0),
    [columns.map((one) => one.name).join(), rows, isRaw],
  );
  const isScaled = length * rowHeight > scrollHeightMax;
  const offset = (at: number): number => (isScaled ? top + at * rowHeight : (first + at) * rowHeight);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot hold rows that are placed by hand
    <div
      className="grid"
      role="table"
      aria-label={name}
      aria-rowcount={length + 1}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      style={{ maxHeight: heightMax }}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
      onKeyDown={props.press}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the buttons in it are */}
      <div className="grid-head" role="row" aria-rowindex={1}>
        {columns.map((column, at) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the button in it is
          <div
            key={column.name}
            role="columnheader"
            aria-sort={
              sorting?.column !== column.name ? 'none' : sorting.descending ? 'descending' : 'ascending'
            }
            className={cellClass(column)}
            style={styles[at]}
          >
            <button
              type="button"
              className="grid-sort"
              title={isRaw ? undefined : wordOf(column.name).help}
              onClick={() => sort(column.name)}
            >
              {headingOf(column, isRaw)}
              {sorting?.column === column.name && (sorting.descending ? ' ↓' : ' ↑')}
            </button>
            {props.about?.(column.name)}
          </div>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" style={{ height: bodyHeight, position: 'relative' }}>
        {shown.map((index, at) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: rows are read, not operated
          // biome-ignore lint/a11y/useKeyWithClickEvents: a selection narrows what the button beside copies
          <div
            key={index}
            className={isWithin(index, selected) ? 'grid-row grid-row-selected' : 'grid-row'}
            // Else the browser would select the text up to the row.
            onMouseDown={select && ((event) => event.shiftKey && event.preventDefault())}
            onClick={
              select && (({ shiftKey }) => getSelection()?.isCollapsed !== false && select(index, shiftKey))
            }
            role="row"
            aria-rowindex={index + 2}
            style={{ top: offset(at) }}
          >
            <Cells columns={columns} row={rowAt(index)} styles={styles} isRaw={isRaw} />
          </div>
        ))}
      </div>
    </div>
  );
}

interface CellsProps<R> {
  columns: Column<R>[];
  row: R;
  styles: CSSProperties[];
  isRaw: boolean;
}

function Cells<R>({ columns, row, styles, isRaw }: CellsProps<R>) {
  return columns.map((column, at) => {
    const text = textOf(column.value(row));
    const shown = shownText(column, row, isRaw);
    const title = shown === '' || shown === text ? text : `${shown}\n${text}`;
    return (
      // biome-ignore lint/a11y/useSemanticElements: as above
      <div key={column.name} role="cell" className={cellClass(column)} style={styles[at]} title={title}>
        {shownCell(column, row, isRaw)}
      </div>
    );
  });
}

const isWithin = (index: number, range: [number, number] | undefined): boolean =>
  range !== undefined && index >= range[0] && index <= range[1];

/** Returns the first visible row; where all do not fit into the box's height, by proportion. */
function firstRow(top: number, height: number, box: number, length: number, visible: number): number {
  if (length * rowHeight <= scrollHeightMax) return Math.floor(top / rowHeight);
  const share = height > box ? top / (height - box) : 0;
  return Math.round(share * Math.max(0, length - visible));
}

function cellClass({
  name,
  numeric,
  isAction,
}: {
  name: string;
  numeric?: boolean;
  isAction?: boolean;
}): string {
  if (isAction) return 'grid-cell grid-cell-action';
  return (numeric ?? ['number', 'share'].includes(wordOf(name).kind ?? ''))
    ? 'grid-cell grid-cell-number'
    : 'grid-cell';
}

/** Padding of a cell, and room for the sign of the order. */
const spaceWidth = 40;
/** A control beside a heading. */
const aboutWidth = 28;
const widthMin = 66;
const widthMax = 400;

/** Widths of columns by their headings and first rows. */
function widths<R>(
  columns: Column<R>[],
  source: Source<R>,
  isRaw: boolean,
  besideHeading: number,
): CSSProperties[] {
  const rows = Array.from({ length: Math.min(source.length, sampledRows) }, (_, at) => source.at(at) as R);
  const widthOf = measure();
  return columns.map((column) => {
    const { width: given, isAction } = column;
    const heading = headingOf(column, isRaw);
    const texts = isAction ? [heading] : [heading, ...rows.map((row) => shownText(column, row, isRaw))];
    const [headingWidth = 0, ...others] = texts.map(widthOf);
    const needed = Math.max(headingWidth + besideHeading, ...others) + spaceWidth;
    const width = given ?? (isAction ? 220 : Math.ceil(Math.min(Math.max(needed, widthMin), widthMax)));
    return { width, flexBasis: width };
  });
}

/** Returns a function that measures a text in the page's bold font of 14 pixels, as in the table. */
function measure(): (text: string) => number {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (context === null) throw new Error('This browser cannot draw on a canvas.');
  context.font = `600 14px ${getComputedStyle(document.body).fontFamily}`;
  // Longer texts are wider than any column.
  return (text) => context.measureText(text.slice(0, 200)).width;
}
