import { useQuery } from '@tanstack/react-query';
import { projects } from '../../api/lists.ts';
import { type Kind, types } from './grants.ts';
import { groups, members } from './queries.ts';

interface Option {
  value: string;
  label: string;
}

/** Groups, people, projects and kinds of things, by name. */
export type Choices = Record<Exclude<Kind, 'text'>, Option[]>;

/** Reads what conditions of policies may name. */
export function useChoices(): Choices {
  const { data: groupList = [] } = useQuery(groups());
  const { data: people = [] } = useQuery(members());
  const { data: projectList = [] } = useQuery(projects());
  const named = ({ id, name }: { id: string; name: string }): Option => ({ value: id, label: name });
  return {
    group: groupList.map(named),
    project: projectList.map(named),
    person: people.map(({ id, profile }) => ({ value: id, label: profile.name || profile.email || id })),
    type: types.map((type) => ({ value: type, label: type })),
  };
}

/** Returns the name of a group, a person or a project; the id where it is not known. */
export function nameIn(choices: Choices, kind: Kind, id: string): string {
  return (kind !== 'text' && choices[kind].find(({ value }) => value === id)?.label) || id;
}
