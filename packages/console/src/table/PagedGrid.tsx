import { Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { ErrorAlert, notify, reportError, Waiting } from '../shell/Feedback.tsx';
import { ColumnPanel, wordsOf } from './ColumnPanel.tsx';
import type { Column } from './column.ts';
import { saveBlob } from './csv.ts';
import { ColumnChoice } from './Grid.tsx';
import {
  type Choice,
  csvOf,
  pageRows,
  type ResultFilter,
  type ResultRow,
  resultPage,
  resultSummary,
  rowsOf,
} from './pages.ts';
import { textOf } from './shown.tsx';
import { VirtualRows } from './VirtualRows.tsx';

interface Props {
  name: string;
  /** Id of the file of the result. */
  file: string;
  /** Rows of the whole result, where they are known. */
  rowCount: number | undefined;
  children?: ReactNode;
}

/** Rows that are copied at most: a clipboard is not made for more. */
const copiedRowsMax = 100_000;
const copiedAtOnce = 2000;
const nothing: ResultRow = [];

/** The rows of a result of any size: the service sorts, filters and measures them, and the page holds those in view. */
export function PagedGrid({ name, file, rowCount, children }: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 300);
  const [filters, setFilters] = useState<ResultFilter[]>([]);
  const [sorting, setSorting] = useState<{ column: string; descending: boolean }>();
  const [hidden, setHidden] = useState<string[]>([]);
  const [selected, setSelected] = useState<[from: number, to: number]>();
  const choice: Choice = { filters, search: search.trim(), orderBy: sorting ? [sorting] : [] };
  const all = useQuery({
    ...resultSummary(file, { ...choice, filters: [], search: '' }),
    enabled: rowCount === undefined,
  });
  const total = rowCount ?? all.data?.rowCount;
  const isChosen = filters.length > 0 || choice.search !== '';
  const summary = useQuery({ ...resultSummary(file, choice), enabled: isChosen });
  const pages = usePages(file, choice);
  if (pages.error) return <ErrorAlert error={pages.error} again={pages.again} />;
  if (!pages.first) return <Waiting />;
  const columns = columnsOf(pages.first.columns);
  const counted = isChosen ? (summary.isPlaceholderData ? undefined : summary.data?.rowCount) : total;
  const length = counted ?? pages.present;
  const shown = columns.filter((column) => !hidden.includes(column.name));
  const change = (next: ResultFilter[]): void => {
    setFilters(next);
    setSelected(undefined);
  };
  const sort = (column: string): void => {
    setSelected(undefined);
    setSorting(nextSorting(sorting, column));
  };
  const copy = async (): Promise<void> => {
    const [from, to] = selected ?? [0, length - 1];
    const end = Math.min(to + 1, from + copiedRowsMax);
    const lines = [shown.map((column) => column.name).join('\t')];
    for (let at = from; at < end; at += copiedAtOnce) {
      const { rows } = await rowsOf(file, choice, at, Math.min(copiedAtOnce, end - at));
      for (const row of rows)
        lines.push(shown.map(({ value }) => textOf(value(row)).replace(/[\t\r\n]+/g, ' ')).join('\t'));
    }
    await navigator.clipboard.writeText(lines.join('\n'));
    notify(`${(lines.length - 1).toLocaleString()} rows copied, with headings.`);
  };
  const keep = async (): Promise<void> => saveBlob(`${name}.csv`, await csvOf(file, choice));
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <TextInput
            size="xs"
            placeholder="Search all rows"
            aria-label={`Search ${name}`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            rightSection={typed && <CloseButton size="xs" aria-label="Clear" onClick={() => setTyped('')} />}
          />
          <Text size="sm" role="status">
            {counted === undefined
              ? 'Counting…'
              : `${counted.toLocaleString()} ${counted === 1 ? 'row' : 'rows'}`}
            {isChosen && total !== undefined && ` of ${total.toLocaleString()}`}
            {selected && `, ${(selected[1] - selected[0] + 1).toLocaleString()} selected`}
          </Text>
          {filters.map((filter, at) => (
            <Button
              key={JSON.stringify(filter)}
              size="compact-sm"
              variant="default"
              rightSection="×"
              aria-label={`Remove ${wordsOf(filter)}`}
              onClick={() => change(filters.filter((_, other) => other !== at))}
            >
              {wordsOf(filter)}
            </Button>
          ))}
        </Group>
        <Group gap="xs">
          {children}
          <ColumnChoice {...{ columns, hidden, setHidden }} isAsWritten />
          <Button size="xs" variant="default" onClick={() => void copy().catch(reportError)}>
            {selected ? 'Copy selection' : 'Copy'}
          </Button>
          <Button size="xs" variant="default" onClick={() => void keep().catch(reportError)}>
            CSV
          </Button>
        </Group>
      </Group>
      {summary.error && <ErrorAlert error={summary.error} />}
      <VirtualRows
        name={name}
        columns={shown}
        rows={pages.first.rows}
        length={length}
        rowAt={pages.rowAt}
        sorting={sorting}
        sort={sort}
        heightMax={560}
        isRaw
        see={pages.see}
        selected={selected}
        select={(at, isMore) => setSelected(isMore && selected ? ordered(selected[0], at) : [at, at])}
        press={(event) => {
          if (!isCopy(event) || !selected) return;
          event.preventDefault();
          void copy().catch(reportError);
        }}
        about={(column) => (
          <ColumnPanel {...{ file, choice, column }} add={(filter) => change([...filters, filter])} />
        )}
      />
    </Stack>
  );
}

const isCopy = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key === 'c' && getSelection()?.isCollapsed !== false;

const ordered = (one: number, other: number): [number, number] => (one < other ? [one, other] : [other, one]);

/** Returns the order after a press on a heading: upwards, downwards, then that of the file. */
function nextSorting(now: Choice['orderBy'][number] | undefined, column: string) {
  if (now?.column !== column) return { column, descending: false };
  return now.descending ? undefined : { column, descending: true };
}

/** Holds the pages around the rows in view. */
function usePages(file: string, choice: Choice) {
  const [view, setView] = useState({ first: 0, count: 1 });
  const [settled] = useDebouncedValue(view, 80);
  const from = Math.floor(settled.first / pageRows);
  const to = Math.floor((settled.first + settled.count) / pageRows);
  const numbers = [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, at) => from + at)])];
  const found = useQueries({ queries: numbers.map((number) => resultPage(file, choice, number)) });
  const [start] = found;
  const kept = useQuery({ ...resultPage(file, { filters: [], search: '', orderBy: [] }, 0) });
  const rowAt = (index: number): ResultRow =>
    found[numbers.indexOf(Math.floor(index / pageRows))]?.data?.rows[index % pageRows] ?? nothing;
  return {
    // Columns and their widths follow the first page of the file, whatever the order.
    first: kept.data,
    present: start?.data?.rows.length ?? 0,
    error: kept.error ?? found.find(({ error }) => error)?.error ?? null,
    again: () => void Promise.all([kept, ...found].map(({ refetch }) => refetch())),
    rowAt,
    see: (first: number, count: number) => setView({ first, count }),
  };
}

/** Returns the columns; the type decides which have numbers. */
function columnsOf(columns: { name: string; type: string }[]): Column<ResultRow>[] {
  const number = /^(?:U?(?:TINY|SMALL|BIG)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(\d+,\s?\d+\))$/;
  return columns.map(({ name, type }, at) => ({
    name,
    value: (row) => row[at],
    numeric: number.test(type),
  }));
}
