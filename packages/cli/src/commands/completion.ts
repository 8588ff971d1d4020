import { Argument, type Command } from 'commander';
import { openSession } from '../session.ts';

/** Scripts that ask this program for the candidates of a command line. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_ploidy() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(ploidy completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ploidy ploidy
`,
  zsh: `#compdef ploidy
_ploidy() {
  local -a candidates
  candidates=("\${(@f)$(ploidy completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a candidates || _files
}
compdef _ploidy ploidy
`,
  fish: `complete -c ploidy -a '(ploidy completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices([...Object.keys(scripts), 'words']))
    .argument('[words...]', 'with "words": the command line so far; prints candidates for its last word')
    .action(async (shell: string, words: string[], _options: object, command: Command) => {
      if (shell !== 'words') return void process.stdout.write(scripts[shell] ?? '');
      for (const candidate of await candidatesFor(program, words, command))
        process.stdout.write(`${candidate}\n`);
    });
}

/** Lists what may be the last word: commands, options, words of an option, or names of projects. */
async function candidatesFor(program: Command, words: string[], command: Command): Promise<string[]> {
  let current = program;
  for (const word of words.slice(0, -1)) {
    const next = current.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next) current = next as Command;
  }
  const [before = '', last = ''] = words.slice(-2);
  const option = current.options.find(({ long, short }) => before === long || before === short);
  const all = option?.required
    ? option.long === '--project'
      ? await projectNames(command)
      : (option.argChoices ?? [])
    : [
        ...current.commands.map((one) => one.name()),
        ...(last.startsWith('-') ? current.options.flatMap(({ long }) => long ?? []) : []),
        ...current.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      ];
  return all.filter((candidate) => candidate.startsWith(last));
}

async function projectNames(command: Command): Promise<string[]> {
  const { client } = await openSession(command);
  return (await Array.fromAsync(client.projects())).map(({ name }) => name);
}
