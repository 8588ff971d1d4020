type Row = Record<string, unknown>;

const hint = 'Arrow keys move between the marks, Enter opens one.';

/**
 * Makes the bars or dots of a drawing buttons, for the mouse and for the keyboard: one of them is a stop of the
 * Tab key, arrow keys move on from it.
 */
export function makeChoosable(drawing: Element, rows: Row[], choose: (row: Row) => void): void {
  // Hidden marks are of other data, whose numbers are no rows.
  const marks = [...drawing.querySelectorAll<SVGElement>('rect, circle')].filter(
    (one) => one.closest('[aria-hidden="true"]') === null && rowOf(one, rows),
  );
  const focus = (at: number): void => {
    for (const [index, mark] of marks.entries()) mark.tabIndex = index === at ? 0 : -1;
    marks[at]?.focus();
  };
  for (const [at, mark] of marks.entries()) {
    const row = rowOf(mark, rows) as Row;
    mark.setAttribute('role', 'button');
    mark.setAttribute('aria-label', nameOf(row));
    mark.tabIndex = at === 0 ? 0 : -1;
    // The library would pin the values there, above the mark, and the click would be theirs.
    mark.addEventListener('pointerdown', (event) => event.stopPropagation());
    mark.addEventListener('click', () => choose(row));
    mark.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') choose(row);
      else {
        const next = placeAfter(event.key, at, marks.length);
        if (next === undefined) return;
        focus(next);
      }
      event.preventDefault();
    });
    mark.addEventListener('focus', () => point(mark, 'pointermove'));
    mark.addEventListener('blur', () => point(mark, 'pointerleave'));
  }
}

/** Names a drawing: a picture, or a group where its parts can be chosen (ARIA 1.2, §5.2.8.6). */
export function nameDrawing(drawing: Element, title: string, isChoosable: boolean): void {
  for (const part of drawing.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
  for (const part of drawing.matches('svg') ? [drawing] : drawing.querySelectorAll(':scope > svg')) {
    part.setAttribute('role', isChoosable ? 'group' : 'img');
    part.setAttribute('aria-label', title);
    if (isChoosable) part.setAttribute('aria-description', hint);
  }
}

/** The library binds the number of a row to its mark. */
const rowOf = (mark: Element, rows: Row[]): Row | undefined => rows[Number(Reflect.get(mark, '__data__'))];

const nameOf = (row: Row): string =>
  Object.entries(row)
    .map(([column, value]) => `${column} ${value}`)
    .join(', ');

/** Returns the place that a key leads to among `length` parts; undefined for other keys. */
export function placeAfter(key: string, at: number, length: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return Math.min(at + 1, length - 1);
  if (key === 'ArrowLeft' || key === 'ArrowUp') return Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  return key === 'End' ? length - 1 : undefined;
}

/** Shows or hides the values of a mark, as the mouse does. */
function point(mark: SVGElement, type: 'pointermove' | 'pointerleave'): void {
  const { x, y, width, height } = mark.getBoundingClientRect();
  const place = { clientX: x + width / 2, clientY: y + height / 2, pointerType: 'mouse' };
  mark.ownerSVGElement?.dispatchEvent(new PointerEvent(type, place));
}
