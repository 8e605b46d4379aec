import type { ExitCode } from '../../src/cli/exit-code.ts';
import { credentialNames } from '../../src/config/credential-names.ts';
import { renderTable, toCode } from './markdown.ts';

/*
 * What no command's help tells: exit codes, environment, files. Told once here, for the page and for the manual page.
 */

const sysexits: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  64: 'wrong usage',
  65: 'the service refused what it was sent, such as a share code',
  69: 'the service, the agent or a program is not available',
  70: 'a bug; please report it',
  74: 'the output could not be written',
  75: 'try again',
  77: 'not allowed: signed out, or privileges are missing',
  78: 'the configuration has to be fixed',
};

const exitCodes: Readonly<Record<number, string>> = {
  ...sysexits,
  1: '`health`: unwell; `doctor`: something to fix; `device provide`: the service applied another mode than the one asked for',
  141: 'the reader of the output has gone, as with `… | head`',
};

const environment: Readonly<Record<string, string>> = {
  TRIBUTARY_CONFIG: 'The configuration file.',
  TRIBUTARY_STATE_DIR: 'The state directory.',
  TRIBUTARY_SECTION_KEY: 'A key of the configuration, `TRIBUTARY_PROVIDE_MODE` for one; it wins over the file.',
  [credentialNames.authCode.environment]: 'A code that the agent signs in with where it is signed out.',
  [credentialNames.networkJwt.environment]: "The owner's token, for the same.",
  NAME_FILE: 'A file that holds the value of NAME, for each of them but the first two.',
};

const files: Readonly<Record<string, string>> = {
  '/etc/tributary/tributary.yaml': 'The configuration; every key is explained there.',
  '/var/lib/tributary': 'The state: sign-in, registration, counters. Only the agent and root can read it.',
  '/run/tributary/tributary.sock': 'Where the commands ask the agent.',
};

export function renderExitCodes(): string {
  return renderTable(['code', 'meaning'], Object.entries(exitCodes));
}

export function renderEnvironment(): string {
  return renderTable(['name', 'what it is'], toRows(environment));
}

export function renderFiles(): string {
  return renderTable(['file', 'what it is'], toRows(files));
}

/** docs/man-page-end.roff. */
export function renderManPageEnding(): string {
  const toItems = (entries: Readonly<Record<string, string>>, font: 'B' | 'I') =>
    Object.entries(entries).flatMap(([name, meaning]) => ['.TP', `.${font} ${toRoff(name)}`, toRoff(meaning)]);
  return `${[
    '.\\" Written by `npm run docs` from test/docs/program-ending.ts.',
    '.SH EXIT STATUS',
    ...toItems(exitCodes, 'B'),
    '.SH ENVIRONMENT',
    ...toItems(environment, 'B'),
    '.SH FILES',
    ...toItems(files, 'I'),
    '.SH SEE ALSO',
    '.BR systemctl (1),',
    '.BR journalctl (1),',
    '.BR wg (8),',
    '.BR nft (8),',
    '.BR ip\\-netns (8)',
  ].join('\n')}\n`;
}

function toRows(entries: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  return Object.entries(entries).map(([name, meaning]) => [toCode(name), meaning]);
}

function toRoff(text: string): string {
  return text.replaceAll('`', '').replaceAll('-', '\\-').replaceAll('…', '...');
}
