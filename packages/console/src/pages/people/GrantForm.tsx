import {
  Button,
  Card,
  CloseButton,
  Group,
  MultiSelect,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { attributes, type Condition, comparisons, type Grant, privileges, separated } from './grants.ts';
import { type Choices, useChoices } from './names.ts';

interface Props {
  grants: Grant[];
  change: (grants: Grant[]) => void;
}

/** Grants of a policy, with privileges, attributes, groups and projects by name. */
export function GrantForm({ grants, change }: Props) {
  const choices = useChoices();
  const replace = (at: number, ...by: Grant[]): void => change(grants.toSpliced(at, 1, ...by));
  return (
    <Stack gap="sm">
      {grants.length === 0 && <Text size="sm">This policy grants nothing yet.</Text>}
      {grants.map((grant, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grants have no name of their own
        <Card key={at} withBorder padding="sm">
          <Group justify="space-between" align="end" wrap="nowrap">
            <Select
              label="Privilege"
              data={withOwn(privileges, grant.privilege)}
              w={340}
              value={grant.privilege}
              allowDeselect={false}
              onChange={(privilege) => replace(at, { ...grant, privilege: privilege ?? grant.privilege })}
            />
            <CloseButton aria-label={`Remove ${grant.privilege}`} onClick={() => replace(at)} />
          </Group>
          <Text size="sm" mt="xs" fw={600}>
            {grant.conditions.length === 0
              ? 'Always, for everybody in the account.'
              : 'If all of these conditions hold:'}
          </Text>
          {grant.conditions.map((condition, place) => (
            <ConditionLine
              key={condition.attribute}
              condition={condition}
              choices={choices}
              taken={grant.conditions.map(({ attribute }) => attribute)}
              change={(...by) =>
                replace(at, { ...grant, conditions: grant.conditions.toSpliced(place, 1, ...by) })
              }
            />
          ))}
          <Button
            mt="xs"
            style={{ alignSelf: 'start' }}
            size="compact-xs"
            variant="default"
            onClick={() => replace(at, { ...grant, conditions: [...grant.conditions, freshFor(grant)] })}
          >
            Add a condition
          </Button>
        </Card>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            change([...grants, { privilege: 'readMaskedData', conditions: [blank('user.groups')] }])
          }
        >
          Add a grant
        </Button>
      </Group>
    </Stack>
  );
}

interface Option {
  value: string;
  label: string;
}

/** Adds a value that is none of the options: policies may name others. */
function withOwn(options: Option[], value: string): Option[] {
  return options.some((one) => one.value === value) ? options : [...options, { value, label: value }];
}

function blank(attribute: string): Condition {
  const isList = attributes.find(({ value }) => value === attribute)?.isList;
  return { attribute, comparison: isList ? 'includes' : 'equals', value: '' };
}

/** A condition on the first attribute that a grant does not name yet. */
function freshFor({ conditions }: Grant): Condition {
  const free = attributes.find(({ value }) => !conditions.some(({ attribute }) => attribute === value));
  return blank(free?.value ?? 'resource.id');
}

interface LineProps {
  condition: Condition;
  choices: Choices;
  taken: string[];
  change: (...by: Condition[]) => void;
}

function ConditionLine({ condition, choices, taken, change }: LineProps) {
  const known = attributes.find(({ value }) => value === condition.attribute);
  const compared = comparisons.find(({ value }) => value === condition.comparison);
  const offered = attributes.filter(({ value }) => value === condition.attribute || !taken.includes(value));
  const compare = (comparison: string): void => {
    const isMany = comparisons.find(({ value }) => value === comparison)?.isMany;
    const values = [condition.value].flat().filter(Boolean);
    change({ ...condition, comparison, value: isMany ? values : (values[0] ?? '') });
  };
  return (
    <Group gap="xs" mt={6}>
      <Select
        aria-label="Attribute"
        data={withOwn(
          offered.map(({ value, label }) => ({ value, label })),
          condition.attribute,
        )}
        value={condition.attribute}
        allowDeselect={false}
        w={210}
        onChange={(attribute) => attribute !== null && change(blank(attribute))}
      />
      <Select
        aria-label="Comparison"
        data={comparisons
          .filter(({ ofList }) => !known || ofList === known.isList)
          .map(({ value, label }) => ({ value, label }))}
        value={condition.comparison}
        allowDeselect={false}
        w={140}
        onChange={(comparison) => comparison !== null && compare(comparison)}
      />
      <Value
        condition={condition}
        options={known && known.kind !== 'text' ? choices[known.kind] : undefined}
        isMany={compared?.isMany ?? false}
        change={(value) => change({ ...condition, value })}
      />
      <CloseButton
        aria-label={`Remove the condition on ${known?.label ?? condition.attribute}`}
        onClick={() => change()}
      />
    </Group>
  );
}

interface ValueProps {
  condition: Condition;
  options: { value: string; label: string }[] | undefined;
  isMany: boolean;
  change: (value: string | string[]) => void;
}

/** The value of a condition, chosen by name where its values have names. */
function Value({ condition: { value }, options, isMany, change }: ValueProps) {
  const common = { 'aria-label': 'Value', style: { flex: 1, minWidth: 180 } };
  const values = [value].flat().filter(Boolean);
  const unknown = values.filter((one) => !options?.some((option) => option.value === one));
  const data = [...(options ?? []), ...unknown.map((one) => ({ value: one, label: one }))];
  if (isMany && options)
    return <MultiSelect {...common} data={data} value={values} onChange={change} searchable />;
  if (isMany)
    return (
      <TagsInput
        {...common}
        value={values}
        splitChars={[',', ';', '\n', '\t']}
        onChange={(tags) => change(separated(values, tags))}
      />
    );
  if (options)
    return (
      <Select
        {...common}
        data={data}
        value={values[0] ?? null}
        onChange={(chosen) => change(chosen ?? '')}
        searchable
        placeholder="Choose"
      />
    );
  return (
    <TextInput {...common} value={values[0] ?? ''} onChange={(event) => change(event.currentTarget.value)} />
  );
}
