import type { AnnotationLayout } from '../annotations.ts';
import { AnnotationChoice } from './annotation-choice.ts';
import { AnnotationList } from './annotation-list.ts';
import type { EntryColumn } from './entry-column.ts';
import { Frequencies, type InfoFrequency } from './frequencies.ts';
import { type RowColumn, rowColumns } from './row-columns.ts';

/** What a source needs to know of the file. */
export interface SourceSettings {
  /** The slot of an INFO key that the file has. */
  slotOf: (key: string) => number | undefined;
  frequencies: readonly InfoFrequency[];
  setId: string;
}

/** How rows are written from annotations of one layout, or from none. */
export class AnnotationSource {
  /** Of its INFO key; -1 without one. */
  readonly slot: number;
  readonly annotations: AnnotationList | undefined;
  readonly choice: AnnotationChoice | undefined;
  readonly frequencies: Frequencies;
  /** The columns that it can fill. */
  readonly columns: ReadonlyMap<string, RowColumn>;
  /** Set once the group is there: a writer for each of its columns. */
  writers: readonly (RowColumn & { column: EntryColumn })[] = [];

  constructor(layout: AnnotationLayout | undefined, { slotOf, frequencies, setId }: SourceSettings) {
    this.slot = (layout && slotOf(layout.key)) ?? -1;
    this.annotations = layout && new AnnotationList(layout);
    this.choice = this.annotations && new AnnotationChoice(this.annotations);
    this.frequencies = new Frequencies(frequencies, layout);
    this.columns = new Map(rowColumns(slotOf, layout, setId));
  }
}

/** The sources for these layouts, the most trusted first; at least one. */
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

/** A column that the source of a record cannot fill. */
export const nothing: RowColumn = { write: () => -1, needs: 0 };
