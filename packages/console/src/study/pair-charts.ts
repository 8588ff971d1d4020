import type { Node } from './conditions.ts';
import type { Attribute } from './study.ts';

/** Two attributes in one chart, whose form follows their types. */
export interface Pair {
  x: Attribute;
  y: Attribute;
}

const prefix = 'pair:';

/** Returns the id of the chart of two attributes. */
export const pairId = (x: string, y: string): string =>
  `${prefix}${encodeURIComponent(x)}:${encodeURIComponent(y)}`;

/** Returns the attributes of a chart of two; `undefined` for other charts, and where one is not there. */
export function pairOf(id: string, attributes: readonly Attribute[]): Pair | undefined {
  if (!id.startsWith(prefix)) return undefined;
  const [x, y] = id
    .slice(prefix.length)
    .split(':')
    .map((part) => attributes.find((one) => encodeURIComponent(one.id) === part));
  return x && y && { x, y };
}

/** Returns the attributes with the numeric one first, if only one is: groups of numbers are drawn along it. */
export function numbersFirst({ x, y }: Pair): Pair {
  return y.type === 'number' && x.type !== 'number' ? { x: y, y: x } : { x, y };
}

/** Returns the test that a number of a two-way table counts, which a click on it adds. */
export const cellNode = ({ x, y }: Pair, row: string, column: string): Node => ({
  and: [
    { attribute: x.id, in: [row] },
    { attribute: y.id, in: [column] },
  ],
});

/** Returns the title of a chart of two attributes. */
export const pairTitle = ({ x, y }: Pair): string => `${y.name} by ${x.name}`;
