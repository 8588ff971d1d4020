import type { PrintColours } from '../../design/palette.ts';
import { copiesIn, fusionIn, type GeneRow, mutationIn, type Print } from './print/decode.ts';
import { copyNumberClasses, heatColour, isNumeric, mutationClasses, valueColour } from './print/paint.ts';

/** Colours of a legend with a word; two are of drivers and of other alterations. A text may be without colours. */
export interface LegendItem {
  text: string;
  colours: readonly string[];
  /** Height of the swatch in pixels. */
  height: number;
}

/** Group of a legend, such as the values of a track. */
export interface LegendGroup {
  title?: string;
  items: LegendItem[];
}

interface Of {
  print: Print;
  /** Places of the genes that are shown. */
  genes: readonly number[];
  colours: PrintColours;
  nameOf: (attribute: string) => string;
}

/** Values of a track that a legend names. */
const valuesMax = 12;
const [full, low, line] = [14, 7, 2];

/** Returns the legend of the colours that an oncoprint has. */
export function legendOf({ print, genes, colours, nameOf }: Of): LegendGroup[] {
  const found = codesIn(genes.flatMap((at) => print.genes[at] ?? []));
  const has = (test: (code: number) => boolean): boolean => [...found].some(test);
  const both = (pair: readonly [string, string]): readonly string[] =>
    print.hasJudgements ? pair : pair.slice(0, 1);
  const item = (text: string, shown: readonly string[], height = full): LegendItem => ({
    ...{ text, colours: shown, height },
  });
  const mutations = mutationClasses.flatMap((name, type) => {
    const pair = colours.mutations[name];
    return pair && has((code) => ((mutationIn(code) >> 1) & 7) === type) ? [item(name, both(pair), low)] : [];
  });
  const copies = copyNumberClasses.flatMap((name, type) =>
    name && has((code) => copiesIn(code) >> 2 === type) ? [item(name, [colours[name]])] : [],
  );
  const alterations = [
    ...mutations,
    ...copies,
    ...(has((code) => fusionIn(code) > 0) ? [item('fusion', both(colours.fusion))] : []),
    item('not altered', [colours.base]),
    item('not profiled', [colours.line], line),
    ...(print.hasJudgements ? [item('Pale: not known as a driver.', [])] : []),
    ...(has((code) => mutationIn(code) > 0 && (code & 1) === 0) ? [item('White line: germline.', [])] : []),
  ];
  const tracks = print.tracks
    .filter((track) => !isNumeric(track))
    .map(({ attribute, values }) => ({
      title: nameOf(attribute),
      items: [
        ...values
          .slice(0, valuesMax)
          .map(({ value, label }, code) => item(label ?? value, [valueColour(code)])),
        ...(values.length > valuesMax ? [item(`and ${values.length - valuesMax} more`, [])] : []),
      ],
    }));
  const heat = [-1, -0.5, 0, 0.5, 1].map((score) => heatColour(score, colours));
  const expression = item('Expression from −3 to 3 standard deviations from the mean', heat);
  return [{ items: alterations }, ...tracks, ...(print.heats.length > 0 ? [{ items: [expression] }] : [])];
}

/** Collects the codes of genes, each once. */
function codesIn(rows: readonly GeneRow[]): Set<number> {
  const seen = new Uint8Array(2 ** 16);
  for (const { codes } of rows) for (const code of codes) seen[code] = 1;
  return new Set([...seen.keys()].filter((code) => seen[code] === 1));
}
