/**
 * Layout of a FHIR source, recognised by its first bytes. `lines`: one resource a line (NDJSON). `document`: everything else (a Bundle,
 * a JSON array, pretty-printed resources, also several values one after the other).
 */
export interface Layout {
  kind: 'lines' | 'document';
  /** Bytes of a byte order mark to leave out. */
  skip: number;
}

/** Fault of the first bytes of a source: `empty`, `utf16`, `yaml`, or `binary` (no JSON object or list starts there). */
export type Unreadable = 'empty' | 'utf16' | 'yaml' | 'binary';

/** A member of a phenopacket or resource at the start of a line, without quotes. */
const yaml =
  /^(?:---\s*|%YAML.*|#.*)?(?:\n#.*)*\n?(?:id|subject|phenotypicFeatures|metaData|proband|resourceType)\s*:/;

const bundle = /^\s*\{[^{}[\]]*?"resourceType"\s*:\s*"Bundle"/;

/** Recognises the layout from the head of a source (64 KiB are enough); `complete`: the source is no longer than the head. */
export function recognise(head: Uint8Array, complete: boolean): Layout | Unreadable {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return 'utf16';
  const skip = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  let at = skip;
  while (isSpace(head[at]) || isMark(head[at])) at += 1;
  const first = head[at];
  if (first === undefined) return complete ? 'empty' : { kind: 'document', skip };
  if (first === 0x5b) return { kind: 'document', skip };
  if (first !== 0x7b)
    return yaml.test(new TextDecoder('latin1').decode(head.subarray(at, at + 2000))) ? 'yaml' : 'binary';
  return { kind: firstLineIsResource(head, at, complete) ? 'lines' : 'document', skip };
}

/** Returns whether the object that starts at `start` ends on its own line and is no Bundle. */
function firstLineIsResource(head: Uint8Array, start: number, complete: boolean): boolean {
  let end = head.indexOf(0x0a, start);
  if (end < 0) {
    if (!complete && !startsAsResource(head, start)) return false;
    end = head.length;
  }
  if (bundle.test(new TextDecoder('latin1').decode(head.subarray(start, end)))) return false;
  return end === head.length || startsObject(head, end + 1) || isBalanced(head, start, end);
}

/** Returns whether the next line opens an object with a key: lines, even when the first one is incomplete. */
function startsObject(head: Uint8Array, start: number): boolean {
  let at = start;
  while (isMark(head[at])) at += 1;
  return head[at] === 0x7b && head[at + 1] === 0x22;
}

/** Returns whether a first line longer than the head begins a resource other than a Bundle: only then it counts as a line. */
function startsAsResource(head: Uint8Array, start: number): boolean {
  const text = new TextDecoder('latin1').decode(head.subarray(start, start + 200));
  return /^\{\s*"resourceType"\s*:\s*"(?!Bundle")[A-Za-z]+"/.test(text);
}

function isBalanced(head: Uint8Array, start: number, end: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = start; at < end; at += 1) {
    const byte = head[at];
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return depth === 0 && !inString;
}

/** Byte order marks, record separators (RFC 7464) and NULs, which programs put between values. */
export function isMark(byte: number | undefined): boolean {
  return byte === 0x1e || byte === 0 || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
