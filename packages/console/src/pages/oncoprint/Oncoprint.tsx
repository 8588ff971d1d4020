import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { KeepableContext } from '../../reports/keeping.ts';
import { Empty, ErrorAlert, Loaded, Waiting } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { type Conditions, nodeOf, readConditions, writeConditions } from '../../study/conditions.ts';
import { type Attribute, answerOf, attributesOf, type StudyBody } from '../../study/study.ts';
import { isOn } from './Controls.tsx';
import { KeptPrint } from './keep/KeptPrint.tsx';
import { Print } from './Print.tsx';
import { Pairs } from './pairs/Pairs.tsx';
import {
  type GeneLine,
  genesIn,
  genesMax,
  readSettings,
  type Search,
  type Settings,
  writeGenes,
  writeSettings,
} from './settings.ts';

const from = '/projects/$project/oncoprint';

/** Alterations of genes in the samples or patients of a study, and which of the genes are altered together. */
export function Page() {
  const { project } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const attributes = useQuery(attributesOf(project));
  const settings = readSettings(search);
  const conditions = readConditions(search.filter);
  const set = (part: object): void =>
    void navigate({ search: (now) => ({ ...now, ...part }), resetScroll: false });
  return (
    <Frame
      title="Oncoprint"
      actions={
        <ButtonLink
          variant="default"
          to="/projects/$project"
          params={{ project }}
          search={{ filter: search.filter, unit: settings.unit }}
        >
          Study
          {conditions.length > 0 &&
            ` (${conditions.length} ${conditions.length === 1 ? 'condition' : 'conditions'})`}
        </ButtonLink>
      }
    >
      <MaskedNote project={project} />
      <Loaded query={attributes}>
        {(known) => (
          <Content
            {...{ project, settings, conditions, attributes: known }}
            change={(part) => set(writeSettings(part))}
            setConditions={(next) => set({ filter: writeConditions(next) })}
          />
        )}
      </Loaded>
    </Frame>
  );
}

/** Oncoprint of an address without its controls, as a report shows it. */
export function KeptOncoprint({
  project,
  attributes,
  search,
}: {
  project: string;
  attributes: readonly Attribute[];
  search: Search;
}) {
  const conditions = readConditions(search.filter);
  const keep = (): void => undefined;
  return (
    <Content
      {...{ project, attributes, conditions, isKept: true, change: keep, setConditions: keep }}
      settings={readSettings(search)}
    />
  );
}

interface Props {
  project: string;
  /** True: without controls and pairs. */
  isKept?: boolean;
  settings: Settings;
  conditions: Conditions;
  attributes: readonly Attribute[];
  change: (part: Partial<Settings>) => void;
  setConditions: (conditions: Conditions) => void;
}

/** Genes that are shown where the address names none. */
const frequentMax = 20;

function Content(props: Props) {
  const { project, settings, conditions } = props;
  const common = { datasetId: project, unit: settings.unit, filter: nodeOf(conditions) };
  const frequent = useQuery({
    ...answerOf({
      ...common,
      aggregates: [
        { id: 'mutation', kind: 'genes', alteration: 'mutation', top: frequentMax },
        { id: 'copies', kind: 'genes', alteration: 'copy_number', top: frequentMax },
        { id: 'fusion', kind: 'genes', alteration: 'fusion', top: frequentMax },
      ],
    }),
    enabled: settings.rows.length === 0,
  });
  if (frequent.error) return <ErrorAlert error={frequent.error} again={() => void frequent.refetch()} />;
  if (settings.rows.length === 0 && !frequent.data) return <Waiting />;
  const found = Object.values(frequent.data?.results ?? {}).flatMap(({ genes }) => genes?.items ?? []);
  const rows: GeneLine[] = settings.rows.length > 0 ? settings.rows : frequentGenes(found);
  if (rows.length === 0)
    return (
      <Empty title="No alterations">
        No subject that passes the conditions has an alteration of a gene. Name genes to see who is profiled
        for them.
      </Empty>
    );
  return <Answered {...props} rows={rows} common={common} />;
}

/** Lists genes by the sum of their shares, the highest first. */
function frequentGenes(found: readonly { gene: string; percent: number | null }[]): string[] {
  const shares = new Map<string, number>();
  for (const { gene, percent } of found) shares.set(gene, (shares.get(gene) ?? 0) + (percent ?? 0));
  const sorted = [...shares].sort(([, one], [, other]) => other - one);
  return sorted.slice(0, frequentMax).map(([gene]) => gene);
}

function Answered({
  rows,
  common,
  ...props
}: Props & { rows: GeneLine[]; common: Omit<StudyBody, 'aggregates'> }) {
  const { project, settings, isKept = false, attributes } = props;
  // The order of lines is a matter of the page alone: another order is the same question.
  const genes = genesIn(rows).sort().slice(0, genesMax);
  const counting = {
    genes,
    ...(isOn(settings, 'gains') && { classes: everyClass }),
    ...(!isOn(settings, 'passengers') && { onlyDrivers: true }),
    ...(!isOn(settings, 'germline') && { withoutGermline: true }),
  };
  const needed = [
    ...settings.tracks.flat(),
    ...settings.lead.map(({ attribute }) => attribute),
    settings.gap ?? '',
  ];
  const tracks = [...new Set(needed.filter(Boolean))].sort().slice(0, 20);
  const query = useQuery(
    answerOf({
      ...common,
      aggregates: [
        { id: 'print', kind: 'oncoprint', ...counting, tracks, expression: settings.heat.toSorted() },
      ],
    }),
  );
  const result = query.data?.results['print'];
  const now = Object.fromEntries(new URLSearchParams(location.search));
  // A kept figure has the genes that are seen now, also where they are the most frequent ones.
  const state = String(new URLSearchParams({ ...now, genes: writeGenes(rows) }));
  const isSmall = result?.error?.code === 'SMALL_COUNTS_ONLY';
  const noun = settings.unit === 'sample' ? 'samples' : 'subjects';
  return (
    <Stack gap="xs">
      {query.error && <ErrorAlert error={query.error} again={() => void query.refetch()} />}
      {result?.error && (
        <Empty title={isSmall ? 'Single subjects are hidden' : 'Too many subjects'}>
          {result.error.message}
        </Empty>
      )}
      {!query.data && !query.error && <Waiting />}
      {result?.oncoprint && isKept && (
        <KeptPrint {...{ rows, settings, attributes }} answer={result.oncoprint} />
      )}
      {result?.oncoprint && !isKept && (
        <KeepableContext value={{ project, page: 'oncoprint', version: query.data?.version, state }}>
          <Print {...props} rows={rows} answer={result.oncoprint} isStale={query.isPlaceholderData} />
        </KeepableContext>
      )}
      {!isKept && genes.length > 1 && <Pairs {...{ common, counting, noun }} />}
      {!isKept && genes.length === 1 && (
        <Text size="sm">Pairs of genes appear when there are two or more.</Text>
      )}
    </Stack>
  );
}

const everyClass = [
  ...['missense', 'inframe', 'truncating', 'splice', 'promoter', 'other'],
  ...['amplification', 'gain', 'loss', 'deletion', 'fusion'],
];
