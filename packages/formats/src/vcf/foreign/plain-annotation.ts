import type { AnnotationLayout } from '../annotations.ts';
import type { FrequencyField } from '../frequencies.ts';
import { byGravity, impactOf } from './consequences.ts';

/** An annotation as it is written for those who read SnpEff's and VEP's. */
export interface PlainAnnotation {
  /** From 1; 0: of all alternates of the record. */
  alternate: number;
  /** Terms of the Sequence Ontology. */
  effects: readonly string[];
  gene: string | undefined;
  transcript?: string | undefined;
  biotype?: string | undefined;
  proteinChange?: string | undefined;
  /** Ids of what is known there: dbSNP, COSMIC. */
  existing?: string | undefined;
  /** Population frequencies, in the order of the layout. */
  frequencies?: readonly string[];
}

/** A record as text. */
export interface ForeignRecord {
  chromosome: string;
  position: number;
  reference: string;
  alternates: readonly string[];
  /** The values of INFO; of a key that is there several times the first. */
  info: ReadonlyMap<string, string>;
  /** INFO as it stands. */
  infoText: string;
}

/** What a record's annotations say. */
export interface Translated {
  annotations: readonly PlainAnnotation[];
  /** Values of INFO that go before those of the record, one for each alternate. */
  values?: ReadonlyMap<string, readonly string[]>;
}

const parts = {
  effect: 1,
  impact: 2,
  symbol: 3,
  transcript: 4,
  biotype: 5,
  aminoAcidChange: 6,
  alleleNumber: 7,
  existingVariation: 8,
} as const;

/** How `written` writes. */
export function plainLayout(
  key: string,
  frequencies: readonly FrequencyField[] = [],
): Omit<AnnotationLayout, 'isNeverTrimmed'> {
  const first = Object.keys(parts).length + 1;
  const placed = frequencies.map((field, index) => ({ ...field, place: first + index }));
  return { key, shape: 'fields', alleles: 'alt', parts, frequencies: placed };
}

/** Fields that are separated as those of VEP are. */
export function written(annotations: readonly PlainAnnotation[]): string {
  return annotations.map(oneWritten).join(',');
}

function oneWritten(one: PlainAnnotation): string {
  const effects = byGravity(one.effects);
  const fields = [
    effects.join('&'),
    impactOf(effects),
    one.gene,
    one.transcript,
    one.biotype,
    one.proteinChange,
    one.alternate > 0 ? String(one.alternate) : '',
    one.existing,
    ...(one.frequencies ?? []),
  ];
  return fields.map((field) => (field ?? '').replaceAll(/[|,;\s]/g, '_')).join('|');
}
