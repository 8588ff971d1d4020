import { Button, Modal, MultiSelect, Select, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { cohorts } from '../../api/account.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { GenesForm } from '../../study/GenesForm.tsx';
import { type Attribute, answerOf, type Unit } from '../../study/study.ts';
import type { Group } from './groups.ts';

interface Props {
  project: string;
  unit: Unit;
  attributes: readonly Attribute[];
  /** Number of groups that may be added. */
  room: number;
  add: (groups: readonly Group[]) => void;
  close: () => void;
}

/** Dialogue that adds groups: cohorts, values or quartiles of an attribute, an altered gene, or a pasted list. */
export function AddGroups({ close, add, ...props }: Props) {
  const take = (groups: readonly Group[]): void => {
    add(groups.slice(0, props.room));
    close();
  };
  return (
    <Modal opened onClose={close} title="Add groups" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Tabs defaultValue="cohorts" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="cohorts">Cohorts</Tabs.Tab>
          <Tabs.Tab value="attribute">Attribute</Tabs.Tab>
          <Tabs.Tab value="gene">Genes</Tabs.Tab>
          <Tabs.Tab value="list">List</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="cohorts">
          <CohortForm {...props} add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="attribute">
          <AttributeForm {...props} add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="gene">
          <GeneForm add={take} />
        </Tabs.Panel>
        <Tabs.Panel value="list">
          <ListForm {...props} add={take} />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}

type FormProps = Omit<Props, 'close'>;

function CohortForm({ project, room, add }: FormProps) {
  const { data = [] } = useQuery(cohorts(project));
  const [chosen, setChosen] = useState<string[]>([]);
  return (
    <Stack>
      <MultiSelect
        label="Cohorts"
        searchable
        maxValues={room}
        data={data.map(({ id, name, resultCount }) => ({ value: id, label: `${name} (${resultCount})` }))}
        value={chosen}
        onChange={setChosen}
      />
      <Button
        disabled={chosen.length === 0}
        onClick={() =>
          add(
            chosen.map((id) => ({ name: data.find((one) => one.id === id)?.name ?? id, is: { cohort: id } })),
          )
        }
      >
        Add
      </Button>
    </Stack>
  );
}

function AttributeForm({ project, unit, attributes, room, add }: FormProps) {
  const [id, setId] = useState<string | null>(null);
  const [method, setMethod] = useState<'quartiles' | 'median'>('quartiles');
  const attribute = attributes.find((one) => one.id === id);
  const isNumber = attribute?.type === 'number';
  const query = useQuery({
    ...answerOf({
      ...{ datasetId: project, unit, filter: { and: [] } },
      aggregates: [
        isNumber
          ? { id: 'found', kind: 'bins', attribute: id ?? '', method }
          : { id: 'found', kind: 'values', attribute: id ?? '', top: room },
      ],
    }),
    enabled: attribute !== undefined,
  });
  const { values, bins } = query.data?.results['found'] ?? {};
  const groups =
    (attribute &&
      (isNumber ? groupsOfBars(attribute, bins?.bars) : groupsOfValues(attribute, values?.items))) ??
    [];
  return (
    <Stack>
      <Select
        label="Attribute"
        searchable
        data={attributes.map(({ id: value, name }) => ({ value, label: name }))}
        value={id}
        onChange={setId}
      />
      {isNumber && (
        <Select
          label="Split"
          allowDeselect={false}
          data={[
            { value: 'quartiles', label: 'By quartiles' },
            { value: 'median', label: 'At the median' },
          ]}
          value={method}
          onChange={(value) => setMethod(value === 'median' ? value : 'quartiles')}
        />
      )}
      {query.error && <ErrorAlert error={query.error} />}
      {groups.length > 0 && <Text size="sm">{groups.map(({ name }) => name).join(' · ')}</Text>}
      <Button disabled={groups.length === 0 || query.isPlaceholderData} onClick={() => add(groups)}>
        Add {groups.length > 0 ? `${Math.min(room, groups.length)} groups` : ''}
      </Button>
    </Stack>
  );
}

type Item = { value: string; label?: string };

function groupsOfValues({ id, name }: Attribute, items: readonly Item[] = []): Group[] {
  return items.map(({ value, label }) => ({
    name: label ?? `${name}: ${value}`,
    is: { attribute: id, in: [value] },
  }));
}

type Bar = { range?: { gt?: number; gte?: number; lt?: number; lte?: number } };

function groupsOfBars({ id, name }: Attribute, bars: readonly Bar[] = []): Group[] {
  return bars.flatMap(({ range }) => {
    if (!range) return [];
    const { gt, gte, lte } = range;
    const isBetween = gt !== undefined && lte !== undefined;
    if (isBetween) return [{ name: `${gt} < ${name} ≤ ${lte}`, is: { attribute: id, ranges: [range] } }];
    const from = gt === undefined ? (gte === undefined ? '' : ` ≥ ${gte}`) : ` > ${gt}`;
    const words =
      gte !== undefined && gte === lte ? ` ${gte}` : `${from}${lte === undefined ? '' : ` ≤ ${lte}`}`;
    return [{ name: `${name}${words}`, is: { attribute: id, ranges: [range] } }];
  });
}

function GeneForm({ add }: { add: (groups: readonly Group[]) => void }) {
  return (
    <GenesForm
      label="Gene, and its changes"
      description="BRAF · TP53: TRUNC · MYC: AMP. Two groups: altered, and profiled without."
      action="Add 2 groups"
      add={(filter, name) =>
        add([
          { name: `${name}: altered`, is: filter },
          { name: `${name}: not altered`, is: { not: filter } },
        ])
      }
    />
  );
}

function ListForm({ unit, add }: FormProps) {
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const ids = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  return (
    <Stack>
      <TextInput
        label="Name of the group"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Textarea
        label={unit === 'sample' ? 'Ids of samples' : 'Ids of subjects'}
        description={`${ids.length.toLocaleString()} ids, separated by blanks, commas or lines`}
        rows={6}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        disabled={ids.length === 0 || name.trim() === ''}
        onClick={() =>
          add([{ name: name.trim(), is: unit === 'sample' ? { samples: ids } : { patients: ids } }])
        }
      >
        Add
      </Button>
    </Stack>
  );
}
