import { Button, Checkbox, Group, Popover, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { notify } from '../shell/Feedback.tsx';
import { wordOf } from '../words/dictionary.ts';
import type { Column, Source } from './column.ts';
import { csvText, saveAs } from './csv.ts';
import { ofState, orderOf, type Sorting, statesOf } from './order.ts';
import { headingOf, useDatabaseNames } from './shown.tsx';
import { VirtualRows } from './VirtualRows.tsx';

interface Props<R> {
  /** Name of the table, also of its file. */
  name: string;
  columns: Column<R>[];
  rows: Source<R>;
  /** Controls beside those of the table. */
  children?: ReactNode;
  heightMax?: number;
  /** The columns are named by their author, as in the result of a statement. */
  isAsWritten?: boolean;
}

/** Rows that are copied at most: a clipboard is not made for more. */
const copiedRowsMax = 100_000;

/** A table: sorts, filters, hides columns, copies with headings, exports. Any number of rows scrolls. */
export function Grid<R>({
  name,
  columns,
  rows: given,
  children,
  heightMax = 560,
  isAsWritten = false,
}: Props<R>) {
  const [typed, setTyped] = useState('');
  const filter = useDeferredValue(typed);
  const [sorting, setSorting] = useState<Sorting>();
  const [hidden, setHidden] = useState<string[]>([]);
  const [hasDatabaseNames] = useDatabaseNames();
  const isRaw = isAsWritten || hasDatabaseNames;
  const shown = columns.filter((column) => !hidden.includes(column.name));
  const stateColumn = columns.find(({ name }) => wordOf(name).kind === 'state');
  const [state, setState] = useState<string | null>(null);
  const states = isAsWritten || !stateColumn ? [] : statesOf(given, stateColumn);
  const rows = stateColumn && state !== null ? ofState(given, stateColumn, state) : given;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows of a state follow the given ones
  const order = useMemo(
    () => orderOf(rows, columns, filter, sorting),
    [given, state, columns, filter, sorting],
  );
  const length = order?.length ?? rows.length;
  const rowAt = (index: number): R => rows.at(order ? (order[index] ?? 0) : index) as R;
  const kept = shown.filter(({ isAction }) => !isAction);
  const cells = (rowsMax: number): unknown[][] => [
    kept.map((column) => column.name),
    ...Array.from({ length: Math.min(length, rowsMax) }, (_, at) =>
      kept.map(({ value }) => value(rowAt(at))),
    ),
  ];
  const copy = async (): Promise<void> => {
    const text = cells(copiedRowsMax)
      .map((row) => row.map((cell) => String(cell ?? '').replace(/[\t\r\n]+/g, ' ')).join('\t'))
      .join('\n');
    await navigator.clipboard.writeText(text);
    notify(`${Math.min(length, copiedRowsMax).toLocaleString()} rows copied, with headings.`);
  };
  const sort = (column: string): void =>
    setSorting((now) =>
      now?.column !== column
        ? { column, descending: false }
        : now.descending
          ? undefined
          : { column, descending: true },
    );
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <TextInput
            size="xs"
            placeholder="Filter rows"
            aria-label={`Filter ${name}`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {states.length > 1 && (
            <Select
              size="xs"
              w={150}
              aria-label={`States of ${name}`}
              placeholder="Every state"
              clearable
              clearButtonProps={{ 'aria-label': 'Every state' }}
              data={states}
              value={state}
              onChange={setState}
            />
          )}
          <Text size="sm" role="status">
            {length.toLocaleString()} {length === 1 ? 'row' : 'rows'}
            {length !== given.length && ` of ${given.length.toLocaleString()}`}
          </Text>
        </Group>
        <Group gap="xs">
          {children}
          <ColumnChoice {...{ columns, hidden, setHidden, isAsWritten }} />
          <Button size="xs" variant="default" onClick={() => void copy()}>
            Copy
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => saveAs(`${name}.csv`, csvText(cells(Number.POSITIVE_INFINITY)), 'text/csv')}
          >
            CSV
          </Button>
        </Group>
      </Group>
      <VirtualRows
        name={name}
        columns={shown}
        rows={given}
        length={length}
        rowAt={rowAt}
        sorting={sorting}
        sort={sort}
        heightMax={heightMax}
        isRaw={isRaw}
      />
    </Stack>
  );
}

interface ChoiceProps {
  columns: { name: string }[];
  hidden: string[];
  setHidden: (names: string[]) => void;
  isAsWritten: boolean;
}

/** The choice of shown columns. */
export function ColumnChoice({ columns, hidden, setHidden, isAsWritten }: ChoiceProps) {
  const [isRaw, setRaw] = useDatabaseNames();
  return (
    <Popover position="bottom-end" shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah={360} style={{ overflow: 'auto' }}>
        {!isAsWritten && (
          <Switch
            mb="xs"
            size="xs"
            label="Database names"
            checked={isRaw}
            onChange={(event) => setRaw(event.currentTarget.checked)}
          />
        )}
        <Checkbox.Group
          label="Shown columns"
          value={columns.map(({ name }) => name).filter((name) => !hidden.includes(name))}
          onChange={(names) =>
            setHidden(columns.map(({ name }) => name).filter((one) => !names.includes(one)))
          }
        >
          <Stack gap={8} mt="xs">
            {columns.map(({ name }) => (
              <Checkbox key={name} value={name} label={headingOf({ name }, isAsWritten || isRaw)} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
