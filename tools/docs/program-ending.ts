import type { ExitCode } from '../../src/cli/frame/exit-code.ts';
import { credentialNames } from '../../src/config/credential-names.ts';

/*
 * What no command's help says: exit codes, environment, files. It is written once here, for the
 * page and for the manual page.
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

/** Each exit code, and what it means. */
export const exitCodes: Readonly<Record<number, string>> = {
  ...sysexits,
  1: '`health`: unwell; `doctor`: something to fix; `setup`: not sharing after a minute; `device provide`: the service applied another mode than the one asked for',
  141: 'the reader of the output has gone, as with `… | head`',
};

/** Each variable that the program reads, and what it is. */
export const environment: Readonly<Record<string, string>> = {
  TRIBUTARY_CONFIG: 'The configuration file.',
  TRIBUTARY_STATE_DIR: 'The state directory.',
  TRIBUTARY_SECTION_KEY:
    'A key of the configuration, `TRIBUTARY_PROVIDE_MODE` for one; it wins over the file.',
  [credentialNames.authCode.environment]:
    'A code that the agent signs in with where it is signed out.',
  [credentialNames.networkJwt.environment]: "The owner's token, for the same.",
  NAME_FILE: 'A file that holds the value of NAME, for each of them but the first two.',
};

/** Where things are. */
export const files: Readonly<Record<string, string>> = {
  '/etc/tributary/tributary.yaml': 'The configuration; docs/configuration.md explains every key.',
  '/var/lib/tributary':
    'The state: sign-in, registration, counters. Only the agent and root can read it.',
  '/run/tributary/tributary.sock': 'Where the commands ask the agent.',
  '/run/tributary/tributary.sock.read':
    'Where members of the group tributary may read status, and give no order: sudo adduser NAME tributary',
};
