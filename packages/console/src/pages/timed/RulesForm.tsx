import {
  Button,
  Card,
  CloseButton,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  TextInput,
  Title,
} from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Criterion, Rule, Timed } from '../../study/timed.ts';
import { MomentForm, NumberField } from './MomentForm.tsx';
import type { Kind } from './timed.ts';

interface Common {
  project: string;
  kinds: readonly Kind[];
}

/** Form of the index event. */
export function IndexForm({
  project,
  kinds,
  index,
  set,
}: Common & { index: Timed['index']; set: (index: Timed['index']) => void }) {
  const { event, which = 'first', priorDays } = index;
  return (
    <Card withBorder padding="sm">
      <Title order={2} size="h5" mb={4}>
        Index event
      </Title>
      <Stack gap="xs">
        <MomentForm
          {...{ project, kinds }}
          label="Kind"
          moment={event}
          set={(next) => set({ ...index, event: next })}
        />
        <Group gap="xs" align="end">
          <Select
            label="Of each subject"
            size="xs"
            w={220}
            allowDeselect={false}
            data={[
              { value: 'first', label: 'the first in the history' },
              { value: 'last', label: 'the last' },
              { value: 'every', label: 'every one, until one passes' },
            ]}
            value={which}
            onChange={(next) =>
              set({ ...index, which: next === 'last' || next === 'every' ? next : 'first' })
            }
          />
          <NumberField
            label="Days on record before"
            isWhole
            min={0}
            value={priorDays}
            set={(next) => {
              const { priorDays: _, ...rest } = index;
              set(next === undefined ? rest : { ...rest, priorDays: next });
            }}
          />
        </Group>
      </Stack>
    </Card>
  );
}

/** Form of the rules, in their order. */
export function RulesForm({
  project,
  kinds,
  rules,
  set,
}: Common & { rules: readonly Rule[]; set: (rules: Rule[]) => void }) {
  const first: Criterion = { event: { of: kinds[0]?.of ?? 'event' } };
  return (
    <Stack gap="xs">
      {[...rules.entries()].map(([at, rule]) => (
        <RuleCard
          key={at}
          {...{ project, kinds, rule, first }}
          change={(part) => set(rules.map((one, place) => (place === at ? { ...one, ...part } : one)))}
          remove={() => set(rules.filter((_, place) => place !== at))}
        />
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => set([...rules, { name: `Rule ${rules.length + 1}`, criteria: [first] }])}
        >
          Add a rule
        </Button>
      </Group>
    </Stack>
  );
}

interface RuleProps extends Common {
  rule: Rule;
  /** Criterion that is added. */
  first: Criterion;
  change: (part: Partial<Rule>) => void;
  remove: () => void;
}

function RuleCard({ project, kinds, rule, first, change, remove }: RuleProps) {
  const { name, criteria, need = 'all', off = false } = rule;
  const [draft, setDraft] = useState(name);
  useEffect(() => setDraft(name), [name]);
  return (
    <Card withBorder padding="sm" role="group" aria-label={name} style={{ opacity: off ? 0.7 : 1 }}>
      <Group gap="xs" align="end" mb={4}>
        <TextInput
          label="Rule"
          size="xs"
          style={{ flex: 1 }}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onBlur={() => (draft.trim() === '' ? setDraft(name) : draft !== name && change({ name: draft }))}
        />
        <Switch
          size="xs"
          mb={6}
          label="Applied"
          aria-label={`Apply ${name}`}
          checked={!off}
          onChange={(event) => change({ off: !event.currentTarget.checked })}
        />
        <CloseButton mb={2} aria-label={`Remove ${name}`} onClick={remove} />
      </Group>
      <Stack gap="xs">
        {[...criteria.entries()].map(([at, criterion]) => (
          <CriterionForm
            key={at}
            {...{ project, kinds, criterion }}
            set={(next) => change({ criteria: criteria.map((one, place) => (place === at ? next : one)) })}
            remove={
              criteria.length > 1
                ? () => change({ criteria: criteria.filter((_, place) => place !== at) })
                : undefined
            }
          />
        ))}
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => change({ criteria: [...criteria, first] })}
          >
            Add a criterion
          </Button>
          {criteria.length > 1 && (
            <SegmentedControl
              size="xs"
              aria-label={`Criteria of ${name} that have to hold`}
              data={[
                { value: 'all', label: 'all of them' },
                { value: 'any', label: 'one of them' },
              ]}
              value={need}
              onChange={(next) => change({ need: next === 'any' ? 'any' : 'all' })}
            />
          )}
        </Group>
      </Stack>
    </Card>
  );
}

const counts = [
  { value: 'min', label: 'at least' },
  { value: 'max', label: 'no more than' },
  { value: 'exact', label: 'exactly' },
  { value: 'none', label: 'none' },
];

interface CriterionProps extends Common {
  criterion: Criterion;
  set: (criterion: Criterion) => void;
  remove: (() => void) | undefined;
}

function CriterionForm({ project, kinds, criterion, set, remove }: CriterionProps) {
  const { event, countMin, countMax, within = {} } = criterion;
  const number = countMax ?? countMin ?? 1;
  const kind =
    countMax === undefined ? 'min' : countMax === 0 ? 'none' : countMin === undefined ? 'max' : 'exact';
  const counted = (next: string, n: number): void => {
    const { countMin: _min, countMax: _max, ...rest } = criterion;
    set({
      ...rest,
      ...((next === 'min' || next === 'exact') && { countMin: n }),
      ...(next === 'none' ? { countMax: 0 } : next !== 'min' && { countMax: n }),
    });
  };
  const days = (key: 'from' | 'to') => (day: number | undefined) => {
    const { [key]: _, ...others } = within;
    const next = day === undefined ? others : { ...others, [key]: day };
    const { within: _within, ...rest } = criterion;
    set({ ...rest, ...(Object.keys(next).length > 0 && { within: next }) });
  };
  return (
    <Stack gap={4}>
      <MomentForm
        {...{ project, kinds }}
        label="Has"
        moment={event}
        set={(next) => set({ ...criterion, event: next })}
      />
      <Group gap="xs" align="end">
        <Select
          label="Number"
          size="xs"
          w={120}
          allowDeselect={false}
          data={counts}
          value={kind}
          onChange={(next) => counted(next ?? 'min', Math.max(1, number))}
        />
        {kind !== 'none' && (
          <NumberField label="of them" isWhole min={1} value={number} set={(n) => counted(kind, n ?? 1)} />
        )}
        <NumberField label="from day" isWhole value={within.from} set={days('from')} />
        <NumberField label="to day" isWhole value={within.to} set={days('to')} />
        <Select
          label="after the index"
          size="xs"
          w={120}
          allowDeselect={false}
          data={['start', 'end']}
          value={within.of ?? 'start'}
          onChange={(of) => set({ ...criterion, within: { ...within, of: of === 'end' ? 'end' : 'start' } })}
        />
        {remove && <CloseButton mb={2} aria-label="Remove the criterion" onClick={remove} />}
      </Group>
    </Stack>
  );
}

interface EndProps extends Common {
  timed: Timed;
  change: (part: Partial<Timed>) => void;
}

/** Form of the exit and of events that censor. They bound the time of survival, and choose no subjects. */
export function EndForm({ project, kinds, timed: { exit = {}, censor = [] }, change }: EndProps) {
  const [event] = censor;
  return (
    <Card withBorder padding="sm">
      <Title order={2} size="h5" mb={4}>
        End of the time
      </Title>
      <Stack gap="xs">
        <NumberField
          label="Days after"
          isWhole
          min={0}
          value={exit.afterDays}
          set={(next) => {
            const { afterDays: _, ...rest } = exit;
            change({ exit: next === undefined ? rest : { ...rest, afterDays: next } });
          }}
        />
        {event ? (
          <Group align="end" wrap="nowrap">
            <MomentForm
              {...{ project, kinds }}
              label="Censored by"
              moment={event}
              set={(next) => change({ censor: [next] })}
            />
            <CloseButton
              mb={2}
              aria-label="Remove the event that censors"
              onClick={() => change({ censor: undefined })}
            />
          </Group>
        ) : (
          <Group>
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => change({ censor: [{ of: kinds[0]?.of ?? 'event' }] })}
            >
              Add an event that censors
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}
