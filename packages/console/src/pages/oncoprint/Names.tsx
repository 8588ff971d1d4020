import { Menu, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { type Row, rowGap } from './print/geometry.ts';

/** Name of a line, and what its menu does. */
export interface Named {
  name: string;
  /** Text at the end of the line, such as a share. */
  end?: string;
  tip?: string;
  actions: { label: string; run: () => void }[];
  /** Moves the line by a number of places among those of its kind; absent: its place is fixed. */
  move?: (by: number) => void;
}

interface Props {
  rows: readonly Row[];
  named: readonly Named[];
}

/** Smallest distance of buttons from each other, in pixels (WCAG 2.2, 2.5.8); lower lines have names only. */
const targetMin = 24;

/** Names of the lines: each opens a menu, and moves by dragging or by Alt with an arrow key. */
export function Names({ rows, named }: Props) {
  const [dragged, setDragged] = useState<number>();
  const [target, setTarget] = useState<number>();
  // One menu for all lines: hundreds of them would take longer than the drawing.
  const [opened, setOpened] = useState<number>();
  const opener = useRef<HTMLElement>(null);
  const row = opened === undefined ? undefined : rows[opened];
  const drop = (): void => {
    if (dragged !== undefined && target !== undefined && rows[dragged]?.kind === rows[target]?.kind)
      named[dragged]?.move?.(target - dragged);
    setDragged(undefined);
    setTarget(undefined);
  };
  const press = (event: KeyboardEvent, move: Named['move']): void => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (!event.altKey || by === 0 || !move) return;
    event.preventDefault();
    move(by);
  };
  return (
    <>
      {rows.map(({ top, height, kind }, at) => {
        const { name = '', end, tip, move } = named[at] ?? {};
        const isLow = height + rowGap < targetMin;
        return (
          <div
            key={`${kind} ${name}`}
            className="print-name"
            data-target={target === at || undefined}
            style={{ top, height, fontSize: Math.max(9, Math.min(13, height - 2)) }}
          >
            {isLow ? (
              <bdi className="print-name-button" title={tip ?? name}>
                {name}
              </bdi>
            ) : (
              <button
                type="button"
                className="print-name-button"
                title={tip ?? name}
                aria-haspopup="menu"
                aria-expanded={opened === at}
                aria-description={move && 'Alt with an arrow key moves the line.'}
                draggable={move !== undefined}
                onClick={({ currentTarget }) => {
                  opener.current = currentTarget;
                  setOpened(at);
                }}
                onKeyDown={(event) => press(event, move)}
                onDragStart={(event) => {
                  event.dataTransfer.setData('text/plain', name);
                  setDragged(at);
                }}
                onDragOver={(event) => {
                  event.preventDefault();
                  setTarget(at);
                }}
                onDrop={(event) => {
                  event.preventDefault();
                  drop();
                }}
                onDragEnd={() => setTarget(undefined)}
              >
                <bdi>{name}</bdi>
              </button>
            )}
            {end !== undefined && <span className="print-share">{end}</span>}
          </div>
        );
      })}
      <Menu
        opened={row !== undefined}
        onClose={() => {
          setOpened(undefined);
          opener.current?.focus();
        }}
        position="right-start"
        withinPortal
        returnFocus={false}
      >
        <Menu.Target>
          <UnstyledButton
            className="print-anchor"
            style={{ top: row?.top ?? 0, height: row?.height ?? 0 }}
            tabIndex={-1}
            aria-hidden="true"
          />
        </Menu.Target>
        <Menu.Dropdown aria-label={named[opened ?? -1]?.name ?? 'Line'}>
          {(named[opened ?? -1]?.actions ?? []).map(({ label, run }) => (
            <Menu.Item key={label} onClick={run}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
