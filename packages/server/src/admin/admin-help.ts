import { referenceNames } from '../app/reference/names.ts';

/** Command for operators: its words and options, its purpose, its options one a line, and an example. */
interface AdminCommand {
  words: string;
  synopsis: string;
  purpose: string;
  options?: readonly (readonly [option: string, meaning: string])[];
  example: string;
}

const user = ['--user ID-OR-EMAIL', 'the user'] as const;
const account = ['--account ID', 'the account'] as const;
const place = ['PLACE', 'a folder or s3://bucket/prefix; PLOIDY_BACKUPS when absent'] as const;
const at = ['--at TIME', 'the last backup of this day or time, or before'] as const;

const commands: readonly AdminCommand[] = [
  {
    words: 'accounts add',
    synopsis: '--name NAME --owner ADDRESS [--account ID]',
    purpose: 'Makes an account; its owner is made unless there is one with this address.',
    options: [
      ['--name NAME', 'name of the account'],
      ['--owner ADDRESS', 'e-mail address of its owner'],
      ['--account ID', 'its id; made of the name when absent'],
    ],
    example: '--name "North hospital" --owner jane@example.org',
  },
  {
    words: 'accounts owner',
    synopsis: '--account ID --owner ID-OR-EMAIL',
    purpose: 'Makes a member the owner of an account.',
    options: [account, ['--owner ID-OR-EMAIL', 'the new owner']],
    example: '--account north --owner jane@example.org',
  },
  {
    words: 'users add',
    synopsis: '--email ADDRESS --account ID [--group NAME] [--name NAME]',
    purpose: 'Makes a user and prints the link to choose a password.',
    options: [
      ['--email ADDRESS', 'e-mail address of the user'],
      account,
      ['--group NAME', 'group to join; "Users" when absent'],
      ['--name NAME', 'name of the user'],
    ],
    example: '--email jane@example.org --account north --group Administrators',
  },
  {
    words: 'users sign-out',
    synopsis: '--user ID-OR-EMAIL',
    purpose: 'Ends all sessions and tokens of a user.',
    options: [user],
    example: '--user jane@example.org',
  },
  {
    words: 'keys add',
    synopsis: '--user ID-OR-EMAIL --account ID [--name NAME] [--days 1..365]',
    purpose: 'Makes an API key for a user and prints it, this once.',
    options: [
      user,
      account,
      ['--name NAME', 'name of the key'],
      ['--days N', 'days until it expires; 365 when absent'],
    ],
    example: '--user jane@example.org --account north --days 30',
  },
  {
    words: 'second-factor remove',
    synopsis: '--user ID-OR-EMAIL',
    purpose: 'Turns the second step of a user off, after a lost authenticator.',
    options: [user],
    example: '--user jane@example.org',
  },
  {
    words: 'clients first-party',
    synopsis: '--client ID [--off]',
    purpose: 'Lets tokens of an application change the profile and make API keys.',
    options: [
      ['--client ID', 'the OAuth client'],
      ['--off', 'take the right back'],
    ],
    example: '--client 0192d3a1-5b7c-7e2a-9d40-6c1f2e3a4b5c',
  },
  {
    words: 'doctor',
    synopsis: '[--bytes]',
    purpose:
      'Looks at records, files, store, disk, the last backup and failed jobs; exit code 1 if one has a fault.',
    options: [['--bytes', 'read every file and compare its checksum, not a sample']],
    example: '--bytes',
  },
  {
    words: 'verify-audit',
    synopsis: '',
    purpose: 'Verifies the chain of the audit log of each account.',
    example: '',
  },
  {
    words: 'rotate-key',
    synopsis: '[--derived]',
    purpose:
      'Replaces the master key and encrypts all secrets again; backups keep needing the key of their time.',
    options: [
      ['--derived', 'also replace keys derived from it: links, forms and refresh tokens become invalid'],
    ],
    example: '',
  },
  {
    words: 'verify-lake',
    synopsis: '[--project ID]',
    purpose: 'Verifies that each file of the tables is there, with its checksum.',
    options: [['--project ID', 'only this project']],
    example: '',
  },
  {
    words: 'backup',
    synopsis: '[PLACE] [--keep N] [--with-key] [--list-bytes]',
    purpose:
      'Adds a backup of records, secrets and files to a place, while the service runs. Earlier bytes are not copied again.',
    options: [
      place,
      ['--keep N', 'afterwards remove all backups but the last N'],
      ['--with-key', 'include the master key'],
      ['--list-bytes', 'list the files instead of copying their bytes'],
    ],
    example: '/backup --keep 14',
  },
  {
    words: 'backup ls',
    synopsis: '[PLACE]',
    purpose: 'Lists the backups of a place.',
    options: [place],
    example: 's3://backups/ploidy',
  },
  {
    words: 'backup verify',
    synopsis: '[PLACE] [--at TIME]',
    purpose: 'Verifies that the last backup, or that of a time, is whole: every byte is read.',
    options: [place, at],
    example: '/backup --at 2026-11-28',
  },
  {
    words: 'backup prune',
    synopsis: '[PLACE] --keep N',
    purpose: 'Removes all backups but the last N, and the bytes that only the others have.',
    options: [place, ['--keep N', 'number of backups to keep']],
    example: '/backup --keep 14',
  },
  {
    words: 'verify-backup',
    synopsis: '[PLACE] [--at TIME]',
    purpose: 'The same as backup verify.',
    options: [place, at],
    example: '/backup',
  },
  {
    words: 'restore',
    synopsis: '[PLACE] [--at TIME] [--key FILE]',
    purpose: 'Fills an empty data folder and database from the last backup, or that of a time.',
    options: [place, at, ['--key FILE', 'the master key of the backup']],
    example: '/backup --at 2026-11-28T12:00:00Z --key /safe/master.key',
  },
  {
    words: 'docs',
    synopsis: referenceNames.join('|'),
    purpose: 'Prints a reference page in Markdown.',
    example: 'tables',
  },
];

/** Returns the help of the command that the words name; without one, the list of all. */
export function adminHelp(words: readonly string[]): string {
  const named = words.filter((word) => !word.startsWith('-')).join(' ');
  const found = commands
    .toSorted((a, b) => b.words.length - a.words.length)
    .find((one) => named === one.words || named.startsWith(`${one.words} `));
  return found ? helpOf(found) : listOf(commands);
}

function helpOf({ words, synopsis, purpose, options = [], example }: AdminCommand): string {
  const rows = [...options, ['--json', 'print one JSON document'], ['--help', 'print this help']] as const;
  const width = Math.max(...rows.map(([option]) => option.length));
  return [
    `Usage: ploidy admin ${words} ${synopsis}`.trimEnd(),
    '',
    purpose,
    '',
    'Options:',
    ...rows.map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}`),
    '',
    'Example:',
    `  ploidy admin ${words} ${example}`.trimEnd(),
    '',
  ].join('\n');
}

function listOf(all: readonly AdminCommand[]): string {
  return [
    'Commands for operators on the host of the service; "ploidy admin COMMAND --help" explains one.',
    '',
    ...all.flatMap(({ words, synopsis, purpose }) => [
      `  ploidy admin ${words} ${synopsis}`.trimEnd(),
      `      ${purpose}`,
    ]),
    '',
  ].join('\n');
}
