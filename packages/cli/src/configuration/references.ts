import { readFileSync } from 'node:fs';
import { environmentVariable } from '../config.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { namedAs, type Session } from '../session.ts';
import type { Fields } from './fields.ts';

/** Placeholder in a plan for the id of a resource that does not exist yet. */
const notYet = '(new)';

/**
 * References in a configuration: `{ project: NAME }` and `{ group: NAME }` become ids; `{ env: NAME }` and `{ file: PATH }`
 * become secrets, which so need not be in the file.
 */
export class References {
  readonly #session: Session;
  readonly #isPlan: boolean;

  constructor(session: Session, isPlan: boolean) {
    this.#session = session;
    this.#isPlan = isPlan;
  }

  /** Replaces all references in the fields of an item. Its name is a text. */
  async resolveItem({ name, ...others }: Fields): Promise<Fields> {
    return { ...(await this.#fields(others)), name };
  }

  async #resolve(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) {
      const items = [];
      for (const item of value) items.push(await this.#resolve(item));
      return items;
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[kind = '', name] = []] = entries;
    if (entries.length === 1 && typeof name === 'string' && isReference(kind)) return this.#one(kind, name);
    return this.#fields(value);
  }

  async #fields(value: object): Promise<Record<string, unknown>> {
    const fields: Record<string, unknown> = {};
    for (const [field, inner] of Object.entries(value)) fields[field] = await this.#resolve(inner);
    return fields;
  }

  async #one(kind: ReferenceKind, name: string): Promise<string> {
    if (kind === 'file') return readFileSync(name, 'utf8').replace(/\r?\n$/, '');
    if (kind === 'env') {
      const value = environmentVariable(name);
      if (value) return value;
      throw new CommandError(`The environment variable ${name} is not set.`, exitCodes.usage);
    }
    const { client } = this.#session;
    const found = await namedAs<{ name: string; id: string }>(
      kind === 'project' ? client.projects(name) : client.groups(name),
      name,
    );
    if (found) return found.id;
    if (this.#isPlan) return notYet;
    throw new CommandError(`There is no ${kind} "${name}".`, exitCodes.notFound);
  }
}

const referenceKinds = ['project', 'group', 'env', 'file'] as const;
type ReferenceKind = (typeof referenceKinds)[number];

function isReference(word: string): word is ReferenceKind {
  return (referenceKinds as readonly string[]).includes(word);
}
