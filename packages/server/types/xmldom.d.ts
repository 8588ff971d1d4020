/**
 * Part of `@xmldom/xmldom` that is used here. Its own types include those of the browser, which change `fetch` and its streams
 * everywhere (tsconfig.json, "paths").
 */
export interface ParsedNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly nextSibling: ParsedNode | null;
}

export interface ParsedElement extends ParsedNode {
  readonly tagName: string;
  readonly localName: string | null;
  readonly namespaceURI: string | null;
  readonly childNodes: ArrayLike<ParsedNode>;
  readonly attributes: ArrayLike<{
    readonly name: string;
    readonly localName: string | null;
    readonly namespaceURI: string | null;
    readonly value: string;
  }>;
}

export class DOMParser {
  constructor(options: {
    errorHandler: Record<'warning' | 'error' | 'fatalError', (message: string) => void>;
  });
  parseFromString(text: string, type: string): { readonly documentElement: ParsedElement | null } | undefined;
}
