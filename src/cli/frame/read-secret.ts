import { whyUnreadable } from '../../lib/errors.ts';
import { Secret } from '../../lib/secret.ts';
import { readSmallFile } from '../../system/small-file.ts';
import { refuse } from './command.ts';
import type { CommandContext } from './context.ts';

export interface SecretSource {
  readonly name: string;
  /**
   * A path, or `-` for standard input; undefined to ask at the terminal, or to read standard input
   * without one.
   */
  readonly file: string | undefined;
  /** The option's name, for the advice when nothing was given. */
  readonly option: string;
  /**
   * True for a password, to which white space around it belongs, except the last line end of a
   * file.
   */
  readonly isPassword?: boolean;
}

const limitBytes = 16 * 1024;

/**
 * Reads a secret. It is never an argument, because `ps` shows arguments. White space around a code
 * or a token is removed.
 * @throws usage-invalid
 */
export async function readSecret(source: SecretSource, context: CommandContext): Promise<Secret> {
  const given = await readGiven(source, context);
  const secret = source.isPassword === true ? given : given.trim();
  if (!secret.equals(new Secret(''))) return secret;
  const where = isFromStandardInput(source, context)
    ? 'standard input'
    : (source.file ?? 'what was typed');
  throw refuse(
    `reading the ${source.name}: ${where} is empty; give it there or in ${source.option}`,
  );
}

/** Reads a new password; at a terminal it has to be typed twice. @throws usage-invalid */
export async function readNewPassword(
  source: SecretSource,
  context: CommandContext,
): Promise<Secret> {
  const password = await readSecret(source, context);
  if (source.file !== undefined || context.prompt === undefined) return password;
  const again = await context.prompt.askSecret(`${toSentence(source.name)}, once more`);
  if (password.equals(again)) return password;
  throw refuse(`reading the ${source.name}: the two differ; nothing was changed`);
}

/**
 * Standard input can hold only one secret.
 * @throws usage-invalid where several would have to come from it
 */
export function checkSources(sources: readonly SecretSource[], context: CommandContext): void {
  const piped = sources.filter((source) => isFromStandardInput(source, context));
  if (piped.length < 2) return;
  const names = piped.map(({ name }) => name).join(' and the ');
  const options = piped.map(({ option }) => `${option} FILE`).join(' or ');
  const why =
    context.prompt === undefined
      ? 'there is no terminal to ask at, and standard input'
      : 'standard input';
  throw refuse(
    `reading the ${names}: ${why} holds one of them alone; give the other by ${options}`,
  );
}

function isFromStandardInput({ file }: SecretSource, { prompt }: CommandContext): boolean {
  return file === '-' || (file === undefined && prompt === undefined);
}

async function readGiven(source: SecretSource, context: CommandContext): Promise<Secret> {
  if (isFromStandardInput(source, context))
    return toSecret(await context.readStandardInput(limitBytes));
  const { name, file } = source;
  if (file === undefined) return context.prompt?.askSecret(toSentence(name)) ?? toSecret('');
  return readSmallFile(file, limitBytes).then(toSecret, (error: unknown) => {
    throw refuse(`reading the ${name} from ${file}: ${whyUnreadable(error)}`, { cause: error });
  });
}

function toSecret(text: string): Secret {
  return new Secret(text.replace(/\r?\n$/, ''));
}

function toSentence(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
