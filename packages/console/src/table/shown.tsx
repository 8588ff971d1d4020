import { Badge } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { keptAs } from '../api/place.ts';
import { shownValue, wordOf } from '../words/dictionary.ts';
import type { Column } from './column.ts';

/** Returns whether names of the database are shown in place of words, and the switch; every table of this browser follows. */
export function useDatabaseNames(): [boolean, (isOn: boolean) => void] {
  const [isOn, set] = useLocalStorage({ key: keptAs('database-names'), defaultValue: false });
  return [isOn, set];
}

/** Returns the heading of a column, with the unit of its values. */
export function headingOf({ name, isAction }: { name: string; isAction?: boolean }, isRaw: boolean): string {
  if (isRaw) return name;
  if (isAction && name === '') return '';
  const { heading, unit } = wordOf(name);
  return unit ? `${heading} (${unit})` : heading;
}

/** Returns a value as a text without words. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the text that a cell shows. */
export function shownText<R>(column: Column<R>, row: R, isRaw: boolean): string {
  const value = column.value(row);
  const label = column.label?.(row);
  if (label !== undefined) return label;
  if (isRaw) return textOf(value);
  if (!column.isTime) return shownValue(column.name, value);
  const text = textOf(value);
  return text === ''
    ? ''
    : new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Returns the content of a cell; `isRaw` shows what the database holds. */
export function shownCell<R>(column: Column<R>, row: R, isRaw: boolean): ReactNode {
  const rendered = column.render?.(row);
  if (rendered !== undefined) return rendered;
  const text = shownText(column, row, isRaw);
  return !isRaw && wordOf(column.name).kind === 'state' ? <StateBadge state={text} /> : text;
}

/** Colours of states by their meaning, which the word beside them has too. */
const stateColours: Readonly<Record<string, string>> = {
  succeeded: 'green',
  active: 'green',
  completed: 'green',
  confirmed: 'green',
  valid: 'green',
  failed: 'red',
  refused: 'red',
  'entered-in-error': 'red',
  expired: 'red',
  running: 'blue',
  ingesting: 'blue',
  queued: 'yellow',
  provisional: 'yellow',
  'on-hold': 'yellow',
  cancelled: 'gray',
  resolved: 'gray',
  remission: 'gray',
  inactive: 'gray',
  stopped: 'gray',
  deleted: 'gray',
};

/** A state with a dot in the colour of its meaning, and what follows a colon beside it; other words stay plain. */
export function StateBadge({ state }: { state: string }) {
  const [word = '', ...rest] = state.split(': ');
  const colour = Object.hasOwn(stateColours, word) ? stateColours[word] : undefined;
  if (colour === undefined) return state;
  const dot = { width: 8, height: 8, borderRadius: 4, background: `var(--mantine-color-${colour}-6)` };
  return (
    <>
      <Badge size="sm" variant="default" leftSection={<span style={{ ...dot, display: 'block' }} />}>
        {word}
      </Badge>
      {rest.length > 0 && ` ${rest.join(': ')}`}
    </>
  );
}
