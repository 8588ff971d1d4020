import { Button, Grid as Columns, Group, Kbd, Menu, Tabs, Text } from '@mantine/core';
import { formatted, parameterNames, statementsIn } from '@ploidy/formats/statement-text';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { ErrorAlert, Loaded, reportError } from '../../shell/Feedback.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { chosenIn, useDraft } from './draft.ts';
import { Editor } from './Editor.tsx';
import { History } from './History.tsx';
import { Parameters, parameterOf } from './Parameters.tsx';
import { Preview } from './Preview.tsx';
import { Result } from './Result.tsx';
import { fileFormats } from './run.ts';
import { SaveDialogue } from './SaveDialogue.tsx';
import { SavedList, useMayChange } from './SavedList.tsx';
import { SchemaTree } from './SchemaTree.tsx';
import { Snippets } from './Snippets.tsx';
import { type SavedQuery, savedQuery } from './saved.ts';
import { useResults, useRun, useTables, valuesFor } from './workbench.ts';

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
      <Workbench key={project} project={project} sql={sql} savedId={saved} saved={found} />
    </Frame>
  );
}

interface Opened {
  project: string;
  sql: string;
  savedId: string | undefined;
  saved: SavedQuery | undefined;
}

function Workbench({ project, sql, savedId, saved }: Opened) {
  const { text, setText, parameters, setParameters } = useDraft({ project, sql, savedId, saved });
  const [selected, select] = useState({ from: 0, to: 0 });
  const tables = useTables(project);
  const results = useResults();
  const names = parameterNames(text);
  const values = names.map((name) => parameterOf(name, parameters));
  const work = useRun({
    project,
    text,
    parameters: values,
    isSaved: saved !== undefined,
    open: results.open,
  });
  const all = statementsIn(text);
  const chosen = chosenIn(text, selected);
  return (
    <Columns>
      <Columns.Col span={{ base: 12, md: 3 }} order={{ base: 2, md: 1 }}>
        <Loaded query={tables.query}>
          {(list) => <SchemaTree tables={list} insert={(word) => setText(`${text}${word}`)} />}
        </Loaded>
      </Columns.Col>
      <Columns.Col span={{ base: 12, md: 9 }} order={{ base: 1, md: 2 }}>
        <Editor
          value={text}
          tables={tables.names}
          faultAt={work.faultAt}
          change={setText}
          select={select}
          run={() => void work.run(chosen)}
          runAll={() => void work.run(all)}
        />
        {names.length > 0 && <Parameters names={names} values={parameters} change={setParameters} />}
        {saved && (
          <Text size="sm" mt="xs">
            Saved query: <b>{saved.name}</b>
            {text !== saved.statement && ' (changed)'}
          </Text>
        )}
        <Group mt="xs" gap="xs">
          <Button onClick={() => void work.run(chosen)} loading={work.isStarting} disabled={all.length === 0}>
            Run
          </Button>
          {all.length > 1 && (
            <Button variant="default" onClick={() => void work.run(all)} disabled={work.isStarting}>
              Run all {all.length}
            </Button>
          )}
          <Button variant="default" onClick={() => setText(formatted(text))}>
            Format
          </Button>
          <Text size="sm" c="var(--soft)">
            <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd> runs {all.length > 1 ? 'the statement at the cursor' : ''}
          </Text>
        </Group>
        <Commands
          project={project}
          text={text}
          statement={chosen[0]?.text ?? ''}
          explain={(statement) => ({ statement, parameters: valuesFor(statement, values) })}
          saved={saved}
          download={(format) => void work.run(chosen.slice(0, 1), format)}
        />
        {work.error && <ErrorAlert error={work.error} />}
        <ResultTabs project={project} results={results} edit={setText} work={work} />
      </Columns.Col>
    </Columns>
  );
}

interface ResultTabsProps {
  project: string;
  results: ReturnType<typeof useResults>;
  edit: (statement: string) => void;
  work: Pick<ReturnType<typeof useRun>, 'downloaded' | 'endDownload'>;
}

function ResultTabs({ project, results, edit, work }: ResultTabsProps) {
  return (
    <Tabs value={results.tab} onChange={results.setTab} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="history">History</Tabs.Tab>
        <Tabs.Tab value="saved">Saved</Tabs.Tab>
        {results.all.map(({ id }, at) => (
          <Tabs.Tab key={id} value={id}>
            Result {at + 1}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="history" pt="sm">
        <History project={project} open={results.open} edit={edit} />
      </Tabs.Panel>
      <Tabs.Panel value="saved" pt="sm">
        <SavedList project={project} />
      </Tabs.Panel>
      {results.all.map(({ id, startedAt }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <Result
            queryId={id}
            startedAt={startedAt}
            downloads={id === work.downloaded}
            downloaded={work.endDownload}
            close={() => results.close(id)}
          />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

type Explained = Omit<ComponentProps<typeof Preview>, 'project'>;

interface CommandProps {
  project: string;
  text: string;
  /** Statement at the cursor. */
  statement: string;
  explain: (statement: string) => Explained;
  saved: SavedQuery | undefined;
  download: (format: keyof typeof fileFormats) => void;
}

/** Buttons for the written text, and their dialogues. */
function Commands({ project, text, statement, explain, saved, download }: CommandProps) {
  const navigate = useNavigate({ from });
  const mayChange = useMayChange(project);
  const [explained, setExplained] = useState<Explained>();
  const [showsPrograms, setShowsPrograms] = useState(false);
  const [saving, setSaving] = useState<'new' | 'opened'>();
  return (
    <>
      <Group mt="xs" mb="sm" gap="xs">
        {saved && mayChange(saved) && (
          <Button size="xs" variant="default" onClick={() => setSaving('opened')}>
            Save
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setSaving('new')}>
          {saved ? 'Save as new…' : 'Save…'}
        </Button>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button size="xs" variant="default">
              Download as…
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(['parquet', 'arrow', 'ndjson'] as const).map((format) => (
              <Menu.Item key={format} onClick={() => download(format)}>
                {fileFormats[format].label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button size="xs" variant="default" onClick={() => setShowsPrograms(true)}>
          Python, R
        </Button>
        <Button size="xs" variant="default" onClick={() => setExplained(explain(statement))}>
          Explain
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => void navigator.clipboard.writeText(location.href).catch(reportError)}
        >
          Copy address
        </Button>
      </Group>
      {explained?.statement === statement && <Preview project={project} {...explained} />}
      {showsPrograms && (
        <Snippets project={project} statement={statement} close={() => setShowsPrograms(false)} />
      )}
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
