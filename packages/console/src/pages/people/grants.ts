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

/** Attributes of people and things with their names, and what their values are chosen from. */
export const attributes = [
  { value: 'user.groups', label: 'groups of the person', kind: 'group', isList: true },
  { value: 'user.id', label: 'the person', kind: 'person', isList: false },
  { value: 'user.email', label: 'e-mail of the person', kind: 'text', isList: false },
  { value: 'resource.dataset', label: 'project', kind: 'project', isList: false },
  { value: 'resource.type', label: 'kind of thing', kind: 'type', isList: false },
  { value: 'resource.ownerId', label: 'person who made it', kind: 'person', isList: false },
  { value: 'resource.subject', label: 'subject', kind: 'text', isList: false },
] as const;

export type Kind = (typeof attributes)[number]['kind'];

/** Comparisons that the form offers, with their words. `isMany`: with a list. */
export const comparisons = [
  { value: 'equals', label: 'is', isMany: false, ofList: false },
  { value: 'notEquals', label: 'is not', isMany: false, ofList: false },
  { value: 'in', label: 'is one of', isMany: true, ofList: false },
  { value: 'notIn', label: 'is none of', isMany: true, ofList: false },
  { value: 'startsWith', label: 'begins with', isMany: false, ofList: false },
  { value: 'endsWith', label: 'ends with', isMany: false, ofList: false },
  { value: 'includes', label: 'include', isMany: false, ofList: true },
  { value: 'notIncludes', label: 'do not include', isMany: false, ofList: true },
  { value: 'superset', label: 'include all of', isMany: true, ofList: true },
] as const;

/** Kinds of things that conditions may name. */
export const types = [
  'account',
  'project',
  'file',
  'ingestion',
  'table',
  'query',
  'readGroupSet',
  'referenceSet',
  'cohort',
  'key',
  'audit',
  'group',
  'user',
  'invitation',
  'client',
  'policy',
  'ehr',
  'sync',
];

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
        ) as never,
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
