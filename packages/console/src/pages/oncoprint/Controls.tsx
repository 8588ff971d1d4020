import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Popover,
  Select,
  Stack,
  Textarea,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../design/Icon.tsx';
import type { Attribute } from '../../study/study.ts';
import { readGenes, type Settings, type Switch, tallRange, writeGenes } from './settings.ts';

interface Props {
  settings: Settings;
  /** Genes that are shown, also where the address names none. */
  shownGenes: string;
  attributes: readonly Attribute[];
  /** Attributes whose values can be groups. */
  grouping: readonly string[];
  change: (part: Partial<Settings>) => void;
  zoom: (factor: number) => void;
  children?: ReactNode;
}

/** Switches with their words, and their state where the address names none. */
const options: readonly [Switch, string, boolean][] = [
  ['unaltered', 'Unaltered', true],
  ['unprofiled', 'Not profiled', true],
  ['germline', 'Germline alterations', true],
  ['passengers', 'Alterations that are not known as drivers', true],
  ['gains', 'Gains and losses of one copy', false],
  ['blanks', 'Blanks between cells', true],
  ['map', 'Map of the whole', true],
  ['types', 'Sort by type of mutation', true],
  ['drivers', 'Sort drivers before others', true],
];

/** Reports whether a switch is on. */
export const isOn = ({ changed }: Settings, name: Switch): boolean =>
  (options.find(([one]) => one === name)?.[2] ?? true) !== changed.has(name);

/** Controls of an oncoprint: genes, tracks, what is shown, order and size. */
export function Controls(props: Props) {
  const { settings, attributes, grouping, change, zoom, children } = props;
  const nameOf = (id: string): string => attributes.find((one) => one.id === id)?.name ?? id;
  const flip = (name: Switch): void => {
    const next = new Set(settings.changed);
    if (!next.delete(name)) next.add(name);
    change({ changed: next });
  };
  const grow = (by: number): void =>
    change({ tall: Math.min(tallRange.max, Math.max(tallRange.min, settings.tall + by)) });
  return (
    <Group gap="xs" align="end">
      <GenesButton {...props} />
      <TracksButton {...props} />
      <Popover position="bottom-start" shadow="md" trapFocus>
        <Popover.Target>
          <Button size="xs" variant="default">
            Show
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap={8}>
            {options.map(([name, label]) => (
              <Checkbox
                key={name}
                size="sm"
                label={label}
                checked={isOn(settings, name)}
                onChange={() => flip(name)}
              />
            ))}
            <Checkbox
              size="sm"
              label="Colours for every kind of colour vision"
              checked={settings.palette === 'distinct'}
              onChange={({ currentTarget }) =>
                change({ palette: currentTarget.checked ? 'distinct' : 'usual' })
              }
            />
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <Select
        size="xs"
        w={170}
        label="Order"
        allowDeselect={false}
        data={[
          { value: 'genes', label: 'By alterations' },
          { value: 'cluster', label: 'By clusters' },
          { value: 'id', label: 'By id' },
          ...(settings.ids.length > 0 ? [{ value: 'given', label: 'As pasted' }] : []),
        ]}
        value={settings.by}
        onChange={(by) => by && change({ by: by as Settings['by'] })}
      />
      <Select
        size="xs"
        w={190}
        label="Groups"
        placeholder="None"
        searchable
        clearable
        data={grouping.map((id) => ({ value: id, label: nameOf(id) }))}
        value={settings.gap ?? null}
        onChange={(gap) => change({ gap: gap ?? undefined })}
      />
      <Group gap={4} role="group" aria-label="Size">
        <Sized label="Narrower columns" name="minus" run={() => zoom(1 / 1.5)} />
        <Sized label="Wider columns" name="plus" run={() => zoom(1.5)} />
        <Button size="compact-sm" variant="default" onClick={() => change({ wide: undefined })}>
          Fit
        </Button>
        <Sized label="Lower rows" name="shorter" run={() => grow(-4)} />
        <Sized label="Higher rows" name="taller" run={() => grow(4)} />
      </Group>
      {children}
    </Group>
  );
}

function Sized({
  label,
  name,
  run,
}: {
  label: string;
  name: 'minus' | 'plus' | 'shorter' | 'taller';
  run: () => void;
}) {
  return (
    <ActionIcon size={26} variant="default" aria-label={label} title={label} onClick={run}>
      <Icon name={name} size={14} />
    </ActionIcon>
  );
}

function GenesButton({ shownGenes, settings, change }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [ids, setIds] = useState('');
  const open = (): void => {
    setText(shownGenes);
    setIds(settings.ids.join('\n'));
    setOpen(true);
  };
  const submit = (): void => {
    const pasted = ids
      .split(/[\r\n]+/)
      .map((one) => one.trim())
      .filter(Boolean);
    const hasChanged = pasted.join('\n') !== settings.ids.join('\n');
    change({
      ...(text !== shownGenes && { rows: readGenes(text) }),
      ...(hasChanged && { ids: pasted, by: pasted.length > 0 ? 'given' : 'genes' }),
    });
    setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" width={380} trapFocus>
      <Popover.Target>
        <Button size="xs" onClick={() => (isOpen ? setOpen(false) : open())}>
          Genes and order
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Textarea
            label="Genes"
            description='Symbols in the order of the rows; ["RAS" KRAS NRAS] is one row. Empty: the most frequent ones.'
            autosize
            minRows={3}
            maxRows={10}
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Textarea
            label="Order of the subjects"
            description="One id a line; others follow."
            autosize
            minRows={2}
            maxRows={6}
            value={ids}
            onChange={(event) => setIds(event.currentTarget.value)}
          />
          <Button size="xs" onClick={submit}>
            Show
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function TracksButton({ settings, attributes, change }: Props) {
  const data = attributes.map(({ id, name }) => ({ value: id, label: name }));
  const numeric = attributes
    .filter(({ type }) => type === 'number')
    .map(({ id, name }) => ({ value: id, label: name }));
  const single = settings.tracks.filter(({ length }) => length === 1).map(([id = '']) => id);
  const stacked = settings.tracks.find(({ length }) => length > 1) ?? [];
  const [parts, setParts] = useState<string[]>(stacked);
  const [genes, setGenes] = useState(settings.heat.join(' '));
  const set = (ids: string[], stack: string[]): void =>
    change({ tracks: [...ids.map((id) => [id]), ...(stack.length > 1 ? [stack] : [])] });
  return (
    <Popover position="bottom-start" shadow="md" width={380} trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default">
          Tracks
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <MultiSelect
            label="Properties"
            description="A line each, above the genes."
            searchable
            maxValues={20}
            data={data}
            value={single}
            onChange={(ids) => set(ids, parts)}
          />
          {numeric.length > 1 && (
            <MultiSelect
              label="Parts of a whole"
              description="Numbers that are stacked in one line."
              searchable
              data={numeric}
              value={parts}
              onChange={(ids) => {
                setParts(ids);
                set(single, ids);
              }}
            />
          )}
          <Textarea
            label="Expression of genes"
            description="Below the genes, as distances from the mean."
            autosize
            value={genes}
            onChange={(event) => setGenes(event.currentTarget.value)}
            onBlur={() => change({ heat: writeGenes(readGenes(genes)).split(' ').filter(Boolean) })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
