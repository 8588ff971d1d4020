import { Checkbox, Select, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { ColumnSniffer } from '@ploidy/formats/column-types';
import { fieldsOf, isOpen } from '@ploidy/formats/delimited';
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
  return <Loaded query={query}>{(found) => <Choices beginning={found} change={change} />}</Loaded>;
}

function Choices({ beginning, change }: { beginning: Beginning; change: (wishes: TableWishes) => void }) {
  const { titles, rows, types } = beginning;
  const [name, setName] = useState('');
  const [patient, setPatient] = useState(() => proposed(titles, patientTitles));
  const [sample, setSample] = useState(() => proposed(titles, sampleTitles));
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
        {Math.min(shownRowsMax, rows.length)} rows, with the types that the first {rows.length} rows have.
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

/** Titles that tables of studies have for the ids of patients and samples, without marks and case. */
const patientTitles = [
  ...['patientid', 'subjectid', 'usubjid', 'participantid', 'individualid', 'caseid', 'recordid', 'patient'],
  ...['subject', 'participant', 'mrn', 'pid'],
];
const sampleTitles = ['sampleid', 'sample', 'tumorsamplebarcode', 'samplename', 'aliquotid', 'biosampleid'];

function proposed(titles: string[], known: string[]): string | null {
  const plain = titles.map((title) => title.toLowerCase().replace(/[^a-z]/g, ''));
  const place = known.map((name) => plain.indexOf(name)).find((at) => at >= 0);
  return place === undefined ? null : (titles[place] ?? null);
}

/** Reads whole rows from the first bytes of a file; the last row may be cut, and is left out where more follows. */
function beginningOf(bytes: Uint8Array): Beginning {
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
  if (bytes.length === readBytes) lines.pop();
  const records: string[] = [];
  for (const line of lines) {
    const last = records.at(-1);
    if (last !== undefined && isOpen(last)) records[records.length - 1] = `${last}\n${line}`;
    else if (line !== '') records.push(line);
  }
  const [header = '', ...others] = records;
  const separators = ['\t', ';', ','] as const;
  const parts = (separator: (typeof separators)[number]): number => header.split(separator).length;
  const separator = parts('\t') > 1 ? '\t' : parts(';') > parts(',') ? ';' : ',';
  const titles = fieldsOf(header, separator);
  const rows = others.map((record) => fieldsOf(record, separator));
  const types = titles.map((_, at) => {
    const sniffer = new ColumnSniffer();
    for (const [line, cells] of rows.entries()) sniffer.add(cells[at] ?? '', line + 2);
    return sniffer.result().type;
  });
  return { titles, rows, types };
}
