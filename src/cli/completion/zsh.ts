import { type CommandNode, listCommands, type OptionNode, type ValueNode } from './command-tree.ts';

/** Completion for zsh: a function for every command, as `_arguments` wants it. */
export function renderZshCompletion(root: CommandNode): string {
  return `#compdef tributary
# Completion of tributary(1) for zsh, as \`tributary completion zsh\` writes it.

${listCommands(root).map(toFunction).join('\n')}
if [ "$funcstack[1]" = _tributary ]; then
  _tributary "$@"
else
  compdef _tributary tributary
fi
`;
}

function toFunction(command: CommandNode): string {
  const specs = command.options.map(toOptionSpec);
  const body = command.children.length === 0 ? toPlainBody(command, specs) : toGroupBody(command, specs);
  return `${toName(command)}() {\n${body}}\n`;
}

function toPlainBody(command: CommandNode, specs: readonly string[]): string {
  const places = command.arguments.map(({ value }, index) => quote(`${index + 1}:${value.name}:${toAction(value)}`));
  return `${toArguments('_arguments -s', [...specs, ...places])}\n`;
}

function toGroupBody(command: CommandNode, specs: readonly string[]): string {
  const described = command.children.map((child) => `    ${quote(`${child.path.at(-1)}:${child.summary}`)}`);
  const cases = command.children.map((child) => `        ${child.path.at(-1)}) ${toName(child)} ;;`);
  return `  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
${described.join('\n')}
  )
${toArguments('_arguments -s -C', [...specs, quote('1: :->command'), quote('*:: :->rest')])}
  case $state in
    command) _describe command commands ;;
    rest)
      case $words[1] in
${cases.join('\n')}
      esac ;;
  esac
`;
}

function toArguments(start: string, specs: readonly string[]): string {
  return [`  ${start}`, ...specs.map((spec) => `    ${spec}`)].join(' \\\n');
}

function toOptionSpec({ flags, summary, value }: OptionNode): string {
  const about = `[${summary.replace(/[[\]:\\]/g, '\\$&')}]`;
  const follows = value === undefined ? '' : `:${value.name.replaceAll(':', ' ')}:${toAction(value)}`;
  const spec = (flag: string) =>
    quote(`${flag}${value === undefined || !flag.startsWith('--') ? '' : '='}${about}${follows}`);
  return flags.map(spec).join(' ');
}

function toAction(value: ValueNode): string {
  switch (value.kind) {
    case 'words':
      return `(${value.words.join(' ')})`;
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'text':
      return ' ';
  }
}

function toName({ path }: CommandNode): string {
  return ['_tributary', ...path].join('_').replaceAll('-', '_');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
