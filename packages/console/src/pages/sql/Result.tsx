import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ClientError } from '@ploidy/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { download } from '../../api/files.ts';
import type { Query } from '../../api/work.ts';
import { ErrorAlert, Loaded, reportError } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import type { CsvRows } from '../../table/csv.ts';
import { Grid } from '../../table/Grid.tsx';
import { PagedGrid } from '../../table/PagedGrid.tsx';
import { rowsOf } from '../../table/pages.ts';
import { ChartBuilder, chartedRowsMax } from './ChartBuilder.tsx';
import { cancel, result, state } from './run.ts';

interface Props {
  queryId: string;
  /** Time on the clock of the window; absent for a query that it did not start. */
  startedAt: number | undefined;
  /** Set if the file is downloaded as soon as it exists. */
  downloads: boolean;
  downloaded: () => void;
  close: () => void;
}

/** A query that runs or has ended: its progress, its rows, or why there are none. */
export function Result({ queryId, startedAt, downloads, downloaded, close }: Props) {
  const query = useQuery({
    queryKey: ['query', queryId],
    queryFn: () => state(queryId),
    refetchInterval: ({ state: { data } }) => (data === undefined || data.state === 'running' ? 400 : false),
  });
  const fileId = downloads && query.data?.state === 'succeeded' ? query.data.resultFileId : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file
  useEffect(() => {
    if (fileId === undefined) return;
    downloaded();
    void download(fileId).catch(reportError);
  }, [fileId]);
  return (
    <Loaded query={query}>
      {(found) => (
        <Stack gap="xs">
          <Group justify="space-between">
            <Text size="sm">
              {found.state}
              {found.endTime !== undefined &&
                ` in ${((found.endTime - found.startTime) / 1000).toFixed(2)} s`}
              {found.state === 'running' && <Elapsed query={found} startedAt={startedAt} />}
            </Text>
            <Group gap="xs">
              {found.state === 'running' && (
                <Button size="xs" color="red.9" onClick={() => void cancel(queryId).catch(reportError)}>
                  Cancel
                </Button>
              )}
              <Button size="xs" variant="default" onClick={close}>
                Close tab
              </Button>
            </Group>
          </Group>
          {found.state === 'running' && (
            <Progress value={(found.progress ?? 0) * 100} animated aria-label="Progress of the query" />
          )}
          {found.error && (
            <ErrorAlert error={new ClientError(found.error.message, { ...found.error, status: 422 })} />
          )}
          {found.state === 'succeeded' && <Rows query={found} />}
        </Stack>
      )}
    </Loaded>
  );
}

/** Time since a query began: on the clock of the window, which may differ from that of the service; else its start. */
function Elapsed({ query, startedAt }: { query: Query; startedAt: number | undefined }) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  if (startedAt === undefined) return ` since ${new Date(query.startTime).toLocaleTimeString()}`;
  return ` for ${(Math.max(0, now - startedAt) / 1000).toFixed(1)} s`;
}

function Rows({ query }: { query: Query }) {
  const found = useQuery({
    queryKey: ['result', query.id],
    queryFn: () => result(query),
    staleTime: Infinity,
  });
  return (
    <Loaded query={found}>
      {(result) =>
        'pages' in result ? (
          <PagedResult file={result.pages} rowCount={query.rowCount} />
        ) : 'rows' in result ? (
          <ResultGrid rows={result.rows} />
        ) : (
          <ResultFile query={query} />
        )
      }
    </Loaded>
  );
}

function PagedResult({ file, rowCount }: { file: string; rowCount: number | undefined }) {
  const [charted, { toggle }] = useDisclosure();
  return (
    <Stack>
      <PagedGrid name="Result" file={file} rowCount={rowCount}>
        <ChartButton charted={charted} toggle={toggle} />
      </PagedGrid>
      {charted && <PagedChart file={file} />}
    </Stack>
  );
}

function PagedChart({ file }: { file: string }) {
  const query = useQuery({
    queryKey: ['charted', file],
    queryFn: () => rowsOf(file, { filters: [], search: '', orderBy: [] }, 0, chartedRowsMax),
    staleTime: Infinity,
  });
  return (
    <Loaded query={query}>
      {({ columns, rows }) => <ChartBuilder headings={columns.map(({ name }) => name)} rows={rows} />}
    </Loaded>
  );
}

function ChartButton({ charted, toggle }: { charted: boolean; toggle: () => void }) {
  return (
    <Button size="xs" variant="default" onClick={toggle} aria-expanded={charted}>
      Chart
    </Button>
  );
}

function ResultFile({ query }: { query: Query }) {
  const { resultFileId = '', outputFileName, rowCount } = query;
  return (
    <Group>
      <Text size="sm">
        {rowCount} rows in {outputFileName}
      </Text>
      <Button size="xs" variant="default" onClick={() => void download(resultFileId).catch(reportError)}>
        Download
      </Button>
    </Group>
  );
}

function ResultGrid({ rows }: { rows: CsvRows }) {
  const [charted, { toggle }] = useDisclosure();
  const columns = useMemo(() => columnsOf(rows), [rows]);
  return (
    <Stack>
      <Grid name="Result" isAsWritten columns={columns} rows={rows}>
        <ChartButton charted={charted} toggle={toggle} />
      </Grid>
      {charted && <ChartBuilder headings={rows.headings} rows={firstOf(rows)} />}
    </Stack>
  );
}

const firstOf = (rows: CsvRows): Cells[] =>
  Array.from({ length: Math.min(rows.length, chartedRowsMax) }, (_, at) => rows.at(at));

type Cells = (string | null)[];

/** A column is of numbers where its first values are. */
function columnsOf(rows: CsvRows): Column<Cells>[] {
  const sample = Array.from({ length: Math.min(rows.length, 50) }, (_, at) => rows.at(at));
  return rows.headings.map((name, at) => {
    const values = sample.map((cells) => cells[at]).filter((value) => value != null);
    const numeric = values.length > 0 && values.every((value) => !Number.isNaN(Number(value)));
    return { name: uniqueName(rows.headings, at, name), value: (cells) => cells[at], numeric };
  });
}

function uniqueName(names: string[], at: number, name: string): string {
  return names.indexOf(name) === at ? name : `${name} (${at + 1})`;
}
