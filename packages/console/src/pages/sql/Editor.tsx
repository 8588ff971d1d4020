import { autocompletion, closeCompletion } from '@codemirror/autocomplete';
import { PostgreSQL, SQLDialect, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { useEffect, useRef } from 'react';

interface Props {
  value: string;
  tables: SQLNamespace;
  /** Position of a fault in the statement. */
  faultAt?: number | undefined;
  change: (text: string) => void;
  run: () => void;
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

/** The editor of statements: completes tables and columns, runs with Ctrl-Enter. */
export function Editor({ value, tables, faultAt, change, run }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const calls = useRef({ change, run });
  calls.current = { change, run };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor keeps its own text after it is made
  useEffect(() => {
    const made = new EditorView({
      parent: place.current as HTMLDivElement,
      state: EditorState.create({
        doc: value,
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: (editor) => runIn(editor, calls.current) }])),
          basicSetup,
          syntaxHighlighting(colours),
          autocompletion(),
          language.of(languageOf(tables)),
          EditorView.contentAttributes.of({ 'aria-label': 'SQL statement' }),
          EditorView.lineWrapping,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.change(update.state.doc.toString());
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
function runIn(editor: EditorView, { run }: { run: () => void }): true {
  closeCompletion(editor);
  run();
  return true;
}

function languageOf(schema: SQLNamespace) {
  return sql({ dialect, schema, upperCaseKeywords: true });
}
