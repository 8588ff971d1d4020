import type { TestProject } from '../inputs/project.ts';
import type { Reply, TestApp } from '../support/app.ts';
import type { Person } from '../support/people.ts';
import type { Kind } from './readers.ts';

/** Answer of a door: whether it gave what is kept, and its text. */
export interface Given {
  given: boolean;
  text: string;
}

/** Thing that is kept: how its reader asks for it again, and which later kinds of reader are to get it. */
export interface Kept {
  ask(): Promise<Given>;
  isFor(later: Kind): boolean;
}

export interface Making {
  app: TestApp;
  project: TestProject;
  /** Project into which files are moved. */
  target: string;
  person: Person;
  before: Kind;
  /** Result of a query, its name, and its address. */
  result: string;
  name: string;
  address: string;
}

/** Statement whose rows are kept. */
export const sql = 'SELECT patient_id, dob FROM patient ORDER BY 1';

/** Reads an answer of the API. */
export const answered = ({ status, text }: Reply): Given => ({ given: status === 200, text });

/** Reads the bytes of an address without credentials. */
export const fetched = async (url: string): Promise<Given> => {
  const response = await fetch(url);
  return { given: response.status === 200, text: await response.text() };
};
