import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Shape } from '../../api/lists.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { type Attribute, answerOf } from '../../study/study.ts';
import { valueText } from '../../study/words.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { shownP } from '../../words/dictionary.ts';
import { endpointsOf } from './endpoints.ts';
import { asked, attributesIn, type Drawn, shownNumber } from './groups.ts';
import { kindNames, type Test, testNames, testsWords } from './methods.ts';
import type { Comparing } from './SurvivalTab.tsx';
import { Volcano } from './Volcano.tsx';

type Enrichment = Shape<'StudyEnrichment'>;

/** Number of tests that are listed. */
const listedMax = 2000;

/** Request of all tests: attributes that do not define the groups, and genes of the kinds that the project has. */
export function enrichmentBody({ project, unit, groups, overlap, attributes, tables }: Comparing) {
  const own = attributesIn(groups);
  // Whether an event has happened depends on how long a subject was followed: curves compare it.
  for (const { endpoint } of endpointsOf(attributes, tables))
    for (const id of [endpoint.time, endpoint.status, 'patient.is_deceased'])
      if (id !== undefined) own.add(id);
  const compared = attributes
    .filter(({ id, priority }) => priority !== 0 && !own.has(id))
    .sort((one, next) => next.priority - one.priority || next.share - one.share)
    .slice(0, 60)
    .map(({ id }) => id);
  const has = (table: string): boolean => tables.includes(table);
  const of = [
    ...(has('alteration') ? (['mutation', 'copy_number', 'fusion'] as const) : []),
    ...(has('gene') ? (['expression'] as const) : []),
  ];
  return {
    ...{ datasetId: project, unit, filter: { and: [] } },
    aggregates: [
      {
        ...{ id: 'tests', kind: 'enrichment' as const, groups: asked(groups), top: listedMax },
        ...(overlap && { overlap }),
        ...(compared.length > 0 && { attributes: compared }),
        ...(of.length > 0 && { of }),
      },
    ],
  };
}

/** One table of all tests with corrected p-values, and a volcano of two groups. */
export function TestsTab(props: Comparing) {
  const { groups, attributes } = props;
  const query = useQuery(answerOf(enrichmentBody(props)));
  return (
    <Loaded query={query}>
      {({ results }) => {
        const { enrichment, error } = results['tests'] ?? {};
        if (error) return <Text role="alert">{error.message}</Text>;
        return enrichment && <Found {...{ groups, enrichment, attributes }} />;
      }}
    </Loaded>
  );
}

interface FoundProps extends Pick<Comparing, 'groups' | 'attributes'> {
  enrichment: Enrichment;
}

function Found({ groups, enrichment, attributes }: FoundProps) {
  const { kind = '' } = useSearch({ from: '/projects/$project/compare' });
  const navigate = useNavigate({ from: '/projects/$project/compare' });
  const kinds = [...new Set(enrichment.items.map((item) => item.kind))];
  const nameOf = (test: Test): string => {
    const name = attributes.find(({ id }) => id === test.name)?.name ?? test.name;
    return [name, test.class, test.value].filter(Boolean).join(': ');
  };
  const items = useMemo(
    () => enrichment.items.filter((item) => kind === '' || item.kind === kind),
    [enrichment, kind],
  );
  return (
    <Stack>
      {enrichment.reason === 'overlap' && (
        <Text role="status">Groups share subjects: nothing is tested.</Text>
      )}
      {kinds.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label="Kind of tests"
          data={[
            { value: '', label: 'All' },
            ...kinds.map((value) => ({ value, label: kindNames[value] ?? value })),
          ]}
          value={kinds.includes(kind) ? kind : ''}
          onChange={(value) =>
            void navigate({ search: (now) => ({ ...now, kind: value }), resetScroll: false })
          }
        />
      )}
      <Grid
        name="Tests of groups"
        columns={columnsOf(groups, nameOf, attributes)}
        rows={items}
        heightMax={460}
      />
      <Text size="sm" component="div">
        {testsWords(enrichment).map((sentence) => (
          <p key={sentence} style={{ margin: '2px 0' }}>
            {sentence}
          </p>
        ))}
      </Text>
      {groups.length === 2 && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Volcano {...{ groups, nameOf }} title="Altered genes" items={enrichment.items.filter(isAltered)} />
          <Volcano {...{ groups, nameOf }} title="Expression" items={enrichment.items.filter(isExpressed)} />
        </SimpleGrid>
      )}
    </Stack>
  );
}

const isAltered = ({ kind }: Test): boolean => kind !== 'attribute' && kind !== 'expression';
const isExpressed = ({ kind }: Test): boolean => kind === 'expression';

/** Writes the numbers of a group: share, mean or median. */
function shownGroup(test: Test, at: number, attributes: readonly Attribute[]): string {
  const group = test.groups[at];
  if (!group || group.count === 0) return 'no value';
  const { count, having, mean, median } = group;
  if (having !== undefined) return `${having} of ${count} (${((100 * having) / count).toFixed(1)} %)`;
  if (test.values) {
    const most = test.values.toSorted((one, next) => (next.counts[at] ?? 0) - (one.counts[at] ?? 0))[0];
    if (!most) return `n = ${count}`;
    const attribute = attributes.find(({ id }) => id === test.name);
    return `${most.label ?? valueText(attribute, most.value, new Map())}: ${most.counts[at]} of ${count}`;
  }
  const middle = mean === undefined ? `median ${shownNumber(median ?? 0)}` : `mean ${shownNumber(mean)}`;
  return `${middle}, n = ${count}`;
}

function columnsOf(
  groups: readonly Drawn[],
  nameOf: (test: Test) => string,
  attributes: readonly Attribute[],
): Column<Test>[] {
  return [
    { name: 'compared', value: nameOf, width: 190 },
    { name: 'kind', value: ({ kind }) => kindNames[kind] ?? kind, width: 115 },
    ...groups.map(
      ({ name, id }, at): Column<Test> => ({
        name,
        value: (test) => shownGroup(test, at, attributes),
        render: (test) => {
          const shown = shownGroup(test, at, attributes);
          return test.higher === id ? <b>{shown}</b> : shown;
        },
        width: 185,
      }),
    ),
    {
      name: 'test',
      value: ({ test, expectedMin }) => `${testNames[test]}${(expectedMin ?? 5) < 5 ? ' *' : ''}`,
      width: 130,
    },
    { name: 'p', value: ({ p }) => p, render: ({ p }) => shownP(p), numeric: true, width: 100 },
    {
      name: 'q',
      value: ({ q }) => q,
      render: ({ q }) => (q < 0.05 ? <b>{shownP(q)}</b> : shownP(q)),
      numeric: true,
      width: 100,
    },
    {
      name: 'effect',
      value: ({ effect }) => effect,
      render: ({ effect }) => (effect === null ? '' : shownNumber(effect)),
      numeric: true,
      width: 100,
    },
  ];
}
