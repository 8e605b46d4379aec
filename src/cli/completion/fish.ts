import { type CommandNode, listCommands, listValueFlags, type OptionNode, type ValueNode } from './command-tree.ts';

/** Completion for fish: one line for everything that can be typed, each under its command. */
export function renderFishCompletion(root: CommandNode): string {
  const commands = listCommands(root);
  return `# Completion of tributary(1) for fish, as \`tributary completion fish\` writes it.

function __tributary_at --argument-names wanted
    set -l command /
    set -l given 0
    set -l skip no
    for word in (commandline -opc)[2..]
        if test $skip = yes
            set skip no
            continue
        end
        switch (string trim --right --chars=/ -- $command)/$word
            case ${commands.slice(1).map(toKey).join(' ')}
                set command (string trim --right --chars=/ -- $command)/$word
                set given 0
            case ${listValueFlags(root)
              .map((flag) => `'*/${flag}'`)
              .join(' ')}
                set skip yes
            case '*/-*'
            case '*'
                set given (math $given + 1)
        end
    end
    test $command = $wanted; and begin
        not set -q argv[2]; or test $given = $argv[2]
    end
end

complete -c tributary -f
${commands.flatMap(toLines).join('\n')}
`;
}

function toLines(command: CommandNode): readonly string[] {
  const at = `complete -c tributary -n '__tributary_at ${toKey(command)}'`;
  return [
    ...command.children.map((child) => `${at} -a ${child.path.at(-1)} -d ${quote(child.summary)}`),
    ...command.options.map((option) => `${at}${toFlags(option)} -d ${quote(option.summary)}`),
    ...command.arguments.flatMap(({ value }, index) =>
      value.kind === 'words'
        ? [`complete -c tributary -n '__tributary_at ${toKey(command)} ${index}' -a ${quote(value.words.join(' '))}`]
        : [],
    ),
  ];
}

function toFlags({ flags, value }: OptionNode): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`)).join('');
  return `${names}${value === undefined ? '' : toValue(value)}`;
}

function toValue(value: ValueNode): string {
  switch (value.kind) {
    case 'words':
      return ` -x -a ${quote(value.words.join(' '))}`;
    case 'file':
      return ' -r -F';
    case 'directory':
      return " -x -a '(__fish_complete_directories)'";
    case 'text':
      return ' -x';
  }
}

function quote(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

function toKey({ path }: CommandNode): string {
  return `/${path.join('/')}`;
}
