import { Alert, Text } from '@mantine/core';
import type { Parameter } from '@ploidy/formats/statement-text';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../shell/Feedback.tsx';
import { preview } from './run.ts';

interface Props {
  project: string;
  statement: string;
  parameters: Parameter[];
}

/** Tables, columns and steps of a statement, before it runs. */
export function Preview({ project, statement, parameters }: Props) {
  const query = useQuery({
    queryKey: ['preview', project, statement, parameters],
    queryFn: () => preview(project, statement, parameters),
    retry: false,
  });
  return (
    <Loaded query={query}>
      {({ tables, masked, columns, estimatedRows, plan }) => (
        <Alert mb="sm" variant="light" color={masked ? 'yellow' : 'cyan'} title="Plan">
          <Text size="sm">
            Reads {tables.join(', ') || 'no table'}.{' '}
            {estimatedRows !== undefined && `Returns about ${rowsIn(estimatedRows)}. `}
            {masked && 'You see masked values.'}
          </Text>
          {columns && (
            <Text size="sm">Columns: {columns.map(({ name, type }) => `${name} (${type})`).join(', ')}</Text>
          )}
          {plan && (
            <ul className="plan" aria-label="Steps, the last one first">
              {plan.map(({ depth, step, estimatedRows: rows }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a plan never change
                <li key={at} style={{ marginInlineStart: `${depth * 1.25}rem` }}>
                  {step}
                  {rows !== undefined && <span className="plan-rows"> · about {rowsIn(rows)}</span>}
                </li>
              ))}
            </ul>
          )}
        </Alert>
      )}
    </Loaded>
  );
}

function rowsIn(count: number): string {
  const rows = Math.round(count);
  return `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'}`;
}
