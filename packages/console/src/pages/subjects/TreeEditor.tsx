import { Button, Card, Group as Line, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { buckets, count } from '../../api/ask.ts';
import { choiceOf, sorted, type Under, useCohortChoices } from '../../facets/choices.ts';
import { type Facet, isRange } from '../../facets/facets.ts';
import { ExpressionInputs } from './ExpressionInputs.tsx';
import { RangeInputs } from './RangeInputs.tsx';
import { type Condition, type Group, isGroup, type Node, whereOfNode } from './tree.ts';

interface Place {
  project: string;
  facets: readonly Facet[];
  cohort: string | undefined;
}

interface Props<N> extends Place {
  node: N;
  change: (node: N) => void;
  remove?: (() => void) | undefined;
}

const kinds = [
  { value: 'all', label: 'All of these hold' },
  { value: 'any', label: 'Any of these holds' },
  { value: 'none', label: 'None of these holds' },
];

/** A group of conditions and groups, each with the number of its subjects. */
export function GroupEditor({ node, change, remove, ...place }: Props<Group>) {
  const { holds, of } = node;
  const put = (at: number, ...nodes: Node[]): void => change({ ...node, of: of.toSpliced(at, 1, ...nodes) });
  const add = (one: Node): void => change({ ...node, of: [...of, one] });
  return (
    <Card withBorder padding="xs" role="group" aria-label="Group of conditions">
      <Stack gap="xs">
        <Line justify="space-between" wrap="nowrap">
          <Select
            size="xs"
            aria-label="Of the conditions"
            data={kinds}
            value={holds}
            allowDeselect={false}
            onChange={(value) => change({ ...node, holds: value as Group['holds'] })}
          />
          <Count node={node} {...place} />
        </Line>
        {of.map((one, at) =>
          isGroup(one) ? (
            <GroupEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: nodes have no id, and their state is in the address
              key={at}
              {...place}
              node={one}
              change={(next) => put(at, next)}
              remove={() => put(at)}
            />
          ) : (
            <ConditionEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: nodes have no id, and their state is in the address
              key={at}
              {...place}
              node={one}
              change={(next) => put(at, next)}
              remove={() => put(at)}
            />
          ),
        )}
        <Line gap={4}>
          <Button size="compact-xs" variant="default" onClick={() => add({ facet: '', values: [] })}>
            Add a condition
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => add({ holds: 'any', of: [] })}>
            Add a group
          </Button>
          {remove && (
            <Button size="compact-xs" variant="default" onClick={remove}>
              Remove the group
            </Button>
          )}
        </Line>
      </Stack>
    </Card>
  );
}

function ConditionEditor({ node, change, remove, ...place }: Props<Condition>) {
  const facet = place.facets.find(({ id }) => id === node.facet);
  return (
    <Stack gap={4}>
      <Line wrap="nowrap" gap={6}>
        <Select
          size="xs"
          aria-label="Property"
          placeholder="Property"
          searchable
          style={{ flex: 1 }}
          data={place.facets.map(({ id, title }) => ({ value: id, label: title }))}
          value={node.facet || null}
          onChange={(id) => change({ facet: id ?? '', values: [] })}
        />
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Remove the condition ${facet?.title ?? ''}`}
          onClick={remove}
        >
          ×
        </Button>
      </Line>
      {facet && <ConditionValues {...place} facet={facet} node={node} change={change} />}
      <Count node={node} {...place} />
    </Stack>
  );
}

type ValueProps = Props<Condition> & { facet: Facet };

function ConditionValues(props: ValueProps) {
  const { facet, node, change, project, facets, cohort } = props;
  const choose = (values: string[]): void => change({ ...node, values });
  const under = { project, facets, cohort, facet, where: undefined };
  if (facet.geneField) return <ExpressionInputs {...under} values={node.values} change={choose} />;
  if (facet.names) return <Cohorts {...under} node={node} choose={choose} />;
  if (isRange(facet)) return <RangeInputs facet={facet} values={node.values} change={choose} />;
  return <Values {...props} />;
}

function Cohorts({ node, choose, ...under }: Under & { node: Condition; choose: (ids: string[]) => void }) {
  const choices = useCohortChoices(under);
  return <ValueSelect facet={under.facet} choices={choices} values={node.values} choose={choose} />;
}

const valuesMax = 1000;

function Values({ project, cohort, facet, node, change }: ValueProps) {
  const { data = [] } = useQuery(
    buckets(project, {
      target: facet.target,
      cohortId: cohort,
      options: {
        groupBy: [facet.field],
        metrics: [{ op: 'countDistinct', field: 'patient_id' }],
        limit: valuesMax,
      },
    }),
  );
  return (
    <ValueSelect
      facet={facet}
      choices={sorted(data, facet.field).map(({ value, subjects }) => choiceOf(value, value, subjects))}
      values={node.values}
      choose={(values) => change({ ...node, values })}
    />
  );
}

interface SelectProps {
  facet: Facet;
  choices: { value: string; label: string }[];
  values: string[];
  choose: (values: string[]) => void;
}

function ValueSelect({ facet, choices, values, choose }: SelectProps) {
  const known = new Set(choices.map(({ value }) => value));
  const missing = values.filter((value) => !known.has(value)).map((value) => ({ value, label: value }));
  return (
    <MultiSelect
      size="xs"
      aria-label={`Values of ${facet.title}`}
      placeholder={values.length === 0 ? 'One of these values' : ''}
      searchable
      limit={100}
      data={[...choices, ...missing]}
      value={values}
      onChange={choose}
    />
  );
}

/** The number of subjects for which a node holds by itself. */
function Count({ node, project, facets, cohort }: Place & { node: Node }) {
  const where = whereOfNode(node, facets);
  const { data } = useQuery({
    ...count(project, 'patient', where, cohort),
    enabled: where !== undefined,
  });
  if (where === undefined) return null;
  return (
    <Text size="xs" c="var(--soft)" style={{ whiteSpace: 'nowrap' }}>
      {data === undefined ? '…' : data.toLocaleString()} {data === 1 ? 'subject' : 'subjects'}
    </Text>
  );
}
