"""Tables of a notebook: HTML with every value escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import TypeVar

Item = TypeVar("Item")

_rows_max = 20


class Listing(list[Item]):
    """List of things of a service, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        if not self:
            return "<i>(none)</i>"
        first = self[0]
        names = [one.name for one in fields(first) if one.repr] if is_dataclass(first) else ["value"]
        rows = [[getattr(item, name, item) for name in names] for item in self[:_rows_max]]
        return table_html(names, rows, len(self))


def table_html(names: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """Formats the first rows as a table of HTML, with the number of all rows below."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    rows_text = "1 row" if count == 1 else f"{count:,} rows"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{rows_text}</p>"


def _cell(value: object) -> str:
    return f"<td>{'' if value is None else html.escape(str(value))}</td>"
