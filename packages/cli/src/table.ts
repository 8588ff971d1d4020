/** Columns that a terminal character takes: combining marks none, wide (East Asian, emoji) two. */
function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width +=
      /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
        segment,
      )
        ? 2
        : 1;
  }
  return width;
}

const cellWidthMax = 60;

/** Control characters would move the cursor or worse; a cell shows them as a dot. */
function cell(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '·');
  return widthOf(plain) <= cellWidthMax ? plain : `${plain.slice(0, cellWidthMax - 1)}…`;
}

/** Rows under headings, aligned; columns that hold only numbers to the right. */
export function alignedTable(headings: string[], rows: string[][]): string {
  const cells = rows.map((row) => row.map(cell));
  const widths = headings.map((heading, at) =>
    Math.max(widthOf(heading), ...cells.map((row) => widthOf(row[at] ?? ''))),
  );
  const numeric = headings.map((_, at) => {
    const filled = cells.map((row) => row[at] ?? '').filter((text) => text !== '');
    return filled.length > 0 && filled.every((text) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text));
  });
  const line = (row: string[]): string =>
    headings
      .map((_, at) => {
        const text = row[at] ?? '';
        const pad = ' '.repeat((widths[at] ?? 0) - widthOf(text));
        return numeric[at] ? pad + text : text + pad;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [line(headings), rule, ...cells.map(line)].join('\n');
}
