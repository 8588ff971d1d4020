import { refuse } from './syntax.ts';

/** Column of a relation, with its type in the local engine. */
export interface Column {
  name: string;
  type: string;
}

/** Relation of a FROM clause. */
export interface Relation {
  alias: string;
  columns: readonly Column[];
}

/** Names that an expression may refer to. Views of the service have no types: their columns are not known here. */
export class Scope {
  /** WITH queries by their names in lower case. */
  readonly named: ReadonlyMap<string, readonly Column[]>;
  readonly #relations: readonly Relation[];
  readonly #outer: Scope | undefined;

  constructor(
    named: ReadonlyMap<string, readonly Column[]> = new Map(),
    relations: readonly Relation[] = [],
    outer?: Scope,
  ) {
    this.named = named;
    this.#relations = relations;
    this.#outer = outer;
  }

  get relations(): readonly Relation[] {
    return this.#relations;
  }

  /** Returns the scope of a query within this one. */
  within(name: string, columns: readonly Column[]): Scope {
    return new Scope(new Map(this.named).set(name.toLowerCase(), columns), this.#relations, this.#outer);
  }

  /** Returns the scope of the expressions of a SELECT over these relations. */
  over(relations: readonly Relation[]): Scope {
    return new Scope(this.named, relations, this);
  }

  /** Reports whether a name is a column of these relations. */
  has(names: readonly string[]): boolean {
    return this.#found(names).length > 0;
  }

  /** Returns the type of a column. Throws `Untranslatable` for names that Trino could look up elsewhere. */
  typeOf(names: readonly string[]): string {
    if (names.length > 2) return refuse('a field of a value');
    const [first, ...more] = this.#found(names);
    if (!first) return this.#outer?.typeOf(names) ?? refuse(`the name ${names.join('.')}`);
    if (more.some(({ type }) => type !== first.type)) return refuse('a name of columns of several types');
    return first.type;
  }

  #found(names: readonly string[]): Column[] {
    const [name = '', alias] = names.toReversed().map((one) => one.toLowerCase());
    return this.#relations
      .filter((relation) => alias === undefined || relation.alias.toLowerCase() === alias)
      .flatMap(({ columns }) => columns.filter((column) => column.name.toLowerCase() === name));
  }
}
