import { Group, NumberInput, TextInput } from '@mantine/core';
import type { Facet } from '../../facets/facets.ts';

interface RangeProps {
  facet: Facet;
  values: string[];
  change: (ends: string[]) => void;
}

/** The two ends of a range of numbers or dates. */
export function RangeInputs({ facet: { type = '' }, values, change }: RangeProps) {
  const [from = '', to = '', ...more] = values;
  const input = (label: string, value: string, set: (value: string) => void) =>
    type === 'int' || type === 'float' ? (
      <NumberInput label={label} value={value} onChange={(end) => set(String(end))} />
    ) : (
      <TextInput
        label={label}
        type="date"
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <Group grow>
      {input('From', from, (value) => change([value, to, ...more]))}
      {input('To', to, (value) => change([from, value, ...more]))}
    </Group>
  );
}
