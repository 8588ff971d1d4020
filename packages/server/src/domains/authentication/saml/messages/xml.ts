import { DOMParser, type ParsedElement } from '@xmldom/xmldom';

/** Refused XML; the message may be shown to users. */
export class XmlError extends Error {
  override name = 'XmlError';
}

/** Element, reduced to what this domain uses. */
export interface XmlElement {
  /** Without prefix. */
  name: string;
  /** Prefix of the name; '' without one. */
  prefix: string;
  namespace: string;
  /** Attributes by name; namespaced ones by `{namespace}name`. */
  attributes: ReadonlyMap<string, string>;
  /** Declared namespaces by prefix; the default one by ''. */
  declarations: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** Direct text, unprocessed. */
  text: string;
}

/** Namespaces of SAML 2.0. */
export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
} as const;

/** Deeper than any message or metadata, and safe for recursion. */
const depthMax = 50;
/** More than the metadata of one provider contain. */
const elementsMaxUsual = 20_000;
/** Each declaration is copied for every element below it. */
const declarationsMax = 2000;
/** Per allowed element: typed values with their namespaces need as many. */
const attributesMaxEach = 3;
/**
 * The parser searches the whole text for the end of each name; messages and metadata have fewer than a
 * hundred.
 */
const namesMax = 500;

/** Limits of `readXml`. */
export interface XmlLimits {
  bytesMax: number;
  /** 20,000 by default. */
  elementsMax?: number;
  /** Comments and processing instructions: no message needs them, and they have split texts in attacks. */
  allowsComments: boolean;
}

/**
 * Parses untrusted XML. A document type is refused before parsing, and with it entities, their expansion and
 * external files. So is anything else that begins like one: the parser takes minutes for `<!` before many
 * blanks. Size is limited likewise.
 */
export function readXml(
  text: string,
  { bytesMax, elementsMax = elementsMaxUsual, allowsComments }: XmlLimits,
): XmlElement {
  if (Buffer.byteLength(text) > bytesMax) throw new XmlError(`it is larger than ${bytesMax >> 10} KiB`);
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw new XmlError('it holds a document type, which is not allowed');
  const instructions = text.replace(/^\ufeff?<\?xml\s[^>]*\?>/, '').includes('<?');
  if (!allowsComments && (instructions || text.includes('<!--')))
    throw new XmlError('it holds a comment or a processing instruction, which is not allowed');
  if (count(text, /<(?!\/)/g) > elementsMax || count(text, /xmlns/g) > declarationsMax)
    throw new XmlError('it has too many elements');
  if (count(text, /=\s*["']/g) > attributesMaxEach * elementsMax)
    throw new XmlError('it has too many attributes');
  if (new Set(text.match(/<[^\s<>/]+/g)).size > namesMax)
    throw new XmlError('it has too many names of elements');
  return toElement(parse(text), 0);
}

/** Decodes text. Invalid UTF-8 is refused, so that every check sees the parser's input. */
export function decodeXml(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new XmlError('it is not written in UTF-8', { cause });
  }
}

/** Decodes base64, ignoring white space. */
export function decodeBase64(text: string): Buffer {
  const base64 = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new XmlError('it is not written in base64');
  return Buffer.from(base64, 'base64');
}

/** Returns the children of a name. */
export function childrenOf({ children }: XmlElement, namespace: string, name: string): XmlElement[] {
  return children.filter((child) => child.namespace === namespace && child.name === name);
}

/** Yields an element and its descendants in document order. */
export function* everything(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* everything(child);
}

/** Reports whether an element has this name. */
export function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespace === namespace && element.name === name;
}

function parse(text: string): ParsedElement {
  const refuse = (): never => {
    throw new XmlError('it is not well-formed XML');
  };
  let root: ParsedElement | null;
  try {
    const errorHandler = { warning: refuse, error: refuse, fatalError: refuse };
    root = new DOMParser({ errorHandler }).parseFromString(text, 'text/xml')?.documentElement ?? null;
  } catch (cause) {
    throw new XmlError('it is not well-formed XML', { cause });
  }
  if (!root) throw new XmlError('it is not well-formed XML');
  // The parser accepts more than one root.
  for (let next = root.nextSibling; next; next = next.nextSibling) if (next.nodeType === 1) refuse();
  return root;
}

/** Declarations of most elements: none. */
const noDeclarations: ReadonlyMap<string, string> = new Map();
const textNode = 3;
const cdataNode = 4;
const elementNode = 1;

function toElement(node: ParsedElement, depth: number): XmlElement {
  if (depth > depthMax) throw new XmlError('it is nested too deeply');
  const attributes = new Map<string, string>();
  let declarations: Map<string, string> | undefined;
  for (const { name, localName, namespaceURI, value } of Array.from(node.attributes)) {
    if (name === 'xmlns' || name.startsWith('xmlns:')) {
      declarations ??= new Map();
      declarations.set(name.slice('xmlns:'.length), value);
    } else attributes.set(namespaceURI ? `{${namespaceURI}}${localName}` : name, value);
  }
  const children: XmlElement[] = [];
  let text = '';
  for (const child of Array.from(node.childNodes)) {
    if (child.nodeType === elementNode) children.push(toElement(child as ParsedElement, depth + 1));
    else if (child.nodeType === textNode || child.nodeType === cdataNode) text += child.nodeValue ?? '';
  }
  const { localName, tagName, namespaceURI } = node;
  return {
    name: localName || tagName,
    prefix: tagName.includes(':') ? tagName.slice(0, tagName.indexOf(':')) : '',
    namespace: namespaceURI ?? '',
    attributes,
    declarations: declarations ?? noDeclarations,
    children,
    text,
  };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
