import { ActionIcon, Button, Group, Popover, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../shell/Feedback.tsx';
import { type Choice, type ResultFilter, resultSummary } from './pages.ts';
import { textOf } from './shown.tsx';

const comparisons: Record<ResultFilter['comparison'], string> = {
  contains: 'contains',
  equals: '=',
  notEquals: '≠',
  notLess: '≥',
  notGreater: '≤',
  missing: 'is missing',
  present: 'is present',
};

/** Returns a condition in words. */
export const wordsOf = ({ column, comparison, value = '' }: ResultFilter): string =>
  `${column} ${comparisons[comparison]} ${value}`.trim();

interface Props {
  file: string;
  choice: Choice;
  column: string;
  add: (filter: ResultFilter) => void;
}

/** Measures of a column among the chosen rows, and a condition on it. */
export function ColumnPanel(props: Props) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <ActionIcon
          size={24}
          variant="subtle"
          color="gray"
          aria-label={`About ${props.column}`}
          onClick={() => setOpened(!opened)}
        >
          ⋯
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>{opened && <About {...props} close={() => setOpened(false)} />}</Popover.Dropdown>
    </Popover>
  );
}

function About({ file, choice, column, add, close }: Props & { close: () => void }) {
  const query = useQuery(resultSummary(file, choice, column));
  const [comparison, setComparison] = useState<ResultFilter['comparison']>('contains');
  const [value, setValue] = useState('');
  const needsValue = comparison !== 'missing' && comparison !== 'present';
  return (
    <Stack gap="xs" w={280}>
      <Text fw={600} size="sm" truncate>
        {column}
      </Text>
      <Loaded query={query}>{({ rowCount, measures }) => <Measures {...{ rowCount, ...measures }} />}</Loaded>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add({ column, comparison, ...(needsValue && { value }) });
          close();
        }}
      >
        <Stack gap="xs">
          <Select
            size="xs"
            label="Keep rows where the value"
            data={Object.entries(comparisons).map(([value, label]) => ({ value, label }))}
            value={comparison}
            onChange={(next) => setComparison(next as ResultFilter['comparison'])}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
          {needsValue && (
            <TextInput
              size="xs"
              aria-label="Value"
              value={value}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end">
            <Button size="xs" type="submit" disabled={needsValue && value === ''}>
              Add filter
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}

type MeasuresProps = { rowCount: number } & Partial<
  Record<'missing' | 'distinct' | 'min' | 'max' | 'median', unknown>
>;

function Measures({ rowCount, ...measures }: MeasuresProps) {
  const lines = [
    ['Rows', rowCount],
    ['Missing', measures.missing],
    ['Distinct', measures.distinct],
    ['Smallest', measures.min],
    ['Median', measures.median],
    ['Largest', measures.max],
  ] as const;
  return (
    <Table withRowBorders={false} verticalSpacing={2} aria-label="Measures">
      <Table.Tbody>
        {lines
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([word, value]) => (
            <Table.Tr key={word}>
              <Table.Th>{word}</Table.Th>
              <Table.Td ta="right" style={{ overflowWrap: 'anywhere' }}>
                {typeof value === 'number' ? value.toLocaleString() : textOf(value)}
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
