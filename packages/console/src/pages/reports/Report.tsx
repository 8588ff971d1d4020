import { Button, Card, Checkbox, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { members } from '../../api/account.ts';
import { project as projectOf, self, useMay } from '../../api/lists.ts';
import { serviceAddress } from '../../api/place.ts';
import { svgText } from '../../chart/picture.ts';
import { Figure } from '../../figures.tsx';
import { CollectorContext, type Drawn } from '../../reports/keeping.ts';
import {
  type Figure as KeptFigure,
  newPartId,
  type Part,
  type Report,
  type ReportFields,
  replaceReport,
  reportOf,
} from '../../reports/reports.ts';
import { ErrorAlert, Loaded } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { answerOf } from '../../study/study.ts';
import { saveAs } from '../../table/csv.ts';
import { documentOf, type Written } from './document.ts';

/** Pages of figures by their names in reports. */
const addresses = {
  study: '/projects/$project',
  oncoprint: '/projects/$project/oncoprint',
  plots: '/projects/$project/plots',
  comparison: '/projects/$project/compare',
  sql: '/projects/$project/sql',
} as const satisfies Record<KeptFigure['page'], string>;

interface Props {
  project: string;
  id: string;
}

/** A report: texts and figures, which each reader draws anew under own rights. */
export function ReportPage({ project, id }: Props) {
  const query = useQuery(reportOf(project, id));
  return <Loaded query={query}>{(report) => <Shown project={project} report={report} />}</Loaded>;
}

function Shown({ project, report }: { project: string; report: Report & { etag: string } }) {
  const queries = useQueryClient();
  const { data: me } = useQuery(self);
  const { data: about } = useQuery(projectOf(project));
  const administers = useMay('projectAdmin', { dataset: project, type: 'query' });
  const isMasked = useMay('readData', { dataset: project, type: 'table' }) === false;
  const mayChange = report.ownerId === me?.id || administers === true;
  const counted = useQuery(
    answerOf({
      ...{ datasetId: project, unit: 'patient', filter: { and: [] } },
      aggregates: [{ id: 'all', kind: 'count' }],
    }),
  );
  const version = counted.data?.version;
  const { data: people = [] } = useQuery(members());
  const keptText = (part: KeptFigure): string => {
    const profile = people.find(({ id }) => id === part.kept.by)?.profile;
    const keeper = part.kept.by === me?.id ? 'you' : (profile?.name ?? profile?.email ?? 'another user');
    const day = new Date(part.kept.time).toLocaleDateString();
    const isOld = part.version !== undefined && version !== undefined && part.version !== version;
    return `Kept by ${keeper} on ${day}${part.version === undefined ? '' : `, version ${part.version} of the data`}${
      isOld ? `; drawn anew: the data have changed since (now version ${version}).` : '.'
    }`;
  };
  const article = useRef<HTMLDivElement>(null);
  const drawings = useRef(new Map<string, Drawn>());
  const work = useMutation({
    mutationFn: (change: Partial<ReportFields>) => {
      const { name, description, shared, parts } = report;
      return replaceReport(project, report, { name, description, shared, parts, ...change });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['reports', project] }),
  });
  const { parts } = report;
  const setParts = (next: ReportFields['parts']): void => work.mutate({ parts: next });
  const write = (): void => {
    const facts = {
      ...{ name: report.name, project: about?.name ?? project, version, isMasked },
      time: new Date().toLocaleString(),
    };
    const written = parts.map((part): Written => {
      if (part.kind === 'text') return { text: part.text };
      const drawn = drawings.current.get(part.id);
      const svg = drawn?.svg();
      return {
        ...{ title: part.title, caption: part.caption ?? '', rows: drawn?.data ?? [] },
        address: addressOf(project, part),
        drawings: svg ? [svgText(svg)] : [],
        notes: [...notesIn(article.current, part.id), keptText(part)],
      };
    });
    saveAs(`${report.name}.html`, documentOf(facts, written), 'text/html');
  };
  return (
    <Frame
      title={report.name}
      actions={
        <Group gap="xs" className="no-print">
          <Button variant="default" onClick={write}>
            Download HTML
          </Button>
          <Button variant="default" onClick={() => window.print()}>
            Print or PDF
          </Button>
          {mayChange && (
            <Button onClick={() => setParts([...parts, { id: newPartId(), kind: 'text', text: 'New text' }])}>
              Add text
            </Button>
          )}
        </Group>
      }
    >
      <MaskedNote project={project} />
      {mayChange && (
        <Checkbox
          className="no-print"
          label="Share with everybody who may read data of this project"
          checked={report.shared}
          onChange={(event) => work.mutate({ shared: event.currentTarget.checked })}
        />
      )}
      {work.error && <ErrorAlert error={work.error} />}
      <Stack ref={article}>
        {parts.length === 0 && (
          <Text>Choose “Keep in a report” in the menu of a chart, or add a text here.</Text>
        )}
        {parts.map((part, at) => (
          <PartCard
            key={part.id}
            {...{ project, part }}
            kept={part.kind === 'figure' ? keptText(part) : ''}
            collect={drawings.current}
            edit={
              mayChange
                ? {
                    move: (by) => setParts(parts.toSpliced(at, 1).toSpliced(Math.max(0, at + by), 0, part)),
                    replace: (next) => setParts(parts.with(at, next)),
                    remove: () => setParts(parts.toSpliced(at, 1)),
                  }
                : undefined
            }
          />
        ))}
      </Stack>
    </Frame>
  );
}

const addressOf = (project: string, { page, state }: KeptFigure): string =>
  `${serviceAddress}${addresses[page].replace('$project', project)}?${state}`;

/** Returns the words below a figure. */
function notesIn(article: HTMLElement | null, id: string): string[] {
  const figure = article?.querySelector(`[data-part="${id}"]`);
  return [...(figure?.querySelectorAll<HTMLElement>('p, .study-card-note') ?? [])]
    .map((one) => one.innerText.trim())
    .filter((words) => words !== '');
}

interface PartProps {
  project: string;
  part: Part;
  /** Keeper, time and version of a figure, in words. */
  kept: string;
  collect: Map<string, Drawn>;
  edit: { move: (by: number) => void; replace: (part: Part) => void; remove: () => void } | undefined;
}

function PartCard({ project, part, kept, collect, edit }: PartProps) {
  const take = useCallback((drawn: Drawn) => void collect.set(part.id, drawn), [collect, part.id]);
  const name = part.kind === 'text' ? 'text' : part.title;
  return (
    <Card withBorder component="section" aria-label={name}>
      {edit && (
        <Group gap={4} justify="flex-end" className="no-print">
          {part.kind === 'figure' && (
            <ButtonLink
              size="compact-xs"
              variant="subtle"
              to={addresses[part.page]}
              params={{ project }}
              search={Object.fromEntries(new URLSearchParams(part.state))}
            >
              Open
            </ButtonLink>
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Move ${name} up`}
            onClick={() => edit.move(-1)}
          >
            Up
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Move ${name} down`}
            onClick={() => edit.move(1)}
          >
            Down
          </Button>
          <Button size="compact-xs" variant="subtle" aria-label={`Remove ${name}`} onClick={edit.remove}>
            Remove
          </Button>
        </Group>
      )}
      {part.kind === 'text' ? (
        <TextPart part={part} change={edit && ((text) => edit.replace({ ...part, text }))} />
      ) : (
        <>
          <Title order={2} size="h4">
            <bdi>{part.title}</bdi>
          </Title>
          <div data-part={part.id}>
            <CollectorContext value={take}>
              <Figure project={project} figure={part} />
            </CollectorContext>
          </div>
          {part.caption && <Text style={{ whiteSpace: 'pre-line' }}>{part.caption}</Text>}
          <Text size="xs" c="var(--soft)">
            <bdi>{kept}</bdi>
          </Text>
        </>
      )}
    </Card>
  );
}

function TextPart({
  part,
  change,
}: {
  part: Extract<Part, { kind: 'text' }>;
  change: ((text: string) => void) | undefined;
}) {
  const [text, setText] = useState(part.text);
  if (!change) return <Text style={{ whiteSpace: 'pre-line' }}>{part.text}</Text>;
  return (
    <Textarea
      aria-label="Text"
      autosize
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => text !== part.text && change(text)}
    />
  );
}
