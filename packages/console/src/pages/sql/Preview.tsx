import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../shell/Feedback.tsx';
import { preview } from './run.ts';

/** Tables and columns that a statement will read and return. */
export function Preview({ project, statement }: { project: string; statement: string }) {
  const query = useQuery({
    queryKey: ['preview', project, statement],
    queryFn: () => preview(project, statement),
    retry: false,
  });
  return (
    <Loaded query={query}>
      {({ tables, masked, columns, estimatedRows }) => (
        <Alert mb="sm" variant="light" color={masked ? 'yellow' : 'cyan'} title="Estimate">
          <Text size="sm">
            Reads {tables.join(', ') || 'no table'}.{' '}
            {estimatedRows !== undefined && `About ${Math.round(estimatedRows).toLocaleString()} rows. `}
            {masked && 'You see masked values.'}
          </Text>
          {columns && (
            <Text size="sm">Columns: {columns.map(({ name, type }) => `${name} (${type})`).join(', ')}</Text>
          )}
        </Alert>
      )}
    </Loaded>
  );
}
