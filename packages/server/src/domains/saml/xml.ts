import { DOMParser, type ParsedElement } from '@xmldom/xmldom';

/** XML that is not read; the message may be shown to people. */
export class XmlError extends Error {
  override name = 'XmlError';
}

/** An element, without anything that this domain does not look at. */
export interface XmlElement {
  /** Without prefix. */
  name: string;
  /** What stands before its name; '' where nothing does. */
  prefix: string;
  namespace: string;
  /** By name; those of a namespace by `{namespace}name`. */
  attributes: ReadonlyMap<string, string>;
  /** The namespaces that it declares, by prefix; the default one by ''. */
  declarations: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** The text directly in it, as it is written. */
  text: string;
}

/** The namespaces of SAML 2.0. */
export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
} as const;

/** Deeper than any message or metadata; shallow enough for everything that walks over it. */
const depthMax = 50;
/** More than the metadata of one provider hold. */
const elementsMaxUsual = 20_000;
/** Each declaration is copied for every element in it. */
const declarationsMax = 2000;
/** For each element that is allowed: of values with a type and its namespaces there are so many. */
const attributesMaxEach = 3;
/** The parser looks through the whole text for the end of each name; messages and metadata know less than a hundred. */
const namesMax = 500;

/** What `readXml` puts up with. */
export interface XmlLimits {
  bytesMax: number;
  /** 20,000 where nothing is said. */
  elementsMax?: number;
  /** Comments and processing instructions: nobody needs them in a message, and texts have been cut at them. */
  allowsComments: boolean;
}

/**
 * Reads XML from strangers. A document type is refused before anything parses it, and with it entities, their bombs and their
 * files (CVE lists are full of them), as is whatever else begins as one does: the parser takes minutes for `<!` before many blanks.
 * Likewise what is merely too large.
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

/** Bytes as text. What is not UTF-8 is refused, so that every check sees what the parser sees. */
export function decodeXml(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new XmlError('it is not written in UTF-8', { cause });
  }
}

/** The bytes of a text in base64, white space aside. */
export function decodeBase64(text: string): Buffer {
  const base64 = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new XmlError('it is not written in base64');
  return Buffer.from(base64, 'base64');
}

/** The children of a name. */
export function childrenOf({ children }: XmlElement, namespace: string, name: string): XmlElement[] {
  return children.filter((child) => child.namespace === namespace && child.name === name);
}

/** The element itself and all in it, in their order. */
export function* everything(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* everything(child);
}

/** Whether it is of this name. */
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
  // The parser takes more than one root.
  for (let next = root.nextSibling; next; next = next.nextSibling) if (next.nodeType === 1) refuse();
  return root;
}

/** What nearly all elements declare. */
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
