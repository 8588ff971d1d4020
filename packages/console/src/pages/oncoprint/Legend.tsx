import { Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { PrintColours } from '../../design/palette.ts';
import { type LegendItem, legendOf } from './legend-of.ts';
import type { Print } from './print/decode.ts';

interface Props {
  print: Print;
  genes: readonly number[];
  colours: PrintColours;
  nameOf: (attribute: string) => string;
}

/** Colours of what the oncoprint has, with their words. */
export function Legend({ print, genes, colours, nameOf }: Props) {
  const places = JSON.stringify(genes);
  const groups = useMemo(
    () => legendOf({ print, genes: JSON.parse(places), colours, nameOf }),
    [print, places, colours, nameOf],
  );
  return (
    <Group gap="md" mt={4} component="section" aria-label="Legend">
      {groups.map(({ title, items }) => (
        <Group gap={title === undefined ? 'md' : 8} key={title ?? items[0]?.text}>
          {title !== undefined && (
            <Text size="xs" fw={600}>
              <bdi>{title}</bdi>
            </Text>
          )}
          {items.map((item) => (
            <Swatch key={item.text} item={item} />
          ))}
        </Group>
      ))}
    </Group>
  );
}

/** Colours and their word. */
function Swatch({ item: { text, colours, height } }: { item: LegendItem }) {
  const share = 100 / Math.max(1, colours.length);
  const stops = colours.map((colour, at) => `${colour} ${at * share}% ${(at + 1) * share}%`);
  return (
    <Group gap={4} wrap="nowrap">
      {colours.length > 0 && (
        <span
          className="print-swatch"
          style={{ background: `linear-gradient(90deg, ${stops.join()})`, height }}
        />
      )}
      <Text size="xs" maw={colours.length === 1 ? 220 : undefined} truncate>
        <bdi>{text}</bdi>
      </Text>
    </Group>
  );
}
