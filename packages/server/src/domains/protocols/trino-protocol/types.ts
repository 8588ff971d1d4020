/** Type of a column as the protocol describes it. */
interface TypeSignature {
  rawType: string;
  arguments: { kind: string; value: unknown }[];
}

/** Column of an answer. */
interface TrinoColumn {
  name: string;
  type: string;
  typeSignature: TypeSignature;
}

interface TrinoType {
  text: string;
  signature: TypeSignature;
}

const plain = (text: string, rawType = text, ...longs: number[]): TrinoType => ({
  text,
  signature: { rawType, arguments: longs.map((value) => ({ kind: 'LONG', value })) },
});

/** Longest VARCHAR, which is one without a length. */
const unbounded = 2_147_483_647;

const varchar = plain('varchar', 'varchar', unbounded);

/** Types of the engine, and the ones in which their values are written (packages/engine/src/task-runtime/trino-rows.ts). */
const types: Readonly<Record<string, TrinoType>> = {
  BOOLEAN: plain('boolean'),
  TINYINT: plain('tinyint'),
  SMALLINT: plain('smallint'),
  INTEGER: plain('integer'),
  BIGINT: plain('bigint'),
  UTINYINT: plain('smallint'),
  USMALLINT: plain('integer'),
  UINTEGER: plain('bigint'),
  UBIGINT: plain('bigint'),
  HUGEINT: plain('bigint'),
  UHUGEINT: plain('bigint'),
  FLOAT: plain('real'),
  DOUBLE: plain('double'),
  DATE: plain('date'),
  TIME: plain('time(6)', 'time', 6),
  TIMESTAMP_S: plain('timestamp(0)', 'timestamp', 0),
  TIMESTAMP_MS: plain('timestamp(3)', 'timestamp', 3),
  TIMESTAMP: plain('timestamp(6)', 'timestamp', 6),
  TIMESTAMP_NS: plain('timestamp(9)', 'timestamp', 9),
  'TIMESTAMP WITH TIME ZONE': plain('timestamp(6) with time zone', 'timestamp with time zone', 6),
  UUID: plain('uuid'),
  BLOB: plain('varbinary'),
};

/** Describes a column whose type is written as the engine writes it. */
export function trinoColumn({ name, type }: { name: string; type: string }): TrinoColumn {
  const { text, signature } = new TypeReader(type).read();
  return { name, type: text, typeSignature: signature };
}

/** Reads the name of a type of the engine: `STRUCT("a" INTEGER, "b" VARCHAR[])`. */
class TypeReader {
  readonly #tokens: string[];
  #at = 0;

  constructor(type: string) {
    this.#tokens = type.match(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\w+|[^\s]/g) ?? [];
  }

  read(): TrinoType {
    let type = this.#element();
    while (this.#take('[')) {
      while (!this.#take(']')) this.#at++;
      type = nested('array', `array(${type.text})`, [type]);
    }
    return type;
  }

  #element(): TrinoType {
    const name = this.#next();
    if (name === 'STRUCT' && this.#take('(')) return this.#struct();
    if (name === 'MAP' && this.#take('(')) {
      const key = this.read();
      this.#take(',');
      const item = this.read();
      this.#take(')');
      return nested('map', `map(${key.text}, ${item.text})`, [key, item]);
    }
    if (name === 'DECIMAL' && this.#take('(')) {
      const [precision, , scale] = [this.#next(), this.#next(), this.#next(), this.#next()];
      return plain(`decimal(${precision},${scale})`, 'decimal', Number(precision), Number(scale));
    }
    if (this.#take('(')) this.#skip();
    if (name === 'TIMESTAMP' && this.#take('WITH')) {
      this.#at += 2;
      return types['TIMESTAMP WITH TIME ZONE'] ?? varchar;
    }
    return types[name] ?? varchar;
  }

  #struct(): TrinoType {
    const fields: { name: string; type: TrinoType }[] = [];
    do {
      const name = this.#next().replace(/^"|"$/g, '').replaceAll('""', '"');
      fields.push({ name, type: this.read() });
    } while (this.#take(','));
    this.#take(')');
    const written = ({ name, type }: (typeof fields)[number]): string =>
      name === ''
        ? type.text
        : `${/^[a-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`} ${type.text}`;
    return {
      text: `row(${fields.map(written).join(', ')})`,
      signature: {
        rawType: 'row',
        arguments: fields.map(({ name, type }) => ({
          kind: 'NAMED_TYPE',
          value: { ...(name !== '' && { fieldName: { name } }), typeSignature: type.signature },
        })),
      },
    };
  }

  /** Passes over the rest of a list in parentheses, such as the values of an ENUM. */
  #skip(): void {
    for (let depth = 1; depth > 0 && this.#at < this.#tokens.length; ) {
      const token = this.#next();
      if (token === '(') depth++;
      if (token === ')') depth--;
    }
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? '';
  }
}

function nested(rawType: string, text: string, of: TrinoType[]): TrinoType {
  return {
    text,
    signature: { rawType, arguments: of.map(({ signature }) => ({ kind: 'TYPE', value: signature })) },
  };
}
