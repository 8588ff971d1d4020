import { ActionIcon, Card, Group, Menu, Text } from '@mantine/core';
import type { CSSProperties, PointerEvent, ReactNode } from 'react';
import type { Placed } from './layout.ts';

interface Edit {
  resize: (part: Partial<Placed>) => void;
  /** Moves it by a number of places. */
  move: (by: number) => void;
  /** Puts another chart in its place. */
  drop: (id: string) => void;
  remove: () => void;
}

interface Props {
  title: string;
  /** Meaning of the values. */
  help: string | undefined;
  placed: Placed;
  /** Columns of the grid. */
  columns: number;
  /** Number of subjects behind the chart, and further numbers, in words. */
  note: string;
  /** Settings of the chart by their letters. */
  settings: readonly [letter: string, label: string][];
  /** Absent where the card has its place. */
  edit: Edit | undefined;
  children: ReactNode;
  /** Menu that saves the drawing. */
  keep: ReactNode;
}

/** Rows and columns that a card takes at most. */
const [heightMax, widthMax] = [4, 6];

/** Card of a chart on the grid: its title moves it, its corner resizes it, its menu does both by keyboard. */
export function ChartCard({ title, help, placed, columns, note, children, keep, settings, edit }: Props) {
  const style = {
    gridColumn: `span ${Math.min(placed.width, columns)}`,
    gridRow: `span ${placed.height}`,
  } satisfies CSSProperties;
  return (
    <Card
      withBorder
      padding="xs"
      className="study-card"
      component="section"
      aria-label={title}
      style={style}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => edit?.drop(event.dataTransfer.getData('text/plain'))}
    >
      <Group
        className="study-card-head"
        justify="space-between"
        gap={4}
        wrap="nowrap"
        draggable={edit !== undefined}
        onDragStart={(event) => event.dataTransfer.setData('text/plain', placed.id)}
      >
        <Text fw={600} size="sm" truncate title={help && help !== title ? `${title}: ${help}` : title}>
          {title}
        </Text>
        <Group gap={0} wrap="nowrap">
          {keep}
          {edit && <CardMenu {...{ title, placed, settings }} {...edit} />}
        </Group>
      </Group>
      <div className="study-card-body">{children}</div>
      <Text className="study-card-note" title={note}>
        {note}
      </Text>
      {edit && <Corner placed={placed} columns={columns} resize={edit.resize} />}
    </Card>
  );
}

/** Corner that resizes a card while it is dragged; the menu does the same by keyboard. */
function Corner({ placed, columns, resize }: Pick<Props, 'placed' | 'columns'> & Pick<Edit, 'resize'>) {
  const drag = (event: PointerEvent<HTMLElement>): void => {
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const part = (length: number, parts: number, place: number): number =>
      Math.max(1, Math.round((place / length) * parts));
    const width = Math.min(placed.width, columns);
    const next = {
      width: Math.min(widthMax, columns, part(box.width, width, event.clientX - box.left)),
      height: Math.min(heightMax, part(box.height, placed.height, event.clientY - box.top)),
    };
    if (next.width !== width || next.height !== placed.height) resize(next);
  };
  return (
    <span
      className="study-card-corner"
      aria-hidden="true"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}

type MenuProps = Pick<Props, 'title' | 'placed' | 'settings'> & Omit<Edit, 'drop'>;

function CardMenu({ title, placed, settings, resize, move, remove }: MenuProps) {
  const { width, height, setting = '' } = placed;
  const items: [label: string, run: () => void, isOff?: boolean][] = [
    ['Wider', () => resize({ width: width + 1 }), width >= widthMax],
    ['Narrower', () => resize({ width: width - 1 }), width <= 1],
    ['Taller', () => resize({ height: height + 1 }), height >= heightMax],
    ['Shorter', () => resize({ height: height - 1 }), height <= 1],
    ['Move forward', () => move(-1)],
    ['Move back', () => move(1)],
    ['Remove', remove],
  ];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          size={24}
          variant="subtle"
          color="gray"
          aria-label={`Chart ${title}`}
          title="Size, place and settings"
        >
          ⋯
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={setting} onChange={(letter) => resize({ setting: letter })}>
          {settings.map(([letter, label]) => (
            <Menu.RadioItem key={letter} value={letter}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        {settings.length > 0 && <Menu.Divider />}
        {items.map(([label, run, isOff]) => (
          <Menu.Item key={label} onClick={run} disabled={isOff} closeMenuOnClick={label === 'Remove'}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
