import { Group, Select, TextInput } from '@mantine/core';
import { type Parameter, parameterFault, parameterTypes } from '@ploidy/formats/statement-text';

interface Props {
  /** Names in the text, each once. */
  names: string[];
  values: Parameter[];
  change: (values: Parameter[]) => void;
}

/** Types and values of the parameters of a text. A value stays when its name leaves the text and returns. */
export function Parameters({ names, values, change }: Props) {
  const set = (next: Parameter): void => change([...values.filter(({ name }) => name !== next.name), next]);
  return (
    <Group mt="xs" align="start" role="group" aria-label="Parameters">
      {names.map((name) => {
        const value = parameterOf(name, values);
        const fault = value.value === '' ? undefined : parameterFault(value);
        return (
          <Group key={name} gap={4} align="start" wrap="nowrap">
            <TextInput
              size="xs"
              label={`$${name}`}
              value={value.value}
              error={fault && `It ${fault}.`}
              onChange={(event) => set({ ...value, value: event.currentTarget.value })}
            />
            <Select
              size="xs"
              w={100}
              label="Type"
              aria-label={`Type of $${name}`}
              data={[...parameterTypes]}
              value={value.type}
              allowDeselect={false}
              onChange={(type) => set({ ...value, type: type as Parameter['type'] })}
            />
          </Group>
        );
      })}
    </Group>
  );
}

/** Returns the value of a name; an empty text before a value is written. */
export function parameterOf(name: string, values: Parameter[]): Parameter {
  return values.find((one) => one.name === name) ?? { name, type: 'text', value: '' };
}
