import { type Conditions, toggleLeaf } from '../../study/conditions.ts';
import type { Named } from './Names.tsx';
import type { Print } from './print/decode.ts';
import { type Row, rowsOf } from './print/geometry.ts';
import { shareText } from './print/labels.ts';
import type { Ordered } from './print/order.ts';
import type { GeneLine, Settings } from './settings.ts';

/** A line of the drawing with its part of the settings. */
export type Line = { row: Row; place: number } & (
  | { kind: 'track'; ids: string[] }
  | { kind: 'gene'; gene: GeneLine; at: number }
  | { kind: 'heat'; gene: string }
);

/** Places the lines that the settings name and the print has. */
export function linesOf(
  print: Print,
  { groups }: Ordered,
  genes: readonly GeneLine[],
  settings: Settings,
): Line[] {
  const placesOf = <T>(list: readonly T[], test: (one: T) => boolean): number[] => {
    const at = list.findIndex(test);
    return at < 0 ? [] : [at];
  };
  const tracks = settings.tracks
    .map((ids) => ({
      ids,
      at: ids.flatMap((id) => placesOf(print.tracks, ({ attribute }) => attribute === id)),
    }))
    .filter(({ at }) => at.length > 0);
  const ofGenes = genes.flatMap((gene) =>
    placesOf(print.genes, ({ name }) => name === nameOfGene(gene)).map((at) => ({ gene, at })),
  );
  const heats = settings.heat.flatMap((gene) =>
    placesOf(print.heats, (one) => one.gene === gene).map((at) => ({ gene, at })),
  );
  const size = { geneHeight: settings.tall, hasGroups: groups.length > 1 };
  const rows = rowsOf(
    tracks.map(({ at }) => at),
    ofGenes.map(({ at }) => at),
    heats.map(({ at }) => at),
    size,
  );
  const parts = [
    ...tracks.map(({ ids }, place) => ({ kind: 'track' as const, ids, place })),
    ...ofGenes.map(({ gene, at }, place) => ({ kind: 'gene' as const, gene, at, place })),
    ...heats.map(({ gene }, place) => ({ kind: 'heat' as const, gene, place })),
  ];
  return rows.flatMap((row, at) => {
    const part = parts[at];
    return part ? [{ row, ...part }] : [];
  });
}

const nameOfGene = (gene: GeneLine): string => (typeof gene === 'string' ? gene : gene.name);

/** State of the page that the menus of lines read and change. */
interface LineState {
  print: Print;
  ordered: Ordered;
  settings: Settings;
  /** Genes that are shown. */
  genes: readonly GeneLine[];
  conditions: Conditions;
  noun: string;
  nameOf: (attribute: string) => string;
  change: (part: Partial<Settings>) => void;
  setConditions: (conditions: Conditions) => void;
  choose: (places: ReadonlySet<number>) => void;
}

/** Returns the name of a line, and the share of a gene. */
export function titleOf(
  line: Line,
  { ordered, nameOf }: Pick<LineState, 'ordered' | 'nameOf'>,
): Pick<Named, 'name' | 'end'> {
  if (line.kind === 'track') return { name: line.ids.map(nameOf).join(' + ') };
  if (line.kind === 'heat') return { name: `${line.gene} expression` };
  return { name: nameOfGene(line.gene), end: shareText(ordered.shares[line.at]) };
}

/** Returns the name and the menu of a line. */
export function namedLine(line: Line, state: LineState): Named {
  return { ...titleOf(line, state), ...menuOf(line, state) };
}

function menuOf(line: Line, state: LineState): Omit<Named, 'name' | 'end'> {
  if (line.kind === 'track') return menuOfTrack(line.ids, line.place, state);
  if (line.kind === 'gene') return menuOfGene(line.gene, line.at, line.place, state);
  const { print, settings, change } = state;
  const { isLog = false, unit = '' } = print.heats.find(({ gene }) => gene === line.gene) ?? {};
  return {
    tip: `${isLog ? 'log2 of ' : ''}${unit || 'unit not known'}`,
    actions: [
      { label: 'Remove', run: () => change({ heat: settings.heat.filter((one) => one !== line.gene) }) },
    ],
    move: (by) => change({ heat: moved(settings.heat, line.place, by) }),
  };
}

function menuOfTrack(
  ids: string[],
  place: number,
  { settings, change }: LineState,
): Omit<Named, 'name' | 'end'> {
  const [attribute = ''] = ids;
  const others = settings.lead.filter((one) => one.attribute !== attribute);
  const lead = (descending: boolean): void => change({ lead: [{ attribute, descending }, ...others] });
  const isLead = others.length < settings.lead.length;
  return {
    actions: [
      { label: 'Sort, smallest first', run: () => lead(false) },
      { label: 'Sort, largest first', run: () => lead(true) },
      ...(isLead ? [{ label: 'Do not sort by it', run: () => change({ lead: others }) }] : []),
      ...(ids.length === 1 ? [{ label: 'Groups with gaps', run: () => change({ gap: attribute }) }] : []),
      { label: 'Remove', run: () => change({ tracks: settings.tracks.filter((one) => one !== ids) }) },
    ],
    move: (by) => change({ tracks: moved(settings.tracks, place, by) }),
  };
}

function menuOfGene(
  gene: GeneLine,
  at: number,
  place: number,
  state: LineState,
): Omit<Named, 'name' | 'end'> {
  const { print, ordered, genes, conditions, noun, change, setConditions, choose } = state;
  const members = typeof gene === 'string' ? [gene] : [...gene.genes];
  const share = ordered.shares[at];
  return {
    tip: `${members.join(', ')}: altered in ${share?.altered ?? 0} of ${share?.profiled ?? 0} profiled ${noun}s`,
    actions: [
      { label: 'Choose the altered', run: () => choose(new Set(print.genes[at]?.altered ?? [])) },
      {
        label: 'Only the altered',
        run: () => setConditions(toggleLeaf(conditions, { alteration: { genes: members } })),
      },
      ...(members.length > 1
        ? [
            {
              label: 'Take apart',
              run: () => change({ rows: genes.flatMap((one) => (one === gene ? members : [one])) }),
            },
          ]
        : []),
      { label: 'Remove', run: () => change({ rows: genes.filter((one) => one !== gene) }) },
    ],
    move: (by) => change({ rows: moved(genes, place, by) }),
  };
}

/** Moves an item of a list by a number of places. */
function moved<T>(list: readonly T[], at: number, by: number): T[] {
  const to = Math.max(0, Math.min(list.length - 1, at + by));
  return list.toSpliced(at, 1).toSpliced(to, 0, ...list.slice(at, at + 1));
}
