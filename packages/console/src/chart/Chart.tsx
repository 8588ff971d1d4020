import { Button, Card, Group, Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useEffect, useRef } from 'react';
import { csvText, saveAs } from '../table/csv.ts';
import { makeChoosable, nameDrawing } from './choosable.ts';
import { pngOf, svgText } from './picture.ts';

interface Props {
  title: string;
  /** Rows behind the chart, as they are exported. */
  data: Record<string, unknown>[];
  options: Plot.PlotOptions;
  /** Called with the row of a bar or dot that was chosen by mouse or keyboard. */
  pick?: (row: Record<string, unknown>) => void;
}

/** A chart that can be kept as SVG, PNG and data. */
export function Chart({ title, data, options, pick }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const svg = (): SVGSVGElement | null =>
    place.current?.querySelector(':scope > svg, :scope > figure > svg') ?? null;
  useEffect(() => {
    const drawn = Plot.plot({ width: 480, height: 230, ...options, ariaLabel: title });
    nameDrawing(drawn, title, pick !== undefined);
    if (pick) makeChoosable(drawn, data, pick);
    place.current?.replaceChildren(drawn);
    return () => drawn.remove();
  }, [options, data, title, pick]);
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" mb="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Group gap={4}>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${title} as SVG`}
            onClick={() => saveSvg(title, svg())}
          >
            SVG
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${title} as PNG`}
            onClick={() => void savePng(title, svg())}
          >
            PNG
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${title} as data`}
            onClick={() => saveData(title, data)}
          >
            Data
          </Button>
        </Group>
      </Group>
      <div ref={place} className={pick ? 'chart chart-clickable' : 'chart'} />
    </Card>
  );
}

function saveSvg(title: string, svg: SVGSVGElement | null): void {
  if (svg) saveAs(`${title}.svg`, svgText(svg), 'image/svg+xml');
}

async function savePng(title: string, svg: SVGSVGElement | null): Promise<void> {
  if (svg) saveAs(`${title}.png`, await pngOf(svg), 'image/png');
}

function saveData(title: string, data: Record<string, unknown>[]): void {
  const names = [...new Set(data.flatMap((row) => Object.keys(row)))];
  saveAs(`${title}.csv`, csvText([names, ...data.map((row) => names.map((name) => row[name]))]), 'text/csv');
}
