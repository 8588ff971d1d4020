import type { Unit } from '../../study/study.ts';
import type { Merged } from './print/decode.ts';

/** Parameters in the address of an oncoprint, as written there. */
export interface Search {
  filter?: string;
  unit?: string;
  genes?: string;
  tracks?: string;
  heat?: string;
  lead?: string;
  by?: string;
  gap?: string;
  hide?: string;
  wide?: string;
  tall?: string;
  palette?: string;
  ids?: string;
}

/** Names of the parameters. */
export const searchNames = [
  ...(['filter', 'unit', 'genes', 'tracks', 'heat', 'lead', 'by', 'gap'] as const),
  ...(['hide', 'wide', 'tall', 'palette', 'ids'] as const),
];

/** Switches of the page; the address lists those that are not as at first. */
const switches = [
  ...(['unaltered', 'unprofiled', 'germline', 'passengers', 'blanks', 'types', 'drivers', 'map'] as const),
  'gains',
] as const;
export type Switch = (typeof switches)[number];

/** Choice of what an oncoprint shows. */
export interface Settings {
  unit: Unit;
  /** Rows of genes; empty: the most frequent ones. */
  rows: GeneLine[];
  /** Attributes of each track; several are stacked. */
  tracks: string[][];
  heat: string[];
  /** Attributes that sort before the genes. */
  lead: { attribute: string; descending: boolean }[];
  by: 'genes' | 'cluster' | 'id' | 'given';
  gap: string | undefined;
  changed: ReadonlySet<Switch>;
  /** Width of a column in pixels; undefined: all columns fit. */
  wide: number | undefined;
  tall: number;
  palette: 'usual' | 'distinct';
  ids: string[];
}

/** A gene, or several that are one row. */
export type GeneLine = string | Merged;

export const wideRange = { min: 0.02, max: 40 } as const;
export const tallRange = { min: 8, max: 40 } as const;
const tallDefault = 22;
export const genesMax = 200;
const tracksMax = 20;
const heatMax = 50;

/** Reads an address; parts that are not valid are left out. */
export function readSettings(search: Search): Settings {
  const { by, palette } = search;
  const within = (
    text: string | undefined,
    { min, max }: { min: number; max: number },
  ): number | undefined => {
    const number = Number.parseFloat(text ?? '');
    return Number.isNaN(number) ? undefined : Math.min(max, Math.max(min, number));
  };
  return {
    unit: search.unit === 'patient' ? 'patient' : 'sample',
    rows: readGenes(search.genes ?? '').slice(0, genesMax),
    tracks: listsIn(search.tracks).slice(0, tracksMax),
    heat: wordsIn(search.heat).slice(0, heatMax),
    lead: listsIn(search.lead).map(([attribute = '', way]) => ({ attribute, descending: way === 'down' })),
    by: by === 'cluster' || by === 'id' || by === 'given' ? by : 'genes',
    gap: search.gap || undefined,
    changed: new Set(switches.filter((one) => wordsIn(search.hide).includes(one))),
    wide: within(search.wide, wideRange),
    tall: within(search.tall, tallRange) ?? tallDefault,
    palette: palette === 'distinct' ? palette : 'usual',
    ids: (search.ids ?? '').split('\n').filter(Boolean),
  };
}

/** Writes a part of the settings for the address. */
export function writeSettings(part: Partial<Settings>): Search {
  const { unit, rows, tracks, heat, lead, changed, wide, tall, ids } = part;
  return {
    ...(unit && { unit: unit === 'patient' ? unit : '' }),
    ...(rows && { genes: writeGenes(rows) }),
    ...(tracks && { tracks: jsonOf(tracks.map((one) => (one.length === 1 ? one[0] : one))) }),
    ...(heat && { heat: heat.join(' ') }),
    ...(lead && { lead: jsonOf(lead.map((one) => [one.attribute, one.descending ? 'down' : 'up'])) }),
    ...(part.by && { by: part.by === 'genes' ? '' : part.by }),
    ...('gap' in part && { gap: part.gap ?? '' }),
    ...(changed && { hide: [...changed].join(' ') }),
    ...('wide' in part && { wide: wide === undefined ? '' : String(Number(wide.toPrecision(4))) }),
    ...(tall !== undefined && { tall: tall === tallDefault ? '' : String(tall) }),
    ...(part.palette && { palette: part.palette === 'usual' ? '' : part.palette }),
    ...(ids && { ids: ids.join('\n') }),
  };
}

/** Reads genes, separated by blanks, commas or semicolons; `["RAS" KRAS NRAS]` is one row. */
export function readGenes(text: string): GeneLine[] {
  const lines: GeneLine[] = [];
  const seen = new Set<string>();
  for (const [, name = '', members = '', gene = ''] of text.matchAll(
    /\[\s*"([^"\]]*)"([^\]]*)\]|([^\s,;[\]"]+)/g,
  )) {
    const genes = [...new Set(members.split(/[\s,;]+/).filter(Boolean))];
    const key = gene || `"${name}"`;
    if (seen.has(key) || (gene === '' && genes.length === 0)) continue;
    seen.add(key);
    lines.push(gene || { name: name || genes.join('/'), genes });
  }
  return lines;
}

/** Writes genes as `readGenes` reads them. */
export function writeGenes(lines: readonly GeneLine[]): string {
  return lines
    .map((line) => (typeof line === 'string' ? line : `["${line.name}" ${line.genes.join(' ')}]`))
    .join(' ');
}

/** Lists the genes of lines, each once. */
export const genesIn = (lines: readonly GeneLine[]): string[] => [
  ...new Set(lines.flatMap((line) => (typeof line === 'string' ? [line] : line.genes))),
];

const wordsIn = (text: string | undefined): string[] => (text ?? '').split(/[\s,;]+/).filter(Boolean);

const jsonOf = (list: readonly unknown[]): string => (list.length === 0 ? '' : JSON.stringify(list));

/** Reads a JSON list of texts and lists of texts. */
function listsIn(text: string | undefined): string[][] {
  try {
    const list: unknown = JSON.parse(text || '[]');
    if (!Array.isArray(list)) return [];
    return list
      .map((one: unknown) => (Array.isArray(one) ? one : [one]).filter((part) => typeof part === 'string'))
      .filter((one) => one.length > 0);
  } catch {
    return [];
  }
}
