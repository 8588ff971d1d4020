import { type Parameter, parameterNames, type StatementPart } from '@ploidy/formats/statement-text';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { schema } from '../../api/lists.ts';
import { type FileFormat, start } from './run.ts';

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

/** Results of a window: one tab each, beside those of earlier and saved queries. */
export function useResults() {
  const [all, setAll] = useState<OpenResult[]>([]);
  const [tab, setTab] = useState<string | null>('history');
  return {
    all,
    tab,
    setTab,
    open: (id: string, startedAt?: number): void => {
      setAll((list) => (list.some((one) => one.id === id) ? list : [...list, { id, startedAt }]));
      setTab(id);
    },
    close: (id: string): void => {
      setAll((list) => list.filter((one) => one.id !== id));
      setTab('history');
    },
  };
}

/** Result in a tab. `startedAt`: on the clock of the window, of a query that this window started. */
interface OpenResult {
  id: string;
  startedAt: number | undefined;
}

interface Run {
  project: string;
  text: string;
  parameters: Parameter[];
  /** Set if the address names the saved query in place of the statement. */
  isSaved: boolean;
  open: (id: string, startedAt: number) => void;
}

/** Runs statements of the text; returns the place of an error, and the result to download. */
export function useRun({ project, text, parameters, isSaved, open }: Run) {
  const navigate = useNavigate({ from: '/projects/$project/sql' });
  const queries = useQueryClient();
  const [problem, setProblem] = useState<{ error: Error; part: StatementPart }>();
  const [isStarting, setStarting] = useState(false);
  const [downloaded, setDownloaded] = useState<string>();
  const run = async (parts: StatementPart[], format?: FileFormat): Promise<void> => {
    setProblem(undefined);
    setStarting(true);
    // The address holds the text, so that it can be shared; a saved one by its id.
    if (!isSaved) void navigate({ search: { sql: text }, replace: true, resetScroll: false });
    for (const part of parts) {
      try {
        const startedAt = performance.now();
        const id = await start(project, part.text, valuesFor(part.text, parameters), format);
        if (format) setDownloaded(id);
        open(id, startedAt);
      } catch (error) {
        setProblem({ error: error as Error, part });
        break;
      }
    }
    setStarting(false);
    await queries.invalidateQueries({ queryKey: ['queries', project] });
  };
  return {
    run,
    isStarting,
    error: problem?.error,
    faultAt: problem && placeOf(problem.part, problem.error.message),
    downloaded,
    endDownload: () => setDownloaded(undefined),
  };
}

/** Returns the values that a statement names, in its order. */
export function valuesFor(statement: string, parameters: Parameter[]): Parameter[] {
  const names = parameterNames(statement);
  return names.flatMap((name) => parameters.filter((one) => one.name === name));
}

/** Returns the place of an error in the whole text; values in place of parameters move it in their line. */
function placeOf({ text, start: before }: StatementPart, message: string): number | undefined {
  const place = positionIn(text, message);
  return place === undefined ? undefined : before + place;
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
