import { Group, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import type { PrintColours } from '../../design/palette.ts';
import { copiesIn, fusionIn, type GeneRow, mutationIn, type Print } from './print/decode.ts';
import { copyNumberClasses, heatColour, isNumeric, mutationClasses, valueColour } from './print/paint.ts';

interface Props {
  print: Print;
  genes: readonly number[];
  colours: PrintColours;
  nameOf: (attribute: string) => string;
}

/** Values of a track that the legend names. */
const valuesMax = 12;

/** Colours of what the oncoprint has, with their words. */
export function Legend({ print, genes, colours, nameOf }: Props) {
  const places = genes.join();
  const found = useMemo(
    () => codesIn(places.split(',').flatMap((at) => print.genes[Number(at)] ?? [])),
    [print, places],
  );
  const has = (test: (code: number) => boolean): boolean => [...found].some(test);
  const mutations = mutationClasses.flatMap((name, type) => {
    const pair = colours.mutations[name];
    return pair && has((code) => ((mutationIn(code) >> 1) & 7) === type) ? [{ name, pair }] : [];
  });
  const copies = copyNumberClasses.filter(
    (name, type) => name && has((code) => copiesIn(code) >> 2 === type),
  );
  const both = ([driver, other]: readonly [string, string]): string =>
    print.hasJudgements ? `linear-gradient(90deg, ${driver} 50%, ${other} 50%)` : driver;
  return (
    <Group gap="md" mt={4} component="section" aria-label="Legend">
      {mutations.map(({ name, pair }) => (
        <Swatch key={name} colour={both(pair)} low>
          {name}
        </Swatch>
      ))}
      {copies.map(
        (name) =>
          name && (
            <Swatch key={name} colour={colours[name]}>
              {name}
            </Swatch>
          ),
      )}
      {has((code) => fusionIn(code) > 0) && <Swatch colour={both(colours.fusion)}>fusion</Swatch>}
      <Swatch colour={colours.base}>not altered</Swatch>
      <Swatch colour={colours.line} line>
        not profiled
      </Swatch>
      {print.hasJudgements && <Text size="xs">Pale: not known as a driver.</Text>}
      {has((code) => mutationIn(code) > 0 && (code & 1) === 0) && (
        <Text size="xs">White line: germline.</Text>
      )}
      {print.tracks
        .filter((track) => !isNumeric(track))
        .map(({ attribute, values }) => (
          <Group gap={8} key={attribute}>
            <Text size="xs" fw={600}>
              <bdi>{nameOf(attribute)}</bdi>
            </Text>
            {values.slice(0, valuesMax).map(({ value, label }, code) => (
              <Swatch key={value} colour={valueColour(code)}>
                {label ?? value}
              </Swatch>
            ))}
            {values.length > valuesMax && <Text size="xs">and {values.length - valuesMax} more</Text>}
          </Group>
        ))}
      {print.heats.length > 0 && (
        <Group gap={4}>
          <Text size="xs">Expression −3</Text>
          {[-1, -0.5, 0, 0.5, 1].map((score) => (
            <span key={score} className="print-swatch" style={{ background: heatColour(score, colours) }} />
          ))}
          <Text size="xs">3 standard deviations from the mean</Text>
        </Group>
      )}
    </Group>
  );
}

/** Collects the codes of genes, each once. */
function codesIn(rows: readonly GeneRow[]): Set<number> {
  const seen = new Uint8Array(2 ** 16);
  for (const { codes } of rows) for (const code of codes) seen[code] = 1;
  return new Set([...seen.keys()].filter((code) => seen[code] === 1));
}

/** A colour and its word. */
function Swatch({
  colour,
  low,
  line,
  children,
}: {
  colour: string;
  low?: boolean;
  line?: boolean;
  children: ReactNode;
}) {
  const height = line ? 2 : low ? 7 : 14;
  return (
    <Group gap={4} wrap="nowrap">
      <span className="print-swatch" style={{ background: colour, height }} />
      <Text size="xs" maw={220} truncate>
        <bdi>{children}</bdi>
      </Text>
    </Group>
  );
}
