import type { AnnotationLayout } from '../../annotation-layout.ts';
import { Consequences } from '../calls/consequences.ts';
import type { RowColumn } from '../columns/column-writer.ts';
import type { EntryColumn } from '../columns/entry-column.ts';
import { Frequencies, type InfoFrequency } from '../columns/frequencies.ts';
import { rowColumns } from '../columns/row-columns.ts';
import type { InfoValues } from '../info-values.ts';
import { type FileConstants, VariantGroup } from '../variant-group.ts';
import { AnnotationChoice } from './annotation-choice.ts';
import { AnnotationList } from './annotation-list.ts';

/** Facts about the file that a source needs. */
interface SourceSettings {
  /** Slot of an INFO key that the file has. */
  slotOf: (key: string) => number | undefined;
  frequencies: readonly InfoFrequency[];
  setId: string;
}

/** Writes rows from annotations of one layout, or without any. */
export class AnnotationSource {
  /** Slot of its INFO key; -1 without one. */
  readonly slot: number;
  readonly annotations: AnnotationList | undefined;
  readonly choice: AnnotationChoice | undefined;
  readonly frequencies: Frequencies;
  /** Columns that it can fill. */
  readonly columns: ReadonlyMap<string, RowColumn>;
  /** Set with the group: a writer for each of its columns. */
  writers: readonly (RowColumn & { column: EntryColumn })[] = [];

  constructor(layout: AnnotationLayout | undefined, { slotOf, frequencies, setId }: SourceSettings) {
    this.slot = (layout && slotOf(layout.key)) ?? -1;
    this.annotations = layout && new AnnotationList(layout);
    this.choice = this.annotations && new AnnotationChoice(this.annotations);
    this.frequencies = new Frequencies(frequencies, layout);
    const columns = new Map(rowColumns(slotOf, layout, setId));
    if (this.annotations && this.choice) {
      const consequences = new Consequences(this.annotations, this.choice);
      columns.set('consequences', { write: (context, texts) => consequences.take(context, texts), needs: 0 });
    }
    this.columns = columns;
  }
}

/** Builds the sources for these layouts, the most trusted first; at least one. */
export function annotationSources(
  layouts: readonly AnnotationLayout[],
  settings: SourceSettings,
): [AnnotationSource, ...AnnotationSource[]] {
  const [first, ...others] = layouts;
  return [
    new AnnotationSource(first, settings),
    ...others.map((layout) => new AnnotationSource(layout, settings)),
  ];
}

/** Returns the first source whose annotations a record has, else the first. */
export function sourceOf(
  sources: readonly [AnnotationSource, ...AnnotationSource[]],
  values: InfoValues,
  bytes: Uint8Array,
): AnnotationSource {
  return sources.find(({ slot }) => values.has(slot, bytes)) ?? sources[0];
}

/** A column that the source of a record cannot fill. */
const nothing: RowColumn = { write: () => -1, needs: 0 };

/** Opens the group that rows of these sources are written to, with a writer for each of its columns. */
export function openGroup(
  sources: readonly AnnotationSource[],
  settings: FileConstants & { layouts: readonly AnnotationLayout[] },
): VariantGroup {
  const written = new Set([...settings.columns, ...(settings.callColumns ?? [])].map(({ name }) => name));
  // The groups of effects follow from their classes.
  if (written.has('ebcanon_group')) written.add('ebcanon_class');
  const names = new Set(sources.flatMap(({ columns }) => [...columns.keys()])).intersection(written);
  // VEP alone names the protein before its change.
  const equals = new Map(
    settings.layouts.some(({ alleles }) => alleles === 'vep') ? [] : [['hgvs_p', 'amino_acid_change']],
  );
  for (const name of equals.keys()) names.delete(name);
  const group = new VariantGroup([...names], settings, equals);
  for (const source of sources)
    source.writers = [...names].map((name) => ({
      column: group.column(name),
      ...(source.columns.get(name) ?? nothing),
    }));
  return group;
}
