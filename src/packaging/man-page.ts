import { type ArgumentNode, type CommandNode, listCommands, type OptionNode } from '../cli/completion/command-tree.ts';

export interface ManPageParts {
  readonly root: CommandNode;
  /** What stands below the help of some commands, by the command's path joined by spaces; plain text. */
  readonly examples: ReadonlyMap<string, string>;
  readonly version: string;
  /** Seconds since 1970; the page says its day. */
  readonly dateSeconds: number;
}

/** tributary(1), written from the commands' own help: the page cannot say other than the program. */
export function renderManPage({ root, examples, version, dateSeconds }: ManPageParts): string {
  const day = new Date(dateSeconds * 1000).toISOString().slice(0, 10);
  const commands = listCommands(root).slice(1);
  return `${[
    `.TH TRIBUTARY 1 "${day}" "tributary ${toRoff(version)}" "User Commands"`,
    '.SH NAME',
    `tributary \\- ${toRoff(root.summary)}`,
    '.SH SYNOPSIS',
    '.B tributary',
    toRoff(root.usage.replace(/^tributary /, '')),
    '.SH DESCRIPTION',
    ...description.map(toRoff),
    '.SH OPTIONS',
    'These stand before or after the name of any command.',
    ...root.options.flatMap(renderOption),
    '.SH COMMANDS',
    ...commands.flatMap((command) => renderCommand(command, examples)),
    '.SH EXAMPLES',
    ...renderExamples(examples.get('')),
    ending,
  ].join('\n')}\n`;
}

function renderCommand(command: CommandNode, examples: ManPageParts['examples']): readonly string[] {
  const own = command.options.filter((option) => !option.isGlobal && !option.flags.includes('--help'));
  return [
    `.SS "${toRoff(command.usage).replaceAll('"', '\\(dq')}"`,
    toRoff(toSentence(command.summary)),
    ...command.arguments.flatMap(renderArgument),
    ...own.flatMap(renderOption),
    ...renderExamples(examples.get(command.path.join(' '))),
  ];
}

function renderOption({ usage, summary }: OptionNode): readonly string[] {
  return ['.TP', `\\fB${toRoff(usage)}\\fR`, toRoff(toSentence(summary))];
}

function renderArgument({ name, summary }: ArgumentNode): readonly string[] {
  return summary === '' ? [] : ['.TP', `\\fI${toRoff(name)}\\fR`, toRoff(toSentence(summary))];
}

/** Blank lines and the word that heads them are the help's, not the page's. */
function renderExamples(text: string | undefined): readonly string[] {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '' && !/^Examples?:$/.test(line));
  return lines.length === 0 ? [] : ['.P', '.EX', ...lines.map(toRoff), '.EE'];
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** No text of ours is a request or an escape of roff. */
function toRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/^\./, '\\&.');
}

const description = [
  'Tributary registers this device with a bandwidth-sharing service, holds the WireGuard tunnel that the service issues,',
  "and forwards what arrives through it to the public Internet, as far as the owner's mode, schedule, data cap and rate",
  'limit allow. Where its package started it as a service, two things are left to do: naming the service in',
  '/etc/tributary/tributary.yaml, and tributary login.',
];

const ending = `.SH EXIT STATUS
0 done; 64 usage; 69 the service or the agent cannot be reached; 70 a bug; 75 try again; 77 not allowed or signed out; 78 the
configuration has to be mended.
.B tributary health
exits with 0 or 1 only.
.SH ENVIRONMENT
Every key of the configuration is read from the environment too, as
.BI TRIBUTARY_ SECTION _ KEY\\fR,
which wins over the file; with
.B _FILE
behind it, from a file that holds the value.
.TP
.BR TRIBUTARY_CONFIG ", " TRIBUTARY_STATE_DIR
The configuration and the state directory.
.TP
.BR TRIBUTARY_AUTH_CODE ", " TRIBUTARY_NETWORK_JWT
What the agent signs in with where it is signed out; with
.B _FILE
behind it, from a file.
.SH FILES
.TP
.I /etc/tributary/tributary.yaml
The configuration; every key is explained there.
.TP
.I /var/lib/tributary
The state: sign\\-in, registration, counters. Nobody but the agent and root can read it.
.TP
.I /run/tributary/tributary.sock
Where the commands ask the agent.
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1),
.BR wg (8),
.BR nft (8),
.BR ip\\-netns (8)`;
