import type { Operator, Privilege, ResourceType } from '@ploidy/client';
import type { Shape } from '../../api/lists.ts';

type Policy = Shape<'Policy'>;

/** Condition of a grant: an attribute, how it is compared, and with what. */
export interface Condition {
  attribute: string;
  comparison: string;
  value: string | string[];
}

/** A privilege, given under conditions all of which hold. */
export interface Grant {
  privilege: string;
  conditions: Condition[];
}

/** Attributes of people and resources with their names, and what their values are chosen from. */
export const attributes = [
  { value: 'user.groups', label: 'groups of the person', kind: 'group', isList: true },
  { value: 'user.id', label: 'the person', kind: 'person', isList: false },
  { value: 'user.email', label: 'e-mail of the person', kind: 'text', isList: false },
  { value: 'resource.dataset', label: 'project', kind: 'project', isList: false },
  { value: 'resource.type', label: 'type of resource', kind: 'type', isList: false },
  { value: 'resource.ownerId', label: 'creator', kind: 'person', isList: false },
  { value: 'resource.subject', label: 'subject', kind: 'text', isList: false },
] as const;

export type Kind = (typeof attributes)[number]['kind'];

interface Compared {
  label: string;
  /** True for a list of values. */
  isMany: boolean;
  /** True for attributes that are lists. */
  ofList: boolean;
}

/** Comparisons with their words. */
const comparisonWords = {
  equals: { label: 'is', isMany: false, ofList: false },
  notEquals: { label: 'is not', isMany: false, ofList: false },
  in: { label: 'is one of', isMany: true, ofList: false },
  notIn: { label: 'is none of', isMany: true, ofList: false },
  startsWith: { label: 'begins with', isMany: false, ofList: false },
  endsWith: { label: 'ends with', isMany: false, ofList: false },
  prefixOf: { label: 'is the beginning of', isMany: false, ofList: false },
  suffixOf: { label: 'is the end of', isMany: false, ofList: false },
  includes: { label: 'include', isMany: false, ofList: true },
  notIncludes: { label: 'do not include', isMany: false, ofList: true },
  superset: { label: 'include all of', isMany: true, ofList: true },
  subset: { label: 'are all among', isMany: true, ofList: true },
} as const satisfies Record<Operator, Compared>;

/** Comparisons that the form offers. */
export const comparisons = optionsOf(comparisonWords);

/** Privileges with what they allow. */
const privilegeWords = {
  readData: 'read data',
  readMaskedData: 'read masked data',
  createData: 'add data',
  updateData: 'change data',
  deleteData: 'delete data',
  projectAdmin: 'manage projects',
  accessAdmin: 'manage people and policies',
  accountAdmin: 'manage the account',
  apiKeyUser: 'use API keys',
  auditRead: 'read the audit log',
} as const satisfies Record<Privilege, string>;

/** Privileges that policies grant, by name and meaning. */
export const privileges = namesOf(privilegeWords);

/** Types of resources that conditions may name. */
export const resourceTypes = namesOf({
  account: 'account',
  project: 'project',
  file: 'file',
  ingestion: 'ingestion',
  table: 'table',
  query: 'query',
  readGroupSet: 'set of reads',
  referenceSet: 'reference genome',
  cohort: 'cohort',
  key: 'API key',
  audit: 'audit log',
  group: 'group',
  user: 'person',
  invitation: 'invitation',
  client: 'OAuth client',
  policy: 'policy',
  ehr: 'connection',
  sync: 'sync',
  webhook: 'webhook',
} as const satisfies Record<ResourceType, string>);

/** Returns the entries of a table of words as options. */
function optionsOf<N extends string, W extends object>(words: Readonly<Record<N, W>>): (W & { value: N })[] {
  return (Object.keys(words) as N[]).map((value) => ({ ...words[value], value }));
}

/** Returns names with their meaning as options. */
function namesOf<N extends string>(words: Readonly<Record<N, string>>): { value: N; label: string }[] {
  return (Object.keys(words) as N[]).map((value) => ({
    value,
    label: value === words[value] ? value : `${value}: ${words[value]}`,
  }));
}

/** Returns the grants of a policy; `undefined` where it has rules that only its text can show. */
export function grantsOf(policy: Policy): Grant[] | undefined {
  const grants: Grant[] = [];
  for (const [privilege, rules] of Object.entries(policy.rules))
    for (const rule of rules === true ? [{}] : rules) {
      const conditions = Object.entries(rule as Record<string, unknown>).map(conditionOf);
      if (!conditions.every((one) => one !== undefined)) return undefined;
      grants.push({ privilege, conditions });
    }
  return grants;
}

function conditionOf([attribute, compared]: [string, unknown]): Condition | undefined {
  const { comparison, value, target } = Object(compared) as Partial<Condition> & { target?: string };
  const known = comparisons.find((one) => one.value === comparison);
  if (!known || target !== undefined || !isText(value, known.isMany)) return undefined;
  return { attribute, comparison: known.value, value: value as string | string[] };
}

function isText(value: unknown, isMany: boolean): boolean {
  if (!isMany) return typeof value === 'string';
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Returns the policy of grants. A grant without conditions holds always. */
export function policyOf(grants: readonly Grant[]): Policy {
  const rules: Policy['rules'] = {};
  for (const { privilege, conditions } of grants) {
    const known = rules[privilege];
    if (conditions.length === 0) rules[privilege] = true;
    else if (known !== true)
      rules[privilege] = [
        ...(known ?? []),
        Object.fromEntries(
          conditions.map(({ attribute, comparison, value }) => [attribute, { comparison, value }]),
        ) as Shape<'Rule'>,
      ];
  }
  return { rules };
}

/** Returns a grant as a sentence; `nameOf` names groups, people and projects. */
export function sentenceOf(
  { privilege, conditions }: Grant,
  nameOf: (kind: Kind, id: string) => string,
): string {
  const words = conditions.map(({ attribute, comparison, value }) => {
    const known = attributes.find((one) => one.value === attribute);
    const compared = comparisons.find((one) => one.value === comparison);
    const names = [value].flat().map((one) => nameOf(known?.kind ?? 'text', one));
    return `${known?.label ?? attribute} ${compared?.label ?? comparison} ${names.join(', ')}`;
  });
  return `${privilege}${words.length > 0 ? ` where ${words.join(' and ')}` : ' always'}`;
}

/** Returns the values of a condition after a change: a list that was pasted as one text is taken apart. */
export function separated(before: readonly string[], after: readonly string[]): string[] {
  const parts = after.flatMap((value) =>
    before.includes(value) ? [value] : value.split(/[,;\n\t]/).map((part) => part.trim()),
  );
  return [...new Set(parts)].filter(Boolean);
}
