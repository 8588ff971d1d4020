import { Checkbox, Select, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { ColumnSniffer } from '@ploidy/formats/column-types';
import {
  Header,
  layoutOf,
  otherSampleColumns,
  patientColumns,
  RecordReader,
  sampleColumns,
} from '@ploidy/formats/delimited';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { firstBytes } from '../../api/files.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import type { Entry } from './entry.ts';

/** Definition of a table for an ingestion. */
export interface TableWishes {
  name?: string;
  patientColumn?: string;
  sampleColumn?: string;
  columns?: { name: string; mask: 'none' }[];
}

const readBytes = 64 * 1024;
const shownRowsMax = 20;

/** Beginning of a delimited file. */
interface Beginning {
  titles: string[];
  rows: string[][];
  types: string[];
  /** Proposed columns. */
  patient: string | null;
  sample: string | null;
}

interface Props {
  entry: Entry;
  change: (wishes: TableWishes) => void;
}

/** The first rows of a file that becomes a table, with the types of its columns; asks for the columns of patients and samples. */
export function TablePreview({ entry, change }: Props) {
  const query = useQuery({
    queryKey: ['table-preview', entry.id, entry.lastModified],
    queryFn: async () => beginningOf(await firstBytes(entry.id ?? '', readBytes)),
  });
  return (
    <Loaded query={query}>
      {(found) =>
        found ? (
          <Choices beginning={found} change={change} />
        ) : (
          <Text size="sm" role="status">
            Only plain CSV and TSV files are shown here. The ingestion finds the columns of this one.
          </Text>
        )
      }
    </Loaded>
  );
}

function Choices({ beginning, change }: { beginning: Beginning; change: (wishes: TableWishes) => void }) {
  const { titles, rows, types } = beginning;
  const [name, setName] = useState('');
  const [patient, setPatient] = useState(beginning.patient);
  const [sample, setSample] = useState(beginning.sample);
  const [open, setOpen] = useState<string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: called for what is chosen
  useEffect(() => {
    change({
      ...(name && { name }),
      ...(patient !== null && { patientColumn: patient }),
      ...(sample !== null && { sampleColumn: sample }),
      ...(open.length > 0 && { columns: open.map((title) => ({ name: title, mask: 'none' as const })) }),
    });
  }, [name, patient, sample, open]);
  const others = titles.filter((title) => title !== '' && title !== patient && title !== sample);
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label="Name of the table"
          placeholder="that of the file"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ColumnChoice label="Column with the patient" titles={titles} value={patient} set={setPatient} />
        <ColumnChoice label="Column with the sample" titles={titles} value={sample} set={setSample} />
      </SimpleGrid>
      {patient === null && sample === null && (
        <Text size="sm" role="status">
          Without a column of patients or samples, the rows belong to no subject: charts and cohorts leave
          them out.
        </Text>
      )}
      <Table.ScrollContainer minWidth={0} maxHeight={260} scrollAreaProps={region}>
        <Table striped withTableBorder fz="xs" aria-label="First rows">
          <Table.Thead>
            <Table.Tr>
              {titles.map((title, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: titles may repeat, and never move
                <Table.Th key={at}>
                  <bdi>{title || `column ${at + 1}`}</bdi>
                  <Text size="xs" c="var(--soft)">
                    {types[at]}
                  </Text>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, shownRowsMax).map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
              <Table.Tr key={row}>
                {titles.map((_, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells never move
                  <Table.Td key={at}>{cells[at]}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="var(--soft)">
        {rows.length > shownRowsMax && `The first ${shownRowsMax} rows. `}
        Types are those of the first {rows.length.toLocaleString()} {rows.length === 1 ? 'row' : 'rows'}.
        Every row decides when the file is ingested.
      </Text>
      <Checkbox.Group
        label="Columns that readers of masked data see"
        description="All others are empty for them; patients and samples are hashed."
        value={open}
        onChange={setOpen}
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }} mt="xs" spacing="xs">
          {others.map((title) => (
            <Checkbox key={title} value={title} label={title} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </>
  );
}

const region = { viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'First rows of the file' } };

interface ChoiceProps {
  label: string;
  titles: string[];
  value: string | null;
  set: (title: string | null) => void;
}

function ColumnChoice({ label, titles, value, set }: ChoiceProps) {
  const data = [...new Set(titles.filter((title) => title !== ''))];
  return (
    <Select
      label={label}
      placeholder="no column"
      data={data}
      value={value}
      onChange={set}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `No ${label.toLowerCase()}` }}
    />
  );
}

/**
 * Reads the beginning as an ingestion does; the last record may be cut, and is left out where more follows. Null for packed
 * files and objects of JSON. Throws `InputError`.
 */
function beginningOf(bytes: Uint8Array): Beginning | null {
  const whole = bytes.length < readBytes ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  const text = new TextDecoder().decode(whole);
  if (text.includes('\0') || /^\s*(?:[{[]|$)/.test(text)) return null;
  const layout = layoutOf(text);
  let header: Header | undefined;
  const rows: string[][] = [];
  const sniffers: ColumnSniffer[] = [];
  const reader = new RecordReader(layout.delimiter, layout.linesBefore, {
    record: (fields, line) => {
      if (!header) {
        header = new Header(fields);
        return;
      }
      const cells = fields.map((field) => field.trim());
      rows.push(cells);
      for (const [place, cell] of cells.entries()) {
        sniffers[place] ??= new ColumnSniffer();
        if (cell !== '') sniffers[place].add(cell, line);
      }
    },
    // The ingestion names the line.
    fault: () => undefined,
  });
  reader.add(whole);
  if (whole === bytes) reader.end();
  const titled = header ?? new Header([]);
  const { names } = titled;
  const types = names.map((_, place) =>
    layout.textColumns.has(place) ? 'string' : (sniffers[place]?.result().type ?? 'string'),
  );
  const named = (list: readonly string[]): string | null => names[titled.place(...list)] ?? null;
  return {
    ...{ titles: [...names], rows, types, patient: named(patientColumns) },
    sample: named([...sampleColumns, ...otherSampleColumns]),
  };
}
