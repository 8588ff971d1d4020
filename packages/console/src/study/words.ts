import { capital, classText, sentenceOf, shownShare, shownValue } from '../words/dictionary.ts';
import type { Condition, Leaf, Node } from './conditions.ts';
import type { Attribute } from './study.ts';
import { timedText } from './timed.ts';
import { shortChange } from './variant-test.ts';

/** Words of the values of attributes, by the id of the attribute and the value. */
export type Labels = ReadonlyMap<string, ReadonlyMap<string, string>>;

export type Range = NonNullable<Extract<Leaf, { attribute: unknown }>['ranges']>[number];

/** Returns a range in words: `41–50`, `up to 25`, `over 80`. Bars of whole numbers name their first and last one. */
export function rangeText({ gt, gte, lt, lte }: Range): string {
  const from = gte ?? gt;
  const to = lte ?? lt;
  if (from === undefined) return `up to ${to}`;
  if (to === undefined) return gt === undefined ? `${from} or more` : `over ${from}`;
  if (from === to) return String(from);
  const isWhole = Number.isInteger(from) && Number.isInteger(to);
  return `${isWhole && gt !== undefined ? from + 1 : from}–${isWhole && lt !== undefined ? to - 1 : to}`;
}

/** Returns a value of an attribute in words. */
export function valueText(attribute: Attribute | undefined, value: string, labels: Labels): string {
  const { id = '', type, origin } = attribute ?? {};
  if (type === 'boolean') return value.toLowerCase() === 'true' ? 'Yes' : 'No';
  const label = labels.get(id)?.get(value);
  if (label !== undefined) return label;
  const status = statusText(id, value);
  if (status !== value) return status;
  const shown = shownValue(id.split('.').at(-1) ?? '', value);
  return origin === 'table' ? capital(shown) : shown;
}

/** Returns a status of survival in words, which files of studies write as `1:DECEASED`; other values as they are. */
export function statusText(attribute: string, value: string): string {
  const [, status] = (attribute.endsWith('_STATUS') && /^[01]:(.+)$/.exec(value)) || [];
  return status === undefined ? value : sentenceOf(status);
}

/** Names that pills need. */
export interface Known {
  attributes: readonly Attribute[];
  labels: Labels;
  cohorts: readonly { id: string; name: string }[];
}

/** Returns a condition in words, without its own negation. */
export function conditionText({ is }: Pick<Condition, 'is'>, known: Known): string {
  const { attributes, labels, cohorts } = known;
  const partText = (part: Node): string => {
    const text = conditionText({ is: part }, known);
    return 'and' in part || 'or' in part ? `(${text})` : text;
  };
  if ('and' in is) return is.and.map(partText).join(' and ');
  if ('or' in is) return is.or.map(partText).join(' or ');
  if ('not' in is) return `not (${conditionText({ is: is.not }, known)})`;
  if ('attribute' in is) {
    const attribute = attributes.find(({ id }) => id === is.attribute);
    const values = (is.in ?? []).map((value) => valueText(attribute, value, labels));
    const parts = [...values, ...(is.ranges ?? []).map(rangeText), ...(is.na ? ['no value'] : [])];
    return `${attribute?.name ?? is.attribute}: ${parts.join(', ')}`;
  }
  if ('alteration' in is) return alterationText(is.alteration);
  if ('cohort' in is) return `Cohort ${cohorts.find(({ id }) => id === is.cohort)?.name ?? is.cohort}`;
  if ('where' in is) return whereText(is.where);
  if ('list' in is) return `${is.list.length.toLocaleString()} ids`;
  if ('timed' in is) return timedText(is.timed, labels);
  if ('profiled' in is) return profiledText(is.profiled);
  if ('treatment' in is) return treatmentText(is.treatment);
  if ('region' in is) {
    const [x, y] = [is.region.x, is.region.y].map(
      (axis) => attributes.find(({ id }) => id === axis)?.name ?? axis.replace(':', ' of '),
    );
    return `Region of ${y} by ${x}, ${is.region.corners.length} corners`;
  }
  if ('event' in is) return `Event: ${sentenceOf(is.event.type)}`;
  return 'samples' in is ? `${is.samples.length} samples` : `${is.patients.length} subjects`;
}

/** Returns what was looked for in words: `Profiled for mutation, panel IMPACT`. */
function profiledText({ kind, gene, panel }: Extract<Leaf, { profiled: unknown }>['profiled']): string {
  const parts = [gene ?? kind.replace('_', ' '), panel && `panel ${panel}`];
  return `Profiled for ${parts.filter(Boolean).join(', ')}`;
}

function treatmentText({
  agents,
  countMin = 1,
  fromDay,
  toDay,
}: Extract<Leaf, { treatment: unknown }>['treatment']): string {
  const days =
    fromDay === undefined
      ? toDay !== undefined && `up to day ${toDay}`
      : toDay === undefined
        ? `from day ${fromDay}`
        : `days ${fromDay} to ${toDay}`;
  const times = countMin > 1 && `${countMin} times or more`;
  const parts = [`Treated with ${agents?.join(' or ') ?? 'any agent'}`, times, days];
  return parts.filter(Boolean).join(', ');
}

type Alteration = Extract<Leaf, { alteration: unknown }>['alteration'];

function alterationText(test: Alteration): string {
  const { genes, kinds, classes, consequences, proteinChanges, proteinPositions, variants, driver } = test;
  const { status, alleleFractionMin, partners, notProteinChanges, counts } = test;
  const { from, to } = proteinPositions ?? {};
  const details = [
    kinds?.map((kind) => kind.replace('_', ' ')).join(' or '),
    classes?.map((name) => classText(name).toLowerCase()).join(' or '),
    consequences?.join(' or '),
    proteinChanges?.[0] && shortChange(proteinChanges[0]),
    notProteinChanges?.[0] && `not ${notProteinChanges.map(shortChange).join(', ')}`,
    from !== undefined && (from === to ? `codon ${from}` : `codons ${from}–${to ?? 'end'}`),
    variants?.map(({ chromosome, position }) => `${chromosome}:${position}`).join(', '),
    partners && `with ${partners.join(' or ')}`,
    driver,
    counts !== 'all' && counts,
    status,
    alleleFractionMin !== undefined && `VAF from ${shownShare(alleleFractionMin)}`,
  ];
  return [genes?.join(' or ') ?? 'Any gene', ...details.filter(Boolean)].join(' ');
}

const operators: Readonly<Record<string, string>> = { lt: '<', lte: '≤', gt: '>', gte: '≥', eq: '', in: '' };

/** Returns the conditions on rows in words: the values, each behind its column where it is a bound. */
function whereText(where: Readonly<Record<string, unknown>>): string {
  const found: string[] = [];
  const walk = (value: unknown, column: string): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, column);
    else if (typeof value === 'object' && value !== null) {
      const { operator, value: operand } = value as { operator?: unknown; value?: unknown };
      if (typeof operator !== 'string') for (const [key, one] of Object.entries(value)) walk(one, key);
      else found.push(testText(column, operator, operand));
    }
  };
  walk(where, '');
  return found.join(' ') || 'Condition';
}

/** Columns whose values are read alone. */
const plainColumns = [
  'gene',
  'gene_name',
  'gene1',
  'amino_acid_change',
  'protein_change',
  'rs_id',
  'chromosome',
];

function testText(column: string, operator: string, operand: unknown): string {
  const values = [operand].flat();
  // A chromosome is asked with and without its prefix, a change of a protein in both notations.
  const text = plainColumns.includes(column)
    ? String(values[0])
    : operator === 'between'
      ? values.join('–')
      : `${operators[operator] ?? operator} ${values.join(', ')}`.trim();
  return plainColumns.includes(column) || column === 'position'
    ? text
    : `${column.replaceAll('_', ' ')} ${text}`;
}
