import { Button, Grid as Columns, Group, Kbd, Menu, Tabs, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { schema } from '../../api/lists.ts';
import { ErrorAlert, Loaded, tellError } from '../../shell/Feedback.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { Editor } from './Editor.tsx';
import { History } from './History.tsx';
import { Preview } from './Preview.tsx';
import { positionIn } from './position.ts';
import { Result } from './Result.tsx';
import { fileFormats, start } from './run.ts';
import { SaveDialogue } from './SaveDialogue.tsx';
import { SavedList, useMayChange } from './SavedList.tsx';
import { SchemaTree } from './SchemaTree.tsx';
import { Snippets } from './Snippets.tsx';
import { type SavedQuery, savedQuery } from './saved.ts';

const example =
  'SELECT gene, count(*) AS variants\nFROM variant\nGROUP BY gene\nORDER BY variants DESC\nLIMIT 20';

/** SQL over the tables of a project. The address may name a saved query, or hold a statement. */
export function Page() {
  const { project = '' } = useParams({ strict: false });
  const { sql = example, saved } = useSearch({ strict: false }) as Record<string, string | undefined>;
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
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [text, setText] = useState(sql);
  const [results, setResults] = useState<string[]>([]);
  const [wanted, setWanted] = useState<string>();
  const [tab, setTab] = useState<string | null>('history');
  const [problem, setProblem] = useState<{ error: Error; statement: string }>();
  const [starting, setStarting] = useState(false);
  const [previewed, setPreviewed] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the saved text leaves the written one
  useEffect(() => {
    if (saved) setText(saved.statement);
  }, [saved?.id]);
  const [showsPrograms, setShowsPrograms] = useState(false);
  const [saving, setSaving] = useState<'new' | 'opened'>();
  const mayChange = useMayChange(project);
  const tables = useQuery(schema(project));
  const names = useMemo(
    () =>
      Object.fromEntries(
        (tables.data ?? []).map(({ table, columns }) => [table, columns.map((one) => one.name)]),
      ),
    [tables.data],
  );
  const open = (queryId: string): void => {
    setResults((all) => (all.includes(queryId) ? all : [...all, queryId]));
    setTab(queryId);
  };
  const run = async (format?: keyof typeof fileFormats): Promise<void> => {
    setProblem(undefined);
    setStarting(true);
    // The address holds the statement, so that it can be shared; a saved one by its id.
    if (saved === undefined)
      void navigate({ to: '.', search: { sql: text } as never, replace: true, resetScroll: false });
    try {
      const id = await start(project, text, format);
      if (format) setWanted(id);
      open(id);
      await queries.invalidateQueries({ queryKey: ['queries', project] });
    } catch (error) {
      setProblem({ error: error as Error, statement: text });
    } finally {
      setStarting(false);
    }
  };
  const closeTab = (id: string): void => {
    setResults((all) => all.filter((one) => one !== id));
    setTab('history');
  };
  return (
    <Columns>
      <Columns.Col span={{ base: 12, md: 3 }}>
        <Loaded query={tables}>
          {(list) => <SchemaTree tables={list} insert={(word) => setText(`${text}${word}`)} />}
        </Loaded>
      </Columns.Col>
      <Columns.Col span={{ base: 12, md: 9 }}>
        <Editor
          value={text}
          tables={names}
          faultAt={problem && positionIn(problem.statement, problem.error.message)}
          change={setText}
          run={() => void run()}
        />
        {saved && (
          <Text size="sm" mt="xs">
            Saved query: <b>{saved.name}</b>
            {text !== saved.statement && ' (changed)'}
          </Text>
        )}
        <Group mt="xs" mb="sm">
          <Button onClick={() => void run()} loading={starting}>
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
                <Menu.Item key={format} onClick={() => void run(format)}>
                  {fileFormats[format].label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <Button variant="default" onClick={() => setShowsPrograms(true)}>
            Python, R
          </Button>
          <Button variant="default" onClick={() => setPreviewed(text)}>
            Estimate
          </Button>
          <Button variant="default" onClick={() => void copy(location.href).catch(tellError)}>
            Copy address
          </Button>
          <Text size="sm" c="var(--soft)">
            <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd> runs
          </Text>
        </Group>
        {problem && <ErrorAlert error={problem.error} />}
        {previewed !== undefined && <Preview project={project} statement={previewed} />}
        <Tabs value={tab} onChange={setTab} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="history">History</Tabs.Tab>
            <Tabs.Tab value="saved">Saved</Tabs.Tab>
            {results.map((id, at) => (
              <Tabs.Tab key={id} value={id}>
                Result {at + 1}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="history" pt="sm">
            <History project={project} open={open} edit={setText} />
          </Tabs.Panel>
          <Tabs.Panel value="saved" pt="sm">
            <SavedList project={project} />
          </Tabs.Panel>
          {results.map((id) => (
            <Tabs.Panel key={id} value={id} pt="sm">
              <Result
                queryId={id}
                downloads={id === wanted}
                downloaded={() => setWanted(undefined)}
                close={() => closeTab(id)}
              />
            </Tabs.Panel>
          ))}
        </Tabs>
        {showsPrograms && (
          <Snippets project={project} statement={text} close={() => setShowsPrograms(false)} />
        )}
        {saving && (
          <SaveDialogue
            project={project}
            statement={text}
            replaces={saving === 'opened' ? saved : undefined}
            saved={({ id }) => void navigate({ to: '.', search: { saved: id } as never })}
            close={() => setSaving(undefined)}
          />
        )}
      </Columns.Col>
    </Columns>
  );
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
