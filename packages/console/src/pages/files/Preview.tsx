import { Button, Code, Modal, ScrollArea, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { bytesText, download, firstBytes } from '../../api/files.ts';
import { Loaded, reportError } from '../../shell/Feedback.tsx';
import { CsvRows } from '../../table/csv.ts';
import { Grid } from '../../table/Grid.tsx';
import { textIn } from './content.ts';
import type { Entry } from './entry.ts';

const shownBytesMax = 256 * 1024;
const imageBytesMax = 20 * 1024 * 1024;

/** The beginning of a file: a picture, a table, a text, or the header of a packed file. */
export function Preview({ entry, close }: { entry: Entry; close: () => void }) {
  const { id = '', name, size } = entry;
  const isImage = /\.(?:png|jpe?g|gif|webp)$/i.test(name);
  const query = useQuery({
    queryKey: ['preview', id, entry.lastModified],
    queryFn: () => firstBytes(id, isImage ? imageBytesMax : shownBytesMax),
  });
  return (
    <Modal opened onClose={close} title={name} size="80%" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text size="sm" mb="sm">
        {bytesText(size)}{' '}
        <Button size="compact-xs" variant="default" onClick={() => void download(id).catch(reportError)}>
          Download
        </Button>
      </Text>
      <Loaded query={query}>
        {(bytes) =>
          isImage ? (
            <Picture bytes={bytes} name={name} />
          ) : /\.csv$/i.test(name) ? (
            <Table bytes={bytes} name={name} />
          ) : (
            <Beginning bytes={bytes} />
          )
        }
      </Loaded>
    </Modal>
  );
}

function Picture({ bytes, name }: { bytes: Uint8Array<ArrayBuffer>; name: string }) {
  const address = useMemo(() => URL.createObjectURL(new Blob([bytes])), [bytes]);
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  return <img src={address} alt={name} style={{ maxWidth: '100%' }} />;
}

function Table({ bytes, name }: { bytes: Uint8Array; name: string }) {
  const rows = useMemo(() => new CsvRows(bytes), [bytes]);
  const columns = rows.headings.map((heading, at) => ({
    name: heading || `column ${at + 1}`,
    value: (cells: (string | null)[]) => cells[at],
  }));
  return <Grid name={name} isAsWritten columns={columns} rows={rows} heightMax={480} />;
}

function Beginning({ bytes }: { bytes: Uint8Array<ArrayBuffer> }) {
  const query = useQuery({ queryKey: ['text', bytes], queryFn: () => textIn(bytes) });
  return (
    <Loaded query={query}>
      {(text) =>
        text === '' ? (
          <Text>There is no preview of this kind of file.</Text>
        ) : (
          <ScrollArea.Autosize
            mah={520}
            viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Preview' }}
          >
            <Code block>{text}</Code>
          </ScrollArea.Autosize>
        )
      }
    </Loaded>
  );
}
