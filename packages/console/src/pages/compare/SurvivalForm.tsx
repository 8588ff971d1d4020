import { MultiSelect, Group as Row, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Attribute, answerOf } from '../../study/study.ts';
import type { Endpoint, Offered } from './endpoints.ts';

interface Props {
  attributes: readonly Attribute[];
  offered: readonly Offered[];
  chosen: Offered | undefined;
  times: readonly number[];
  set: (part: Record<string, string>) => void;
}

/** Choice of the endpoint or of attributes of an own one, and of times at which curves are read. */
export function SurvivalForm({ attributes, offered, chosen, times, set }: Props) {
  const [isOwn, setOwn] = useState(chosen?.id === 'own');
  const written = times.join(', ');
  const [typed, setTyped] = useState(written);
  useEffect(() => setTyped(written), [written]);
  const own = chosen?.id === 'own' ? chosen.endpoint : {};
  return (
    <Row align="end">
      <Select
        label="Endpoint"
        allowDeselect={false}
        w={280}
        data={[
          ...offered.map(({ id, name }) => ({ value: id, label: name })),
          { value: 'own', label: 'Own endpoint…' },
        ]}
        value={isOwn ? 'own' : (chosen?.id ?? null)}
        onChange={(id) => {
          setOwn(id === 'own');
          if (id !== 'own') set({ endpoint: id ?? '' });
        }}
      />
      {isOwn && <OwnForm {...{ attributes, own, set }} />}
      {!isOwn && chosen?.id === 'death' && (
        <DiagnosisChoice diagnosis={chosen.endpoint.diagnosis} set={set} />
      )}
      <TextInput
        label="Read curves at"
        placeholder="12, 24"
        w={140}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => set({ landmarks: typed.replace(/\s/g, '') })}
        onKeyDown={(event) => event.key === 'Enter' && set({ landmarks: typed.replace(/\s/g, '') })}
      />
    </Row>
  );
}

/** Choice of the diagnosis from which time counts. */
function DiagnosisChoice({ diagnosis, set }: { diagnosis: string | undefined; set: Props['set'] }) {
  const { project } = useParams({ from: '/projects/$project/compare' });
  const { data } = useQuery(
    answerOf({
      ...{ datasetId: project, unit: 'patient', filter: { and: [] } },
      aggregates: [{ id: 'codes', kind: 'values', attribute: 'condition.code', top: 1000 }],
    }),
  );
  const items = data?.results['codes']?.values?.items ?? [];
  return (
    <Select
      label="Time begins with the first diagnosis of"
      placeholder="any condition"
      searchable
      clearable
      limit={50}
      w={320}
      data={items.map(({ value, label }) => ({ value, label: label ?? value }))}
      value={diagnosis ?? null}
      onChange={(code) => set({ endpoint: code === null ? 'death' : JSON.stringify({ diagnosis: code }) })}
    />
  );
}

function OwnForm({
  attributes,
  own,
  set,
}: {
  attributes: readonly Attribute[];
  own: Endpoint;
  set: Props['set'];
}) {
  const { project } = useParams({ from: '/projects/$project/compare' });
  const [draft, setDraft] = useState(own);
  const change = (part: Endpoint): void => {
    const next = { ...draft, ...part };
    setDraft(next);
    if (next.time && next.status) set({ endpoint: JSON.stringify(next) });
  };
  const status = draft.status ?? '';
  const { data } = useQuery({
    ...answerOf({
      ...{ datasetId: project, unit: 'patient', filter: { and: [] } },
      aggregates: [{ id: 'values', kind: 'values', attribute: status, top: 50 }],
    }),
    enabled: status !== '',
  });
  const values = data?.results['values']?.values?.items.map(({ value }) => value) ?? [];
  const of = (isNumber: boolean) =>
    attributes
      .filter(({ type }) => (type === 'number') === isNumber)
      .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <Select
        label="Time"
        searchable
        data={of(true)}
        value={draft.time ?? null}
        onChange={(time) => change({ time: time ?? undefined })}
      />
      <Select
        label="Status"
        searchable
        data={of(false)}
        value={draft.status ?? null}
        onChange={(next) => change({ status: next ?? undefined, events: undefined })}
      />
      <MultiSelect
        label="Values that are the event"
        placeholder={draft.events ? undefined : '1:…'}
        data={values}
        value={draft.events ?? []}
        onChange={(events) => change({ events: events.length > 0 ? events : undefined })}
      />
      <Select
        label="Observed from (if late)"
        searchable
        clearable
        data={of(true)}
        value={draft.entry ?? null}
        onChange={(entry) => change({ entry: entry ?? undefined })}
      />
    </>
  );
}
