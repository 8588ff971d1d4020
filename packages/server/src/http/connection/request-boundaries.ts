/** Callbacks of the follower of a connection. */
interface BoundaryEvents {
  /** Called for each byte of a method, which may be overwritten; `index` counts from the start of the method. */
  methodByte(chunk: Buffer, at: number, index: number): void;
  /** Reports whether a request for another protocol is granted. */
  upgrades(): boolean;
}

type State =
  | 'start'
  | 'method'
  | 'target'
  | 'header'
  | 'body'
  | 'size'
  | 'chunk'
  | 'chunkEnd'
  | 'trailer'
  | 'foreign';

const lf = 0x0a;
const cr = 0x0d;
const space = 0x20;
/** First bytes of the lines that matter: the headers read below, and the empty line after them. */
const relevant = new Set(Buffer.from('CcTtPpUu\r\n'));

/**
 * Follows the bytes of one HTTP/1.1 connection and finds the start of each request, by the framing of RFC 9112 (sections 2.2, 6
 * and 7). It reads only what Node's parser accepts: CRLF line ends, no folded lines, one Content-Length or a Transfer-Encoding
 * that ends in `chunked`. After anything else Node closes the connection, so the rest does not matter.
 */
export class RequestBoundaries {
  readonly #events: BoundaryEvents;
  #state: State = 'start';
  /** Start of a line that continues in the next packet. */
  #line = '';
  #methodLength = 0;
  #connect = false;
  #asksConnection = false;
  #asksProtocol = false;
  #chunked = false;
  /** Bytes of the body, or of the current chunk, that have not arrived. */
  #bytesLeft = 0;

  constructor(events: BoundaryEvents) {
    this.#events = events;
  }

  /** Reads the next packet, of any size. */
  follow(packet: Buffer): void {
    let at = 0;
    while (at < packet.length) at = this.#step(packet, at);
  }

  #step(packet: Buffer, at: number): number {
    switch (this.#state) {
      case 'start':
        return this.#start(packet, at);
      case 'method':
        return this.#method(packet, at);
      case 'body':
      case 'chunk':
        return this.#bytes(packet, at);
      case 'foreign':
        return packet.length;
      default:
        return this.#readLine(packet, at);
    }
  }

  /** Skips empty lines before a request (RFC 9112, §2.2). */
  #start(packet: Buffer, at: number): number {
    if (packet[at] === cr || packet[at] === lf) return at + 1;
    this.#state = 'method';
    this.#methodLength = 0;
    this.#bytesLeft = 0;
    this.#connect = packet[at] === 0x43;
    this.#chunked = this.#asksConnection = this.#asksProtocol = false;
    return at;
  }

  #method(packet: Buffer, at: number): number {
    if (packet[at] === space) {
      this.#connect &&= this.#methodLength === 'CONNECT'.length;
      this.#state = 'target';
    } else {
      this.#connect &&= 'CONNECT'.charCodeAt(this.#methodLength) === packet[at];
      this.#events.methodByte(packet, at, this.#methodLength++);
    }
    return at + 1;
  }

  #bytes(packet: Buffer, at: number): number {
    const end = Math.min(packet.length, at + this.#bytesLeft);
    this.#bytesLeft -= end - at;
    if (this.#bytesLeft > 0) return end;
    if (this.#state === 'body') return this.#requestEnds(packet, end);
    this.#state = 'chunkEnd';
    return end;
  }

  #readLine(packet: Buffer, at: number): number {
    const end = packet.indexOf(lf, at);
    if (end >= 0 && this.#isIrrelevant(packet, at)) return end + 1;
    // The target is not needed and may be long.
    if (this.#state !== 'target') this.#line += packet.toString('latin1', at, end < 0 ? packet.length : end);
    if (end < 0) return packet.length;
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    return this.#lineEnds(line, packet, end + 1);
  }

  /** Reports whether a whole line is a header that does not affect the framing; most lines need no decoding. */
  #isIrrelevant(packet: Buffer, at: number): boolean {
    return this.#state === 'header' && this.#line === '' && !relevant.has(packet[at] ?? cr);
  }

  #lineEnds(line: string, packet: Buffer, next: number): number {
    switch (this.#state) {
      case 'header':
        if (line === '') return this.#headersEnd(packet, next);
        this.#header(line);
        return next;
      case 'size':
        this.#bytesLeft = Number.parseInt(line, 16);
        this.#state = this.#bytesLeft > 0 ? 'chunk' : 'trailer';
        return next;
      case 'chunkEnd':
        this.#state = 'size';
        return next;
      case 'trailer':
        return line === '' ? this.#requestEnds(packet, next) : next;
      default:
        this.#state = 'header';
        return next;
    }
  }

  /** Reads a header. Only spaces and tabs are blanks (RFC 9110, §5.6.3); `\\s` matches more than Node's parser skips. */
  #header(line: string): void {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1);
    switch (line.slice(0, colon).toLowerCase()) {
      case 'content-length':
        this.#bytesLeft = Number.parseInt(value, 10);
        break;
      case 'transfer-encoding':
        this.#chunked = /(?:^|[ \t,])chunked[ \t]*$/i.test(value);
        break;
      // Node's parser treats both names alike.
      case 'connection':
      case 'proxy-connection':
        this.#asksConnection ||= /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i.test(value);
        break;
      case 'upgrade':
        this.#asksProtocol = true;
        break;
    }
  }

  #headersEnd(packet: Buffer, next: number): number {
    if (this.#connect || (this.#asksUpgrade() && this.#events.upgrades())) this.#state = 'foreign';
    else if (this.#chunked) this.#state = 'size';
    else if (this.#bytesLeft > 0) this.#state = 'body';
    else return this.#requestEnds(packet, next);
    return next;
  }

  /** Ends a request. Node ignores the rest of its packet if it asked in vain for another protocol. */
  #requestEnds(packet: Buffer, next: number): number {
    this.#state = 'start';
    return this.#asksUpgrade() ? packet.length : next;
  }

  #asksUpgrade(): boolean {
    return this.#asksConnection && this.#asksProtocol;
  }
}
