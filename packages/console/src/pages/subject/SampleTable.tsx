import { Text } from '@mantine/core';
import { differingFacts, type Sample } from './samples.ts';

/** Facts that are shown at first. */
const factsMax = 8;

/** Samples of a patient side by side, with the facts that differ between them. */
export function SampleTable({ samples }: { samples: readonly Sample[] }) {
  const facts = differingFacts(samples);
  if (samples.length === 0) return <Text size="sm">None recorded</Text>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="sample-table" aria-label="Samples side by side" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Sample</th>
            {samples.map((sample) => (
              <th key={sample.id} scope="col">
                <SampleMark sample={sample} /> <bdi>{sample.id}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.slice(0, factsMax).map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {samples.map(({ id }, at) => (
                <td key={id}>
                  <bdi>{values[at] ?? '–'}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {facts.length > factsMax && <Text size="xs">and {facts.length - factsMax} more</Text>}
    </section>
  );
}

/** Disc with the number of a sample, in the colour of its origin. */
function SampleMark({ sample: { number, colour } }: { sample: Sample }) {
  return (
    <svg
      width={16}
      height={16}
      viewBox="-8 -8 16 16"
      aria-hidden="true"
      style={{ verticalAlign: 'text-bottom' }}
    >
      <circle r={8} fill={colour} />
      <text className="lanes-count" textAnchor="middle" dominantBaseline="central">
        {number}
      </text>
    </svg>
  );
}
