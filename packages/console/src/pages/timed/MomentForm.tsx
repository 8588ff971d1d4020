import { Group, MultiSelect, NumberInput, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answerOf } from '../../study/study.ts';
import type { Moment } from '../../study/timed.ts';
import { sentenceOf } from '../../words/dictionary.ts';
import type { Kind } from './timed.ts';

interface Props {
  project: string;
  kinds: readonly Kind[];
  label: string;
  moment: Moment;
  set: (moment: Moment) => void;
}

/** Choice of events: their kind, and codes, types or agents. */
export function MomentForm({ project, kinds, label, moment, set }: Props) {
  const { of, codes = [], agents = [], value = {} } = moment;
  const kind = kinds.find((one) => one.of === of);
  const names = useNames(project, kind);
  const change = (part: Partial<Moment>): void => {
    const { agents: _agents, codes: _codes, value: _value, ...rest } = { ...moment, ...part };
    const next = { codes, agents, value, ...part };
    set({
      ...rest,
      ...(next.codes.length > 0 && { codes: next.codes }),
      ...(next.agents.length > 0 && isTreatment(next.codes) && { agents: next.agents }),
      ...(Object.keys(next.value).length > 0 && { value: next.value }),
    });
  };
  const end = (key: 'gte' | 'lte') => (number: number | undefined) => {
    const { [key]: _, ...others } = value;
    change({ value: number === undefined ? others : { ...others, [key]: number } });
  };
  return (
    <Group gap="xs" align="end">
      <Select
        label={label}
        allowDeselect={false}
        size="xs"
        w={170}
        data={kinds.map((one) => ({ value: one.of, label: one.name }))}
        value={of}
        onChange={(next) => set({ of: kinds.find((one) => one.of === next)?.of ?? of })}
      />
      {of !== 'death' && (
        <MultiSelect
          label={of === 'event' ? 'Types' : 'Which'}
          placeholder={codes.length > 0 ? undefined : 'any'}
          size="xs"
          searchable
          limit={100}
          style={{ flex: '1 1 180px' }}
          data={withChosen(names.codes, codes)}
          value={codes}
          onChange={(next) => change({ codes: next })}
        />
      )}
      {of === 'event' && isTreatment(codes) && names.agents.length > 0 && (
        <MultiSelect
          label="Agents"
          placeholder={agents.length > 0 ? undefined : 'any'}
          size="xs"
          searchable
          limit={100}
          style={{ flex: '1 1 160px' }}
          data={withChosen(names.agents, agents)}
          value={agents}
          onChange={(next) => change({ agents: next })}
        />
      )}
      {of === 'observation' && (
        <>
          <NumberField label="From value" value={value.gte} set={end('gte')} />
          <NumberField label="To value" value={value.lte} set={end('lte')} />
        </>
      )}
    </Group>
  );
}

const isTreatment = (codes: readonly string[]): boolean =>
  codes.length > 0 && codes.every((code) => code.toUpperCase() === 'TREATMENT');

interface Option {
  value: string;
  label: string;
}

/** Adds what an address names and the project does not list. */
const withChosen = (options: readonly Option[], chosen: readonly string[]): Option[] => [
  ...options,
  ...chosen
    .filter((value) => !options.some((one) => one.value === value))
    .map((value) => ({ value, label: value })),
];

/** Codes or types that subjects of a project have, the most frequent first. */
function useNames(project: string, kind: Kind | undefined): { codes: Option[]; agents: Option[] } {
  const attribute = kind?.codes;
  const { data } = useQuery({
    ...answerOf({
      ...{ datasetId: project, unit: 'patient', filter: { and: [] } },
      aggregates: attribute
        ? [{ id: 'codes', kind: 'values', attribute, top: 2000 }]
        : [
            { id: 'events', kind: 'events', top: 500 },
            { id: 'agents', kind: 'treatments', top: 500 },
          ],
    }),
    enabled: kind !== undefined && kind.of !== 'death',
  });
  const items = (id: 'events' | 'treatments', name: string) => data?.results[name]?.[id]?.items ?? [];
  const values = data?.results['codes']?.values?.items ?? [];
  return {
    codes: attribute
      ? values.map(({ value, label }) => ({ value, label: label ?? value }))
      : items('events', 'events').map(({ name }) => ({ value: name, label: sentenceOf(name) })),
    agents: items('treatments', 'agents').map(({ name }) => ({ value: name, label: name })),
  };
}

interface NumberProps {
  label: string;
  value: number | undefined;
  min?: number;
  isWhole?: boolean;
  set: (value: number | undefined) => void;
}

/** Number that counts when its field is left, or by Enter; empty: none. */
export function NumberField({ label, value, min, isWhole = false, set }: NumberProps) {
  const [draft, setDraft] = useState<number | string>(value ?? '');
  useEffect(() => setDraft(value ?? ''), [value]);
  const take = (): void => {
    const next = draft === '' ? undefined : Number(draft);
    if (next !== value) set(next);
  };
  return (
    <NumberInput
      label={label}
      size="xs"
      w={label.length > 14 ? 150 : 92}
      hideControls
      allowDecimal={!isWhole}
      {...(min !== undefined && { min })}
      value={draft}
      onChange={setDraft}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}
