import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
} from '@codemirror/autocomplete';
import { PostgreSQL, SQLDialect, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { statementAt } from '@ploidy/formats/statement-text';
import { basicSetup } from 'codemirror';
import { useEffect, useRef } from 'react';
import type { Selected } from './draft.ts';

interface Props {
  value: string;
  /** Columns by table. */
  tables: Record<string, string[]>;
  /** Position of a fault in the text. */
  faultAt?: number | undefined;
  change: (text: string) => void;
  /** Called with the selected part of the text; its ends are one place where only the cursor is in the text. */
  select: (selected: Selected) => void;
  run: () => void;
  runAll: () => void;
}

const language = new Compartment();

/** Words of queries (docs/dialect.md). Those of PostgreSQL would colour tables such as `condition`, and offer what no query has. */
const dialect = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords:
    'all and anti any as asc asof between by case cast cross current distinct desc else end escape except exclude exists false filter first following for from full group grouping having ilike in inner intersect interval is join lateral left like limit natural not null nulls offset on or order over partition positional preceding qualify range recursive replace respect right rollup row rows sample select semi sets similar some struct tablesample then to true try_cast unbounded union unnest unpivot pivot using values when where window with within',
});

/** Colours that are read on light and on dark. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'light-dark(#770088, #e0aaff)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#0a5c36, #8ce99a)' },
  { tag: tags.string, color: 'light-dark(#a01010, #ffc9c9)' },
  { tag: tags.comment, color: 'light-dark(#6b4300, #ffd8a8)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'light-dark(#6a00a8, #e0aaff)' },
]);

/** The editor of statements: completes tables and columns, runs with Ctrl-Enter, all with Ctrl-Shift-Enter. */
export function Editor({ value, tables, faultAt, change, select, run, runAll }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const calls = useRef({ change, select, run, runAll });
  calls.current = { change, select, run, runAll };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor keeps its own text after it is made
  useEffect(() => {
    const made = new EditorView({
      parent: place.current as HTMLDivElement,
      state: EditorState.create({
        doc: value,
        extensions: [
          Prec.highest(
            keymap.of([
              { key: 'Mod-Enter', run: (editor) => runIn(editor, calls.current.run) },
              { key: 'Mod-Shift-Enter', run: (editor) => runIn(editor, calls.current.runAll) },
            ]),
          ),
          basicSetup,
          syntaxHighlighting(colours),
          autocompletion(),
          language.of(languageOf(tables)),
          EditorView.contentAttributes.of({ 'aria-label': 'SQL statement' }),
          EditorView.lineWrapping,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.change(update.state.doc.toString());
            if (update.docChanged || update.selectionSet) calls.current.select(update.state.selection.main);
          }),
        ],
      }),
    });
    view.current = made;
    made.focus();
    return () => made.destroy();
  }, []);
  useEffect(() => view.current?.dispatch({ effects: language.reconfigure(languageOf(tables)) }), [tables]);
  useEffect(() => {
    const { current } = view;
    if (current && current.state.doc.toString() !== value)
      current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    if (faultAt === undefined || !view.current) return;
    const { doc } = view.current.state;
    const from = Math.min(faultAt, doc.length);
    // The word with the fault alone: what is typed next replaces it.
    const word = /^[\w.]*/.exec(doc.sliceString(from, doc.lineAt(from).to))?.[0] ?? '';
    const head = from + word.length;
    view.current.dispatch({ selection: { anchor: from, head }, scrollIntoView: true });
    view.current.focus();
  }, [faultAt]);
  return <div ref={place} className="editor" />;
}

/** Runs the statement; the key is used up, and suggestions no longer cover the result. */
function runIn(editor: EditorView, run: () => void): true {
  closeCompletion(editor);
  run();
  return true;
}

function languageOf(tables: Record<string, string[]>) {
  const language = sql({ dialect, schema: tables, upperCaseKeywords: true });
  const autocomplete = (context: CompletionContext): CompletionResult | null => columnsIn(context, tables);
  return [language, language.language.data.of({ autocomplete })];
}

/** Proposes the columns of every table in a statement that names no table yet. */
function columnsIn(context: CompletionContext, tables: Record<string, string[]>): CompletionResult | null {
  const word = context.matchBefore(/(?<!\w)\w+$/) ?? (context.matchBefore(/\.$/) && { from: context.pos });
  const statement = statementAt(context.state.doc.toString(), context.pos);
  if (!word || !statement || /\bfrom\b/i.test(statement.text)) return null;
  const owners = new Map<string, string[]>();
  for (const [table, columns] of Object.entries(tables))
    for (const column of columns) owners.set(column, [...(owners.get(column) ?? []), table]);
  const options = [...owners].map(([label, of]) => ({ label, type: 'property', detail: of.join(', ') }));
  return { from: word.from, options, validFor: /^\w*$/ };
}
