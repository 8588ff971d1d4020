import { ActionIcon, Button, CloseButton, Group, Menu, Paper, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../design/Icon.tsx';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import {
  type Condition,
  type Conditions,
  changed,
  grouped,
  removed,
  ungrouped,
} from '../../study/conditions.ts';
import { conditionText, type Known } from '../../study/words.ts';
import { AddCondition } from './AddCondition.tsx';
import type { PageResults } from './charts.ts';

interface Props {
  project: string;
  conditions: Conditions;
  change: (conditions: Conditions) => void;
  known: Known;
  results: Pick<PageResults, 'matched' | 'all' | 'roundedTo'>;
  /** Answer is that of an earlier state of the page. */
  isStale: boolean;
  error: Error | null;
  children?: ReactNode;
}

/** Bar that stays in view: the number of subjects, and the conditions that they pass. */
export function FilterBar(props: Props) {
  const { project, conditions, change, known, results, isStale, error, children } = props;
  const { matched, all, roundedTo } = results;
  const [isAdding, setAdding] = useState(false);
  return (
    <Paper className="study-bar" component="section" aria-label="Conditions" withBorder p="xs">
      <Group gap="xs" justify="space-between">
        <Group gap={6} style={{ flex: '1 1 300px' }}>
          <Text fw={700} role="status" style={{ opacity: isStale ? 0.6 : 1 }}>
            {counted(matched?.patients, all?.patients, 'subject')}
            {matched?.samples !== 0 && ` · ${counted(matched?.samples, all?.samples, 'sample')}`}
          </Text>
          {roundedTo !== undefined && (
            <Text size="sm" c="var(--soft)">
              Counts are rounded to multiples of {roundedTo}; fewer subjects are not shown.
            </Text>
          )}
          {conditions.map((condition, at) => (
            <Pill
              key={JSON.stringify(condition.is)}
              condition={condition}
              text={conditionText(condition, known)}
              isFirst={at === 0}
              set={(part) => change(changed(conditions, at, part))}
              remove={() => change(removed(conditions, at))}
              group={at + 1 < conditions.length ? () => change(grouped(conditions, at)) : undefined}
              ungroup={partsChange(ungrouped(conditions, at), change)}
            />
          ))}
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setAdding(true)}
          >
            Condition
          </Button>
          {conditions.length > 1 && (
            <Button size="compact-sm" variant="subtle" onClick={() => change([])}>
              Clear all
            </Button>
          )}
        </Group>
        <Group gap={6}>{children}</Group>
      </Group>
      {error && <ErrorAlert error={error} />}
      {isAdding && (
        <AddCondition
          project={project}
          cohorts={known.cohorts}
          add={(is) => change([...conditions, { is }])}
          close={() => setAdding(false)}
        />
      )}
    </Paper>
  );
}

/** Words of a count, and of all where it is less; `null`: too few to be shown. */
function counted(count: number | null | undefined, all: number | null | undefined, noun: string): string {
  if (count === undefined) return `… ${noun}s`;
  if (count === null) return `few ${noun}s`;
  const of = typeof all === 'number' && all !== count ? ` of ${all.toLocaleString()}` : '';
  return `${count.toLocaleString()}${of} ${count === 1 && of === '' ? noun : `${noun}s`}`;
}

interface PillProps {
  condition: Condition;
  text: string;
  isFirst: boolean;
  set: (part: Partial<Condition>) => void;
  remove: () => void;
  /** Joins it with the next one; absent for the last. */
  group: (() => void) | undefined;
  /** Takes a group apart. */
  ungroup: (() => void) | undefined;
}

const partsChange = (parts: Conditions | undefined, change: (next: Conditions) => void) =>
  parts && (() => change(parts));

function Pill({ condition: { not = false, or = false }, text, isFirst, set, remove, ...change }: PillProps) {
  const { group, ungroup } = change;
  return (
    <>
      {!isFirst && (
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={`${or ? 'or' : 'and'}: change how ${text} is joined`}
          title="Change between and, or"
          onClick={() => set({ or: !or })}
        >
          {or ? 'or' : 'and'}
        </Button>
      )}
      <Group className="pill" gap={2} wrap="nowrap" role="group" aria-label={text}>
        <ActionIcon
          className="pill-not"
          size={24}
          variant="default"
          aria-pressed={not}
          aria-label={`Not: ${text}`}
          title="Subjects that do not pass"
          onClick={() => set({ not: !not })}
        >
          not
        </ActionIcon>
        <Text size="sm" title={text} truncate td={not ? 'line-through' : undefined} maw={360}>
          {text}
        </Text>
        {(group || ungroup) && (
          <Menu position="bottom-start">
            <Menu.Target>
              <ActionIcon
                size={24}
                variant="subtle"
                color="gray"
                aria-label={`Groups of ${text}`}
                title="Groups"
              >
                ( )
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {group && <Menu.Item onClick={group}>Group with the next condition</Menu.Item>}
              {ungroup && <Menu.Item onClick={ungroup}>Take the group apart</Menu.Item>}
            </Menu.Dropdown>
          </Menu>
        )}
        <CloseButton size="sm" aria-label={`Remove ${text}`} onClick={remove} />
      </Group>
    </>
  );
}
