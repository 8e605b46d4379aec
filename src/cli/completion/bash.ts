import { type CommandNode, listCommands, listValueFlags, type ValueNode } from './command-tree.ts';

/** Completion for bash: one function over the whole tree, so that a Tab starts no program. */
export function renderBashCompletion(root: CommandNode): string {
  const commands = listCommands(root);
  return `# Completion of tributary(1) for bash, as \`tributary completion bash\` writes it.

_tributary() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=/ word index given=0 answers
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "\${command%/}/$word" in
      ${commands.slice(1).map(toKey).join(' | ')}) command=\${command%/}/$word given=0 ;;
      *) case "$word" in
        ${listValueFlags(root).join(' | ')})
          ((index++))
          [[ \${COMP_WORDS[index]} != '=' ]] || ((index++)) ;;
        -*) ;;
        *) ((given++)) ;;
      esac ;;
    esac
  done
  case "$command $previous" in
${commands.flatMap(toOptionLines).join('\n')}
    *)
      case "$command $given" in
${commands.flatMap(toArgumentLines).join('\n')}
        *) answers= ;;
      esac
      case "$command" in
${commands.map((command) => `        ${toKey(command)}) answers+=' ${toWords(command)}' ;;`).join('\n')}
      esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$answers" -- "$current")
}

_tributary_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

complete -F _tributary tributary
`;
}

function toOptionLines(command: CommandNode): readonly string[] {
  return command.options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const patterns = flags.map((flag) => `'${toKey(command)} ${flag}'`).join(' | ');
    return [`    ${patterns}) ${toAnswer(value)} ;;`];
  });
}

function toArgumentLines(command: CommandNode): readonly string[] {
  return command.arguments.flatMap(({ value }, index) =>
    value.kind === 'words' ? [`        '${toKey(command)} ${index}') answers='${value.words.join(' ')}' ;;`] : [],
  );
}

function toAnswer(value: ValueNode): string {
  switch (value.kind) {
    case 'words':
      return `answers='${value.words.join(' ')}'`;
    case 'file':
      return '_tributary_paths -f "$current"; return';
    case 'directory':
      return '_tributary_paths -d "$current"; return';
    case 'text':
      return 'return';
  }
}

function toWords(command: CommandNode): string {
  const names = command.children.map(({ path }) => path.at(-1));
  return [...names, ...command.options.flatMap(({ flags }) => flags)].join(' ');
}

function toKey({ path }: CommandNode): string {
  return `/${path.join('/')}`;
}
