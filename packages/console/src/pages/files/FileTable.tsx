import { Anchor, Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { account, api, take } from '../../api/client.ts';
import { bytesText, download } from '../../api/files.ts';
import { useMay } from '../../api/lists.ts';
import { serviceAddress } from '../../api/place.ts';
import { drsName, readsAddress, variantsAddress } from '../../connect/lines.ts';
import { notify, reportError } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import type { Doing, Entry } from './entry.ts';
import { FileDialogue } from './FileDialogue.tsx';

interface Props {
  project: string;
  prefix: string;
  items: Entry[];
  changed: () => void;
}

/** Files and folders of one level, with what may be done with each. */
export function FileTable({ project, prefix, items, changed }: Props) {
  const [chosen, setChosen] = useState<{ entry: Entry; doing: Doing }>();
  const may = {
    ingest: useMay('createData', { dataset: project, type: 'ingestion' }),
    rename: useMay('updateData', { dataset: project, type: 'file' }),
    delete: useMay('deleteData', { dataset: project, type: 'file' }),
  };
  const columns: Column<Entry>[] = [
    {
      name: 'name',
      value: ({ name }) => name.slice(prefix.length),
      render: (entry) =>
        entry.type === 'FOLDER' ? (
          <AnchorLink
            size="sm"
            to="/projects/$project/files"
            params={{ project }}
            search={{ prefix: entry.name }}
          >
            {entry.name.slice(prefix.length)}
          </AnchorLink>
        ) : (
          <Anchor component="button" size="sm" onClick={() => setChosen({ entry, doing: 'preview' })}>
            {entry.name.slice(prefix.length)}
          </Anchor>
        ),
    },
    {
      name: 'size',
      value: ({ size }) => size,
      render: ({ size }) => bytesText(size),
      numeric: true,
      width: 110,
    },
    { name: 'type', value: ({ contentType }) => contentType },
    { name: 'changed', value: ({ lastModified }) => lastModified, isTime: true },
    {
      name: 'actions',
      isAction: true,
      width: 90,
      value: () => '',
      render: (entry) =>
        entry.type === 'FILE' && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="compact-xs" variant="default" aria-label={`Actions for ${entry.name}`}>
                ⋯
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => void download(entry.id ?? '').catch(reportError)}>Download</Menu.Item>
              <Menu.Item onClick={() => copyText(drsName(here(project), entry.id ?? ''), 'DRS id')}>
                Copy DRS id
              </Menu.Item>
              {/\.vcf\.b?gz$/i.test(entry.name) && (
                <Menu.Item
                  onClick={() => copyText(variantsAddress(here(project), entry.id ?? ''), 'htsget address')}
                >
                  Copy htsget address
                </Menu.Item>
              )}
              {/\.(?:bam|cram)$/i.test(entry.name) && (
                <Menu.Item onClick={() => void copyReadsAddress(project, entry.id ?? '').catch(reportError)}>
                  Copy htsget address
                </Menu.Item>
              )}
              {may.ingest && (
                <Menu.Item onClick={() => setChosen({ entry, doing: 'ingest' })}>Ingest</Menu.Item>
              )}
              {may.rename && (
                <Menu.Item onClick={() => setChosen({ entry, doing: 'rename' })}>Rename or move</Menu.Item>
              )}
              {may.delete && (
                <Menu.Item color="red" onClick={() => setChosen({ entry, doing: 'delete' })}>
                  Delete
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        ),
    },
  ];
  return (
    <>
      <Grid name="Files" columns={columns} rows={items} />
      {chosen && (
        <FileDialogue project={project} {...chosen} changed={changed} close={() => setChosen(undefined)} />
      )}
    </>
  );
}

const here = (project: string) => ({ origin: serviceAddress, account: account(), project });

function copyText(text: string, what: string): void {
  void navigator.clipboard.writeText(text).then(() => notify(`The ${what} is copied.`), reportError);
}

/** Copies the address of the reads that were ingested from a file. */
async function copyReadsAddress(project: string, fileId: string): Promise<void> {
  const { readGroupSets } = await take(
    api.POST('/{account}/v1/readgroupsets/search', {
      params: { path: { account: account() } },
      body: { datasetIds: [project] },
    }),
  );
  const set = readGroupSets.find((one) => one.fileId === fileId);
  if (set) copyText(readsAddress(here(project), set.id), 'htsget address');
  else notify('Ingest the file first: its reads then have an address.');
}
