import { ActionIcon, Card, Group, Menu, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import type { Placed } from './charts.ts';

interface Props {
  title: string;
  placed: Placed;
  /** Columns of the grid. */
  columns: number;
  /** Number of subjects behind the chart, and further numbers, in words. */
  note: string;
  resize: (part: Partial<Placed>) => void;
  /** Moves it by a number of places, or behind another chart. */
  move: (by: number) => void;
  drop: (id: string) => void;
  remove: () => void;
  children: ReactNode;
  /** Menu that saves the drawing. */
  keep: ReactNode;
}

/** Rows that a card takes at most. */
const heightMax = 4;

/** Card of a chart on the grid: its title moves it, its menu resizes and removes it. */
export function ChartCard({ title, placed, columns, note, children, keep, ...change }: Props) {
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
      onDrop={(event) => change.drop(event.dataTransfer.getData('text/plain'))}
    >
      <Group
        justify="space-between"
        gap={4}
        wrap="nowrap"
        draggable
        onDragStart={(event) => event.dataTransfer.setData('text/plain', placed.id)}
        style={{ cursor: 'grab' }}
      >
        <Text fw={600} size="sm" truncate title={title}>
          {title}
        </Text>
        <Group gap={2} wrap="nowrap">
          {keep}
          <CardMenu title={title} placed={placed} {...change} />
        </Group>
      </Group>
      <div className="study-card-body">{children}</div>
      <Text size="xs" c="var(--soft)" truncate title={note}>
        {note}
      </Text>
    </Card>
  );
}

type MenuProps = Pick<Props, 'title' | 'placed' | 'resize' | 'move' | 'remove'>;

function CardMenu({ title, placed: { width, height }, resize, move, remove }: MenuProps) {
  const items: [label: string, run: () => void, isOff?: boolean][] = [
    ['Wider', () => resize({ width: width + 1 }), width >= 6],
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
          title="Size and place"
        >
          ⋯
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(([label, run, isOff]) => (
          <Menu.Item key={label} onClick={run} disabled={isOff} closeMenuOnClick={label === 'Remove'}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
