import { UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { placeAfter } from '../../chart/choosable.ts';
import { shownShare } from '../../words/dictionary.ts';
import type { Bar } from './bars.ts';

/**
 * Values as bars with their names, counts and shares; each is a switch. One of them is a stop of the Tab key, arrow keys move on
 * from it.
 */
export function ValueBars({ title, bars, total }: { title: string; bars: Bar[]; total: number | null }) {
  const longest = Math.max(1, ...bars.map(({ count }) => count ?? 0));
  const [stop, setStop] = useState(0);
  const move = (event: KeyboardEvent<HTMLElement>, at: number): void => {
    const next = placeAfter(event.key, at, bars.length);
    if (next === undefined) return;
    event.preventDefault();
    event.currentTarget.parentElement?.querySelectorAll('button')[next]?.focus();
  };
  const isAnyChosen = bars.some(({ isChosen }) => isChosen);
  return (
    <fieldset className="value-bars" aria-label={title}>
      {bars.map(({ name, count, isChosen, choose }, at) => (
        <UnstyledButton
          key={name}
          className="value-bar"
          data-rest={(isAnyChosen && !isChosen) || undefined}
          aria-pressed={choose && isChosen}
          disabled={!choose}
          title={name}
          tabIndex={at === Math.min(stop, bars.length - 1) ? 0 : -1}
          onFocus={() => setStop(at)}
          onKeyDown={(event) => move(event, at)}
          onClick={choose}
        >
          <span className="value-bar-name">{name}</span>
          <span className="value-bar-count">{countText(count, total)}</span>
          <span
            className="value-bar-line"
            aria-hidden="true"
            hidden={!count}
            style={{ width: `${((count ?? 0) / longest) * 100}%` }}
          />
        </UnstyledButton>
      ))}
    </fieldset>
  );
}

function countText(count: number | null, total: number | null): string {
  if (count === null) return 'few';
  const share = total ? ` · ${shownShare(Math.min(1, count / total))}` : '';
  return `${count.toLocaleString()}${share}`;
}
