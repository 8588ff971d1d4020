/** Outlines of the icons on a field of 24 units, drawn with a line of 2. */
const outlines = {
  close: 'M6 6l12 12M18 6L6 18',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  filter: 'M4 5h16l-6 7v6l-4 2v-8z',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  taller: 'M12 4v16M8 8l4-4 4 4M8 16l4 4 4-4',
  shorter: 'M12 3v7M12 21v-7M8 6l4 4 4-4M8 18l4-4 4 4',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  wider: 'M3 12h18M7 8l-4 4 4 4M17 8l4 4-4 4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L21 21',
  away: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  chart: 'M4 20h16M7 16V9M12 16V5M17 16v-5',
  gene: 'M7 3c0 6 10 6 10 12v6M17 3c0 6-10 6-10 12v6M8 6h8M8 18h8',
  people: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2 21c0-8 14-8 14 0M16 3.5a4 4 0 0 1 0 7.5M18 14c3 1 4 4 4 7',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  genome: 'M3 8h18M3 16h18M7 8v8M12 8v8M17 8v8',
  key: 'M14 10a5 5 0 1 0-3 3l2 2h3v3h3v-3z',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l4 2',
  eye: 'M2 12c5-8 15-8 20 0-5 8-15 8-20 0M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  link: 'M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1',
  book: 'M4 5c3-1 6-1 8 1 2-2 5-2 8-1v14c-3-1-6-1-8 1-2-2-5-2-8-1zM12 6v14',
} as const;

type IconName = keyof typeof outlines;

/** A line drawing beside a word or in a button; the button has the name. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={outlines[name]} />
    </svg>
  );
}
