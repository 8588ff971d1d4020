import { Button, Grid as Columns, Group, Kbd, Menu, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert, Loaded, reportError } from '../../shell/Feedback.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { Editor } from './Editor.tsx';
import { History } from './History.tsx';
import { Preview } from './Preview.tsx';
import { Result } from './Result.tsx';
import { fileFormats } from './run.ts';
import { SaveDialogue } from './SaveDialogue.tsx';
import { SavedList, useMayChange } from './SavedList.tsx';
import { SchemaTree } from './SchemaTree.tsx';
import { Snippets } from './Snippets.tsx';
import { type SavedQuery, savedQuery } from './saved.ts';
import { useResults, useRun, useStatement, useTables } from './workbench.ts';

const example =
  'SELECT gene, count(*) AS variants\nFROM variant\nGROUP BY gene\nORDER BY variants DESC\nLIMIT 20';

const from = '/projects/$project/sql';

/** SQL over the tables of a project. The address may name a saved query, or hold a statement. */
export function Page() {
  const { project } = useParams({ from });
  const { sql = example, saved } = useSearch({ from });
  const query = useQuery({ ...savedQuery(project, saved ?? ''), enabled: saved !== undefined });
  const found = saved === undefined ? undefined : query.data;
  return (
    <Frame title="SQL">
      <MaskedNote project={project} />
      {saved !== undefined && <Loaded query={query}>{() => null}</Loaded>}
      <Workbench project={project} sql={sql} saved={found} />
    </Frame>
  );
}

interface Opened {
  project: string;
  sql: string;
  saved: SavedQuery | undefined;
}

function Workbench({ project, sql, saved }: Opened) {
  const [text, setText] = useStatement(sql, saved);
  const tables = useTables(project);
  const results = useResults();
  const work = useRun({ project, text, isSaved: saved !== undefined, open: results.open });
  return (
    <Columns>
      <Columns.Col span={{ base: 12, md: 3 }}>
        <Loaded query={tables.query}>
          {(list) => <SchemaTree tables={list} insert={(word) => setText(`${text}${word}`)} />}
        </Loaded>
      </Columns.Col>
      <Columns.Col span={{ base: 12, md: 9 }}>
        <Editor
          value={text}
          tables={tables.names}
          faultAt={work.faultAt}
          change={setText}
          run={() => void work.run()}
        />
        {saved && (
          <Text size="sm" mt="xs">
            Saved query: <b>{saved.name}</b>
            {text !== saved.statement && ' (changed)'}
          </Text>
        )}
        <Commands project={project} text={text} saved={saved} work={work} />
        {work.error && <ErrorAlert error={work.error} />}
        <Tabs value={results.tab} onChange={results.setTab} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="history">History</Tabs.Tab>
            <Tabs.Tab value="saved">Saved</Tabs.Tab>
            {results.ids.map((id, at) => (
              <Tabs.Tab key={id} value={id}>
                Result {at + 1}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="history" pt="sm">
            <History project={project} open={results.open} edit={setText} />
          </Tabs.Panel>
          <Tabs.Panel value="saved" pt="sm">
            <SavedList project={project} />
          </Tabs.Panel>
          {results.ids.map((id) => (
            <Tabs.Panel key={id} value={id} pt="sm">
              <Result
                queryId={id}
                downloads={id === work.downloaded}
                downloaded={work.endDownload}
                close={() => results.close(id)}
              />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Columns.Col>
    </Columns>
  );
}

interface CommandProps {
  project: string;
  text: string;
  saved: SavedQuery | undefined;
  work: ReturnType<typeof useRun>;
}

/** Buttons for the written statement, and their dialogues. */
function Commands({ project, text, saved, work }: CommandProps) {
  const navigate = useNavigate({ from });
  const mayChange = useMayChange(project);
  const [estimated, setEstimated] = useState<string>();
  const [showsPrograms, setShowsPrograms] = useState(false);
  const [saving, setSaving] = useState<'new' | 'opened'>();
  return (
    <>
      <Group mt="xs" mb="sm">
        <Button onClick={() => void work.run()} loading={work.isStarting}>
          Run
        </Button>
        {saved && mayChange(saved) && (
          <Button variant="default" onClick={() => setSaving('opened')}>
            Save
          </Button>
        )}
        <Button variant="default" onClick={() => setSaving('new')}>
          {saved ? 'Save as new…' : 'Save…'}
        </Button>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default">Download as…</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(['parquet', 'arrow', 'ndjson'] as const).map((format) => (
              <Menu.Item key={format} onClick={() => void work.run(format)}>
                {fileFormats[format].label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button variant="default" onClick={() => setShowsPrograms(true)}>
          Python, R
        </Button>
        <Button variant="default" onClick={() => setEstimated(text)}>
          Estimate
        </Button>
        <Button
          variant="default"
          onClick={() => void navigator.clipboard.writeText(location.href).catch(reportError)}
        >
          Copy address
        </Button>
        <Text size="sm" c="var(--soft)">
          <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd> runs
        </Text>
      </Group>
      {estimated === text && <Preview project={project} statement={estimated} />}
      {showsPrograms && <Snippets project={project} statement={text} close={() => setShowsPrograms(false)} />}
      {saving && (
        <SaveDialogue
          project={project}
          statement={text}
          replaces={saving === 'opened' ? saved : undefined}
          saved={({ id }) => void navigate({ search: { saved: id } })}
          close={() => setSaving(undefined)}
        />
      )}
    </>
  );
}
