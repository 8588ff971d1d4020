import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { inWords, schedules } from '../../api/schedule.ts';
import { ErrorAlert, notify } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { type SavedQueryItem, schedule } from './saved.ts';

/** Returns the schedule of a saved query in words, with the fault of its last run. */
export function scheduleText({ schedule: plan }: SavedQueryItem): string {
  if (!plan) return '';
  if (plan.cron === undefined) return 'ended: its owner lost the right';
  return inWords(plan.cron) + (plan.error === undefined ? '' : ` (last: ${plan.error})`);
}

interface Props {
  project: string;
  query: SavedQueryItem;
  close: () => void;
}

/** Plans the runs of a saved query. */
export function ScheduleDialogue({ project, query, close }: Props) {
  const plan = query.schedule;
  const [cron, setCron] = useState(plan?.cron ?? schedules[1]?.value ?? '');
  const queries = useQueryClient();
  const work = useMutation({
    mutationFn: (chosen: string | undefined) => schedule(project, query.id, chosen),
    onSuccess: async (_, chosen) => {
      await queries.invalidateQueries({ queryKey: ['saved', project] });
      notify(chosen === undefined ? 'The schedule has ended.' : `${query.name} is scheduled.`);
      close();
    },
  });
  const choices = schedules.some(({ value }) => value === cron)
    ? schedules
    : [...schedules, { value: cron, label: inWords(cron) }];
  return (
    <Modal
      opened
      onClose={close}
      title={`Schedule ${query.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">
          Each run stores its result as a file of the project, with your rights at that time. The schedule
          ends when you may no longer run statements here.
        </Text>
        <Select
          label="Runs"
          data={choices}
          value={cron}
          allowDeselect={false}
          onChange={(value) => value !== null && setCron(value)}
        />
        {plan?.next !== undefined && (
          <Text size="sm">
            Next run {new Date(plan.next).toLocaleString()}.{' '}
            <AnchorLink
              underline="always"
              to="/projects/$project/files"
              params={{ project }}
              search={{ prefix: `scheduled/${query.id}/` }}
            >
              Results
            </AnchorLink>
          </Text>
        )}
        {work.error && <ErrorAlert error={work.error} />}
        <Group justify="end">
          {plan?.cron !== undefined && (
            <Button variant="default" onClick={() => work.mutate(undefined)}>
              End the schedule
            </Button>
          )}
          <Button loading={work.isPending} onClick={() => work.mutate(cron)}>
            Schedule
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
