import { Button, Group, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { buckets } from '../../api/ask.ts';
import { choiceOf, sorted } from '../../facets/choices.ts';
import { type Facet, facetsOf, isRange, whereOf } from '../../facets/facets.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import type { Leaf } from '../../study/conditions.ts';

interface Props {
  project: string;
  add: (leaf: Leaf) => void;
}

/** Form of any property of subjects, also of the tables that a project defines itself. */
export function PropertyForm({ project, add }: Props) {
  const query = useQuery(facetsOf(project));
  const [id, setId] = useState<string | null>(null);
  return (
    <Loaded query={query}>
      {(facets) => {
        const chosen = facets.find((facet) => facet.id === id);
        return (
          <Stack>
            <Select
              label="Property"
              searchable
              data={facets
                .filter(({ geneField }) => !geneField)
                .map((one) => ({ value: one.id, label: one.title }))}
              value={id}
              onChange={setId}
            />
            {chosen && <Values key={chosen.id} project={project} facet={chosen} add={add} />}
          </Stack>
        );
      }}
    </Loaded>
  );
}

const valuesMax = 1000;

function Values({ project, facet, add }: Props & { facet: Facet }) {
  const [values, setValues] = useState<string[]>([]);
  const where = whereOf({ [facet.id]: values }, [facet]);
  return (
    <>
      {isRange(facet) ? (
        <Ends facet={facet} values={values} change={setValues} />
      ) : (
        <Choices project={project} facet={facet} values={values} change={setValues} />
      )}
      <Button disabled={where === undefined} onClick={() => where && add({ where })}>
        Add
      </Button>
    </>
  );
}

interface ValuesProps {
  facet: Facet;
  values: string[];
  change: (values: string[]) => void;
}

function Choices({ project, facet, values, change }: ValuesProps & { project: string }) {
  const { data = [] } = useQuery(
    buckets(project, {
      target: facet.target,
      options: {
        groupBy: [facet.field],
        metrics: [{ op: 'countDistinct', field: 'patient_id' }],
        limit: valuesMax,
      },
    }),
  );
  return (
    <MultiSelect
      label={`Values of ${facet.title}`}
      searchable
      limit={100}
      data={sorted(data, facet.field).map(({ value, subjects }) => choiceOf(value, value, subjects))}
      value={values}
      onChange={change}
    />
  );
}

/** The two ends of a range of numbers or dates. */
function Ends({ facet: { type = '' }, values, change }: ValuesProps) {
  const [from = '', to = ''] = values;
  const input = (label: string, value: string, set: (value: string) => void) =>
    type === 'int' || type === 'float' ? (
      <NumberInput label={label} value={value} onChange={(end) => set(String(end))} />
    ) : (
      <TextInput
        label={label}
        type="date"
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <Group grow>
      {input('From', from, (value) => change([value, to]))}
      {input('To', to, (value) => change([from, value]))}
    </Group>
  );
}
