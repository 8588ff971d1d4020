import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { project as projectOf } from '../../api/lists.ts';
import { Loaded, notify } from '../../shell/Feedback.tsx';
import { answerOf } from '../../study/study.ts';
import { asked, type Drawn } from './groups.ts';
import { survivalWords, testsWords } from './methods.ts';
import { type Comparing, useEndpoint } from './SurvivalTab.tsx';
import { enrichmentBody } from './TestsTab.tsx';

/** Text on the methods of the comparison, for a publication. */
export function Methods(props: Comparing) {
  const { project, unit, groups, overlap, attributes, tables } = props;
  const { data } = useQuery(projectOf(project));
  const { chosen, times } = useEndpoint(attributes, tables);
  const body = enrichmentBody(props);
  const query = useQuery(
    answerOf({
      ...body,
      aggregates: [
        ...body.aggregates,
        ...(chosen
          ? [
              {
                ...{ id: 'survival', kind: 'survival' as const, groups: asked(groups), ...chosen.endpoint },
                ...(overlap && { overlap }),
                ...(times.length > 0 && { landmarks: times }),
              },
            ]
          : []),
      ],
    }),
  );
  return (
    <Loaded query={query}>
      {({ results, version }) => {
        const { enrichment } = results['tests'] ?? {};
        const { survival } = results['survival'] ?? {};
        const sizes = enrichment?.groups.map(({ patients }) => patients) ?? [];
        const paragraphs = [
          [groupsWords(groups, sizes, unit), overlapWords(enrichment?.shared ?? 0, overlap)].join(' '),
          ...(survival && chosen
            ? [`Endpoint: ${chosen.name} (${chosen.unit}). ${survivalWords(survival).join(' ')}`]
            : []),
          ...(enrichment ? [testsWords(enrichment).join(' ')] : []),
          `Data: project ${data?.name ?? project}, version ${version}. Computed by Ploidy; its tests are compared with R, SciPy and lifelines.`,
        ];
        return (
          <Stack align="start" maw={760}>
            {paragraphs.map((text) => (
              <Text key={text}>{text}</Text>
            ))}
            <Button
              variant="default"
              onClick={async () => {
                await navigator.clipboard.writeText(paragraphs.join('\n\n'));
                notify('The text on methods is copied.');
              }}
            >
              Copy
            </Button>
          </Stack>
        );
      }}
    </Loaded>
  );
}

function groupsWords(groups: readonly Drawn[], sizes: readonly number[], unit: Comparing['unit']): string {
  const list = groups.map(({ name }, at) => `${name} (n = ${(sizes[at] ?? 0).toLocaleString()})`);
  return `Compared ${unit === 'sample' ? 'samples' : 'subjects'}: ${list.join('; ')}.`;
}

function overlapWords(shared: number, overlap: Comparing['overlap']): string {
  if (shared === 0) return 'No subject is in several groups.';
  const number = `${shared.toLocaleString()} ${shared === 1 ? 'subject' : 'subjects'} in several groups`;
  return overlap === 'exclude' ? `${number} left out of all groups.` : `${number} kept; nothing was tested.`;
}
