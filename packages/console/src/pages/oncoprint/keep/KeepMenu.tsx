import { ActionIcon, Menu } from '@mantine/core';
import { lazy, Suspense, useContext, useState } from 'react';
import { Icon } from '../../../design/Icon.tsx';
import { KeepableContext } from '../../../reports/keeping.ts';
import { reportError } from '../../../shell/Feedback.tsx';
import { type Kept, keepOrder, keepPdf, keepPng, keepSvg, keepTable } from './picture.ts';

const KeepDialogue = lazy(async () => ({
  default: (await import('../../../reports/KeepDialogue.tsx')).KeepDialogue,
}));

/** Menu that saves an oncoprint as a file, or keeps it in a report. `kept` makes what is saved. */
export function KeepMenu({ kept, noun }: { kept: () => Kept; noun: string }) {
  const keepable = useContext(KeepableContext);
  const [isKeeping, setKeeping] = useState(false);
  const items: [string, (of: Kept) => unknown][] = [
    ['SVG', keepSvg],
    ['PDF', keepPdf],
    ['PNG', keepPng],
    [`Order of the ${noun}s`, keepOrder],
    ['Table (CSV)', (of) => keepTable(of, noun)],
  ];
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon size={26} variant="default" aria-label="Save the oncoprint" title="Save">
            <Icon name="download" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(([label, run]) => (
            <Menu.Item
              key={label}
              onClick={() =>
                void Promise.resolve()
                  .then(() => run(kept()))
                  .catch(reportError)
              }
            >
              {label}
            </Menu.Item>
          ))}
          {keepable && <Menu.Item onClick={() => setKeeping(true)}>Keep in a report…</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {keepable && isKeeping && (
        <Suspense>
          <KeepDialogue {...keepable} title="Oncoprint" chart={undefined} close={() => setKeeping(false)} />
        </Suspense>
      )}
    </>
  );
}
