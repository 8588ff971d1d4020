import {
  type Choice,
  type Conditions,
  chosenIn,
  type Leaf,
  placeOfLeaf,
  toggle,
  toggleLeaf,
} from '../../study/conditions.ts';
import type { Attribute } from '../../study/study.ts';
import { type Labels, type Range, rangeText, valueText } from '../../study/words.ts';
import { sentenceOf } from '../../words/dictionary.ts';
import type { Result } from './charts.ts';
import type { Placed } from './layout.ts';

/** Value with the subjects that have it. */
export interface Bar {
  name: string;
  /** `null`: too few to be shown. */
  count: number | null;
  isChosen: boolean;
  /** Text below the bar; absent: its name. */
  label?: string | undefined;
  /** Number at its left end, for bars of ranges with two ends. */
  edge?: number | undefined;
  /** Called where a click chooses it. */
  choose?: () => void;
}

/** Chart with its result, and the conditions that its bars change. */
export interface Charted {
  placed: Placed;
  attribute: Attribute | undefined;
  result: Result | undefined;
  labels: Labels;
  conditions: Conditions;
  change: (conditions: Conditions) => void;
}

/** Returns the bars of the values, ranges or events of a chart. */
export function barsOf(props: Charted): Bar[] {
  const { result, attribute, labels, conditions, placed, change } = props;
  if (result?.events || result?.treatments || result?.profiles) return courseBars(props);
  const chosen = chosenIn(conditions, placed.id);
  const bar = (name: string, count: number | null, choice: Choice, isChosen: boolean): Bar => ({
    ...{ name, count, isChosen },
    choose: () => change(toggle(conditions, placed.id, choice)),
  });
  const missing = (count: number | null): Bar[] =>
    count === 0 ? [] : [bar('No value', count, { na: true }, chosen?.na === true)];
  const { values, bins } = result ?? {};
  if (values)
    return [
      ...values.items.map(({ value, count }) =>
        bar(valueText(attribute, value, labels), count, { value }, chosen?.in?.includes(value) === true),
      ),
      ...restOf(values.other.values, values.other.count),
      ...missing(values.na),
    ];
  const keys = new Set((chosen?.ranges ?? []).map((range) => JSON.stringify(range)));
  return [
    ...(bins?.bars ?? []).flatMap(({ range, text, count }): Bar[] => {
      if (range) {
        return [
          {
            ...bar(rangeText(range), count, { range }, keys.has(JSON.stringify(range))),
            ...endsOf(range),
          },
        ];
      }
      return text === undefined
        ? []
        : [bar(text, count, { value: text }, chosen?.in?.includes(text) === true)];
    }),
    ...missing(bins?.na ?? 0),
  ];
}

/** Returns the left end of a range, or the label of one with a single end. */
function endsOf({ gt, gte, lt, lte }: Range): Pick<Bar, 'edge' | 'label'> {
  const [from, to] = [gt ?? gte, lt ?? lte];
  if (from === undefined) return { label: `≤${to}` };
  if (to === undefined) return { label: `>${from}` };
  return from === to ? {} : { edge: from };
}

/** Returns the bar of the values beyond the listed ones, which nothing chooses. */
const restOf = (values: number | null, count: number | null): Bar[] =>
  values === 0 || (values === null && count === null)
    ? []
    : [{ name: `${values?.toLocaleString() ?? 'All'} other values`, count, isChosen: false }];

/** Returns the bars of types of events, agents, and kinds of profiles; each chooses its subjects. */
function courseBars({ result, conditions, change }: Charted): Bar[] {
  const { events, treatments, profiles } = result ?? {};
  const bar = (name: string, count: number | null, leaf: Leaf): Bar => ({
    ...{ name, count, isChosen: placeOfLeaf(conditions, leaf) >= 0 },
    choose: () => change(toggleLeaf(conditions, leaf)),
  });
  return [
    ...(events?.items ?? []).map(({ name, patients }) =>
      bar(sentenceOf(name), patients, { event: { type: name } }),
    ),
    ...(treatments?.items ?? []).map(({ name, patients }) =>
      bar(name, patients, { treatment: { agents: [name] } }),
    ),
    ...(profiles?.items ?? []).flatMap(({ kind, panel, count }) => {
      const known = profileKinds.find((one) => one === kind);
      if (known === undefined) return [];
      const word = sentenceOf(kind.replace('_', ' '));
      const name = panel === undefined ? word : `${word}: ${panel}`;
      return [bar(name, count, { profiled: { kind: known, ...(panel !== undefined && { panel }) } })];
    }),
  ];
}

const profileKinds = ['mutation', 'copy_number', 'fusion', 'expression'] as const;
