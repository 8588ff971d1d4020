import { Accordion, Button, Group, ScrollArea, Text } from '@mantine/core';

interface Table {
  table: string;
  description: string;
  columns: { name: string; type: string; description?: string }[];
}

/** Tables of a project with their columns; a click writes a name into the statement. */
export function SchemaTree({ tables, insert }: { tables: Table[]; insert: (word: string) => void }) {
  if (tables.length === 0) return <Text size="sm">No table yet: ingest a file first.</Text>;
  return (
    <ScrollArea.Autosize mah={640} viewportProps={{ tabIndex: 0, 'aria-label': 'Tables', role: 'region' }}>
      <Accordion variant="contained" multiple>
        {tables.map(({ table, description: meaning, columns }) => (
          <Accordion.Item key={table} value={table}>
            <Accordion.Control>
              <Text size="sm" fw={600}>
                {table}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Button size="compact-xs" variant="default" mb={4} onClick={() => insert(table)}>
                Insert {table}
              </Button>
              <Text size="xs" c="var(--soft)" mb={4}>
                {meaning}
              </Text>
              {columns.map(({ name, type, description }) => (
                <div key={name}>
                  <Group justify="space-between" gap={4} wrap="nowrap">
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      color="gray"
                      c="var(--mantine-color-text)"
                      onClick={() => insert(name)}
                    >
                      {name}
                    </Button>
                    <Text size="xs" c="var(--soft)">
                      {type}
                    </Text>
                  </Group>
                  {description && (
                    <Text size="xs" c="var(--soft)" pl={8}>
                      {description}
                    </Text>
                  )}
                </div>
              ))}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </ScrollArea.Autosize>
  );
}
