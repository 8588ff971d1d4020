import { Accordion, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { buckets } from '../../api/ask.ts';
import { choiceOf, sorted, type Under, useCohortChoices } from '../../facets/choices.ts';
import { type Facet, type Filter, isRange, whereOf, without } from '../../facets/facets.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { ExpressionInputs } from './ExpressionInputs.tsx';
import { RangeInputs } from './RangeInputs.tsx';

interface Props {
  project: string;
  facets: readonly Facet[];
  cohort: string | undefined;
  filter: Filter;
  change: (filter: Filter) => void;
}

const valuesMax = 200;
const shownMax = 12;

/** Facets with the number of subjects of each value, under all other choices. */
export function FacetList(props: Props) {
  const { facets, filter } = props;
  const [opened, setOpened] = useState(() => [
    ...new Set(['age', 'sex', 'condition', ...Object.keys(filter)]),
  ]);
  return (
    <Accordion multiple variant="contained" value={opened} onChange={setOpened}>
      {facets.map((facet) => (
        <Accordion.Item key={facet.id} value={facet.id}>
          <Accordion.Control>
            {facet.title}
            {!isRange(facet) && (filter[facet.id]?.length ?? 0) > 0 && ` (${filter[facet.id]?.length})`}
          </Accordion.Control>
          <Accordion.Panel>
            {opened.includes(facet.id) && <FacetPanel {...props} facet={facet} />}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function FacetPanel(props: Props & { facet: Facet }) {
  const { project, facets, cohort, facet, filter, change } = props;
  const values = filter[facet.id] ?? [];
  // The facet changed last is the last step of the attrition.
  const choose = (chosen: string[]): void => change({ ...without(filter, facet.id), [facet.id]: chosen });
  const under = { project, facets, cohort, facet, where: whereOf(without(filter, facet.id), facets) };
  if (facet.geneField) return <ExpressionInputs {...under} values={values} change={choose} />;
  if (facet.names) return <CohortValues {...props} {...under} />;
  if (isRange(facet)) return <RangeInputs facet={facet} values={values} change={choose} />;
  return <FacetValues {...props} {...under} />;
}

function FacetValues({ project, cohort, filter, facet, where, change }: Props & Under) {
  const query = useQuery(
    buckets(project, {
      target: facet.target,
      where,
      cohortId: cohort,
      options: {
        groupBy: [facet.field],
        metrics: [{ op: 'countDistinct', field: 'patient_id' }],
        limit: valuesMax,
      },
    }),
  );
  return (
    <Loaded query={query}>
      {(list) => (
        <Choices
          facet={facet}
          choices={sorted(list, facet.field).map(({ value, subjects }) => choiceOf(value, value, subjects))}
          chosen={filter[facet.id] ?? []}
          choose={(values) => change({ ...filter, [facet.id]: values })}
        />
      )}
    </Loaded>
  );
}

function CohortValues({ filter, change, facet, ...under }: Props & Under) {
  const choices = useCohortChoices({ facet, ...under });
  return (
    <Choices
      facet={facet}
      choices={choices}
      chosen={filter[facet.id] ?? []}
      choose={(values) => change({ ...filter, [facet.id]: values })}
    />
  );
}

interface ChoicesProps {
  facet: Facet;
  choices: { value: string; label: string }[];
  chosen: string[];
  choose: (values: string[]) => void;
}

function Choices({ facet, choices, chosen, choose }: ChoicesProps) {
  const [typed, setTyped] = useState('');
  if (choices.length === 0) return <Text size="sm">No data</Text>;
  const shown = choices.filter(
    ({ value, label }) => chosen.includes(value) || label.toLowerCase().includes(typed.toLowerCase()),
  );
  return (
    <Stack gap={8}>
      {choices.length > shownMax && (
        <TextInput
          size="xs"
          placeholder="Search values"
          aria-label={`Search ${facet.title}`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <Checkbox.Group value={chosen} onChange={choose} aria-label={facet.title}>
        <Stack gap={8}>
          {shown.slice(0, Math.max(shownMax, chosen.length)).map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
