import { useQuery } from '@tanstack/react-query';
import { groups, members } from '../../api/account.ts';
import { projects } from '../../api/lists.ts';
import { type Kind, resourceTypes } from './grants.ts';

interface Option {
  value: string;
  label: string;
}

/** Groups, people, projects and types of resources, by name. */
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
    type: resourceTypes,
  };
}

/** Returns the name of a group, a person or a project; the id where it is not known. */
export function nameIn(choices: Choices, kind: Kind, id: string): string {
  return (kind !== 'text' && choices[kind].find(({ value }) => value === id)?.label) || id;
}
