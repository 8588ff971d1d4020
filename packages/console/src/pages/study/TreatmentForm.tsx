import { Button, Group, MultiSelect, NumberInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../shell/Feedback.tsx';
import type { Leaf } from '../../study/conditions.ts';
import { answerOf } from '../../study/study.ts';

/** Agents that the form lists. */
const agentsMax = 500;

/** Form of treatments: agents of the timeline, and the days in which one of them was given. */
export function TreatmentForm({ project, add }: { project: string; add: (leaf: Leaf) => void }) {
  const id = 'treatments';
  const query = useQuery(
    answerOf({
      ...{ datasetId: project, unit: 'patient', filter: { and: [] } },
      aggregates: [{ id, kind: 'treatments', top: agentsMax }],
    }),
  );
  const [agents, setAgents] = useState<string[]>([]);
  const [from, setFrom] = useState<number | string>('');
  const [to, setTo] = useState<number | string>('');
  return (
    <Loaded query={query}>
      {({ results }) => {
        const items = results[id]?.treatments?.items ?? [];
        if (items.length === 0)
          return (
            <Text size="sm">
              No timeline of this project names an agent that you may see. Medications of records are under
              Property.
            </Text>
          );
        return (
          <Stack>
            <MultiSelect
              label="Treated with any of"
              description="Without a choice: with any agent"
              searchable
              data={items.map(({ name, patients }) => ({
                value: name,
                label: `${name} (${patients?.toLocaleString() ?? 'few'})`,
              }))}
              value={agents}
              onChange={setAgents}
            />
            <Group grow>
              <NumberInput label="From day" allowDecimal={false} value={from} onChange={setFrom} />
              <NumberInput label="To day" allowDecimal={false} value={to} onChange={setTo} />
            </Group>
            <Text size="sm" c="var(--soft)">
              Treatments that overlap these days count. Day 0 is the first day of a timeline, as a rule the
              diagnosis.
            </Text>
            <Button
              onClick={() =>
                add({
                  treatment: {
                    ...(agents.length > 0 && { agents }),
                    ...(typeof from === 'number' && { fromDay: from }),
                    ...(typeof to === 'number' && { toDay: to }),
                  },
                })
              }
            >
              Add
            </Button>
          </Stack>
        );
      }}
    </Loaded>
  );
}
