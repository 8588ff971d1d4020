import { Loader, Modal, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { ErrorAlert } from './Feedback.tsx';
import { matching, type Place, pagesFor, placesOf, sourcesFor } from './places.ts';

/** A dialogue that finds pages, projects, genes, subjects, cohorts, files and saved queries. */
export function Search({ close }: { close: () => void }) {
  const { project } = useParams({ strict: false });
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 200);
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const found = useQueries({
    queries: settled === '' ? [] : sourcesFor(settled, project).map(placesOf),
  });
  const error = found.find((one) => one.error)?.error;
  const text = typed.trim();
  const places = [
    ...pagesFor(text, project),
    ...matching(
      found.flatMap(({ data = [] }) => data),
      text,
    ),
  ];
  const at = Math.min(chosen, places.length - 1);
  const open = (place: Place | undefined): void => {
    if (!place) return;
    close();
    void navigate(place.link);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(places.length - 1, at + step)));
    } else if (event.key === 'Enter') open(places[at]);
  };
  return (
    <Modal opened onClose={close} title="Search" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <TextInput
        data-autofocus
        aria-label="Search for"
        placeholder={project ? 'Gene, subject, cohort, file, saved query, page' : 'Project or page'}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
        rightSection={
          found.some(({ isFetching }) => isFetching) && <Loader size="xs" aria-label="Searching" />
        }
      />
      <div id={id} role="listbox" aria-label="Found" className="found">
        {places.map((place, index) => (
          <UnstyledButton
            key={JSON.stringify([place.kind, place.link])}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="found-place"
            onClick={() => open(place)}
          >
            <bdi>{place.name}</bdi>
            <Text span size="xs" c="var(--soft)">
              {place.kind}
            </Text>
          </UnstyledButton>
        ))}
      </div>
      {error && <ErrorAlert error={error} />}
      <Text size="sm" role="status" mt="xs">
        {places.length === 0 && !found.some(({ isFetching }) => isFetching) && 'Nothing is found.'}
      </Text>
    </Modal>
  );
}
