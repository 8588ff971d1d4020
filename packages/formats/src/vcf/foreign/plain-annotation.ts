import { byGravity, impactOf } from './consequences.ts';

/** Annotation in the form that readers of SnpEff and VEP expect. */
export interface PlainAnnotation {
  /** Number of the alternate, from 1; 0 for all alternates of the record. */
  alternate: number;
  /** Terms of the Sequence Ontology. */
  effects: readonly string[];
  gene: string | undefined;
  transcript?: string | undefined;
  biotype?: string | undefined;
  proteinChange?: string | undefined;
  /** Ids of known variants: dbSNP, COSMIC. */
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
  /** Values of INFO; of a repeated key the first. */
  info: ReadonlyMap<string, string>;
  /** INFO unchanged. */
  infoText: string;
}

/** Content of a record's annotations. */
export interface Translated {
  annotations: readonly PlainAnnotation[];
  /** Values of INFO that precede those of the record, one for each alternate. */
  values?: ReadonlyMap<string, readonly string[]>;
}

/** Positions of the fields that `written` writes. */
export const plainParts = {
  effect: 1,
  impact: 2,
  symbol: 3,
  transcript: 4,
  biotype: 5,
  aminoAcidChange: 6,
  alleleNumber: 7,
  existingVariation: 8,
} as const;

/** Fields that are separated as those of VEP. */
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
