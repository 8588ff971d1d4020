import { Group as Row, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { KeepableContext } from '../../reports/keeping.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { type Attribute, answerOf, type Unit } from '../../study/study.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { statedP } from '../../words/dictionary.ts';
import { endpointsOf, type Offered, readEndpoint, readTimes, unitOf } from './endpoints.ts';
import { asked, type Drawn, type Overlap, shownNumber } from './groups.ts';
import { survivalWords } from './methods.ts';
import { type Survival, SurvivalFigure } from './SurvivalFigure.tsx';
import { SurvivalForm } from './SurvivalForm.tsx';

/** Groups and data that each part of the page compares. */
export interface Comparing {
  project: string;
  unit: Unit;
  groups: readonly Drawn[];
  overlap: Overlap | undefined;
  attributes: readonly Attribute[];
  tables: readonly string[];
  /** Version of the data. */
  version: number | undefined;
}

/** The chosen endpoint of the page's address, an own one, or the first. */
export function useEndpoint(attributes: readonly Attribute[], tables: readonly string[]) {
  return endpointIn(useSearch({ from: '/projects/$project/compare' }), attributes, tables);
}

/** Returns the endpoint that an address names, an own one, or the first. */
export function endpointIn(
  { endpoint, landmarks }: { endpoint?: string; landmarks?: string },
  attributes: readonly Attribute[],
  tables: readonly string[],
) {
  const offered = endpointsOf(attributes, tables);
  const own = readEndpoint(endpoint);
  const time = attributes.find(({ id }) => id === own?.time);
  const death = offered.find(({ id }) => id === 'death');
  const ownOffered: Offered | undefined = own?.timed
    ? { id: 'timed', endpoint: own, unit: 'days', name: fromIndex }
    : time
      ? {
          ...{ id: 'own', endpoint: own ?? {}, unit: unitOf(time) },
          name: `${own?.status} over ${own?.time}`,
        }
      : death && own && { ...death, endpoint: own };
  return {
    offered: ownOffered?.id === 'timed' ? [...offered, ownOffered] : offered,
    chosen: ownOffered ?? offered.find(({ id }) => id === endpoint) ?? offered[0],
    times: readTimes(landmarks),
  };
}

const fromIndex = 'From an index event';

/** Survival of the groups, with numbers at risk, medians and tests. */
export function SurvivalTab(props: Comparing & { set: (part: Record<string, string>) => void }) {
  const { attributes, tables, set } = props;
  const { offered, chosen, times } = useEndpoint(attributes, tables);
  return (
    <Stack>
      <SurvivalForm {...{ attributes, offered, chosen, times, set }} />
      <GroupCurves {...props} chosen={chosen} times={times} />
    </Stack>
  );
}

interface CurvesProps extends Pick<Comparing, 'project' | 'unit' | 'groups' | 'overlap'> {
  chosen: Offered | undefined;
  /** Times of the landmarks. */
  times: readonly number[];
  /** Query part of the address of the comparison, on another page. */
  state?: string;
}

/** Curves of groups for an endpoint. */
export function GroupCurves({ project, unit, groups, overlap, chosen, times, state }: CurvesProps) {
  const query = useQuery({
    ...answerOf({
      ...{ datasetId: project, unit, filter: { and: [] } },
      aggregates: [
        {
          ...{ id: 'survival', kind: 'survival', groups: asked(groups), ...chosen?.endpoint },
          ...(overlap && { overlap }),
          ...(times.length > 0 && { landmarks: [...times] }),
        },
      ],
    }),
    enabled: chosen !== undefined,
  });
  if (!chosen)
    return (
      <Text>
        The project has neither a status with a time, nor diagnoses with dates of death. Choose an own
        endpoint.
      </Text>
    );
  return (
    <Loaded query={query}>
      {({ results, version }) => {
        const { survival, error } = results['survival'] ?? {};
        if (error) return <Text role="alert">{error.message}</Text>;
        return (
          survival && (
            <KeepableContext value={{ project, page: 'comparison', version, ...(state && { state }) }}>
              <Found {...{ groups, survival, chosen }} />
            </KeepableContext>
          )
        );
      }}
    </Loaded>
  );
}

interface FoundProps {
  groups: readonly Drawn[];
  survival: Survival;
  chosen: Offered;
}

function Found({ groups, survival, chosen }: FoundProps) {
  const nameOf = (id: string | undefined): string => groups.find((one) => one.id === id)?.name ?? '';
  return (
    <>
      <SurvivalFigure {...{ groups, survival }} name={chosen.name} unit={chosen.unit} />
      <Text size="sm" component="div">
        {survivalWords(survival).map((sentence) => (
          <p key={sentence} style={{ margin: '2px 0' }}>
            {sentence}
          </p>
        ))}
      </Text>
      <Grid
        name="Survival by group"
        columns={columnsOf(survival, chosen.unit, nameOf)}
        rows={survival.curves}
      />
      {survival.hazards && survival.hazards.length > 0 && (
        <Row gap="xs" component="section" aria-label="Hazard ratios">
          {survival.hazards.map(({ id, ratio, low, high, p }) => (
            <Text key={id} size="sm">
              <bdi>{nameOf(id)}</bdi> against <bdi>{nameOf(survival.reference)}</bdi>: hazard ratio{' '}
              <b>{shownNumber(ratio)}</b> (95 % interval {shownNumber(low)}–{shownNumber(high)}), {statedP(p)}
              .
            </Text>
          ))}
        </Row>
      )}
    </>
  );
}

type Curve = Survival['curves'][number];

function columnsOf(survival: Survival, unit: string, nameOf: (id: string) => string): Column<Curve>[] {
  const interval = (low: number | null, high: number | null): string =>
    low === null ? 'no estimate' : `${shownNumber(low)}–${high === null ? 'not reached' : shownNumber(high)}`;
  const landmarks = survival.curves[0]?.landmarks ?? [];
  return [
    { name: 'group', value: ({ id }) => nameOf(id), render: ({ id }) => <bdi>{nameOf(id)}</bdi> },
    { name: 'subjects', value: ({ patients }) => patients, numeric: true },
    { name: 'events', value: ({ events }) => events, numeric: true },
    {
      name: `median (${unit})`,
      value: ({ median }) => (median === null ? 'not reached' : shownNumber(median)),
      numeric: true,
      width: 170,
    },
    {
      name: '95 % interval of the median',
      value: ({ median, medianLow, medianHigh }) =>
        median === null && medianLow === null ? '' : interval(medianLow, medianHigh),
      width: 240,
    },
    ...landmarks.map(
      ({ time }, at): Column<Curve> => ({
        name: `at ${time} ${unit}`,
        value: ({ landmarks: list }) => {
          const { survival: share, low, high } = list[at] ?? {};
          if (share === null || share === undefined) return 'not observed';
          const percent = (value: number | null | undefined): string => `${((value ?? 0) * 100).toFixed(1)}`;
          return `${percent(share)} % (${percent(low)}–${percent(high)})`;
        },
        width: 180,
      }),
    ),
  ];
}
