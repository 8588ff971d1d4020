import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { schema } from '../../api/lists.ts';
import { type FileFormat, start } from './run.ts';
import type { SavedQuery } from './saved.ts';

/** Tables of a project, and the names that the editor completes. */
export function useTables(project: string) {
  const query = useQuery(schema(project));
  const names = useMemo(
    () =>
      Object.fromEntries(
        (query.data ?? []).map(({ table, columns }) => [table, columns.map((one) => one.name)]),
      ),
    [query.data],
  );
  return { query, names };
}

/** Holds the statement that is written: at first that of the address, or of a saved query. */
export function useStatement(sql: string, saved: SavedQuery | undefined) {
  const [text, setText] = useState(sql);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the saved text leaves the written one
  useEffect(() => {
    if (saved) setText(saved.statement);
  }, [saved?.id]);
  return [text, setText] as const;
}

/** Results of a window: one tab each, beside those of earlier and saved queries. */
export function useResults() {
  const [ids, setIds] = useState<string[]>([]);
  const [tab, setTab] = useState<string | null>('history');
  return {
    ids,
    tab,
    setTab,
    open: (id: string): void => {
      setIds((all) => (all.includes(id) ? all : [...all, id]));
      setTab(id);
    },
    close: (id: string): void => {
      setIds((all) => all.filter((one) => one !== id));
      setTab('history');
    },
  };
}

interface Run {
  project: string;
  text: string;
  /** Set if the address names the saved query in place of the statement. */
  isSaved: boolean;
  open: (id: string) => void;
}

/** Runs the statement that is written; returns the place of an error, and the result to download. */
export function useRun({ project, text, isSaved, open }: Run) {
  const navigate = useNavigate({ from: '/projects/$project/sql' });
  const queries = useQueryClient();
  const [problem, setProblem] = useState<{ error: Error; statement: string }>();
  const [isStarting, setStarting] = useState(false);
  const [downloaded, setDownloaded] = useState<string>();
  const run = async (format?: FileFormat): Promise<void> => {
    setProblem(undefined);
    setStarting(true);
    // The address holds the statement, so that it can be shared; a saved one by its id.
    if (!isSaved) void navigate({ search: { sql: text }, replace: true, resetScroll: false });
    try {
      const id = await start(project, text, format);
      if (format) setDownloaded(id);
      open(id);
      await queries.invalidateQueries({ queryKey: ['queries', project] });
    } catch (error) {
      setProblem({ error: error as Error, statement: text });
    } finally {
      setStarting(false);
    }
  };
  return {
    run,
    isStarting,
    error: problem?.error,
    faultAt: problem && positionIn(problem.statement, problem.error.message),
    downloaded,
    endDownload: () => setDownloaded(undefined),
  };
}

/** Returns the place of an error in a statement: the line and column, or the quoted word, of its message. */
function positionIn(statement: string, message: string): number | undefined {
  const [, line, column] = /line (\d+)(?:,? (?:column|character|at) (\d+))?/i.exec(message) ?? [];
  if (line !== undefined) {
    const before = statement.split('\n').slice(0, Number(line) - 1);
    return before.reduce((sum, text) => sum + text.length + 1, 0) + Math.max(0, Number(column ?? 1) - 1);
  }
  const [, word] = /"([^"]+)"/.exec(message) ?? [];
  const found = word === undefined ? -1 : statement.toLowerCase().indexOf(word.toLowerCase());
  return found < 0 ? undefined : found;
}
