import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  hasCode,
  messageOf,
  systemCodeOf,
  TributaryError,
  toFailure,
} from '../../../errors/codes.ts';
import {
  isThere,
  readLinkedFile,
  readOwnFile,
  removeFile,
  replaceFileText,
  writeFileAtomic,
} from '../../../system/files.ts';
import { whileAlone } from '../../../system/lock.ts';
import { defineCommand, renderCommand } from '../../frame/command.ts';
import type { CommandContext, PathOptions } from '../../frame/context.ts';
import { joinLines } from '../../present/text.ts';
import { findEffect } from './config-effect.ts';

/** Runs an editor at the terminal until it is closed; resolves with its exit code. */
type RunAttached = (program: string, args: readonly string[]) => Promise<number>;

/**
 * The file in the owner's editor, on a copy: what cannot be used never replaces what is in force,
 * and nothing that the owner wrote is lost.
 */
export const edit = defineCommand({
  usage: 'edit',
  description:
    'open the configuration in your editor; it is checked before it replaces the old one',
  options: { '--json': 'one JSON object' },
  examples: { 'sudo tributary config edit': 'in $VISUAL, $EDITOR or the editor of this system' },
  async act({ options, show }, context) {
    const { runAttached } = await import('../../../system/exec.ts');
    const file = await editConfig(options, context, runAttached);
    if (file === undefined) {
      await show(
        { file: null, effect: 'unchanged', message: null },
        () => 'Nothing was changed.\n',
      );
      return;
    }
    const effect = await findEffect(undefined, options, context);
    await show({ file, ...effect }, (told) =>
      joinLines([`${told.file} is changed.`, told.message]),
    );
  },
});

/**
 * The file that was changed; undefined where its text is as before.
 * @throws configuration-invalid, which says where the owner's text is; not-allowed
 */
export async function editConfig(
  options: PathOptions,
  context: CommandContext,
  runAttached: RunAttached,
): Promise<string | undefined> {
  const { chooseConfigPath } = await import('../../../config/config-file.ts');
  const { environment } = context;
  const file = chooseConfigPath({ configPath: options.config, environment });
  await checkRights(file, options);
  const before = await readLinkedFile(file);
  const [program = '', ...args] = await chooseEditor(environment);
  const copy = join(tmpdir(), `tributary-${randomBytes(8).toString('hex')}.yaml`);
  await writeFileAtomic(copy, before ?? '');
  for (;;) {
    const exitCode = await runAttached(program, [...args, copy]);
    const text = (await readOwnFile(copy)) ?? before ?? '';
    if (text === (before ?? '')) {
      await removeFile(copy);
      return undefined;
    }
    const replace = async () => {
      const refusal = await explainRefusal({ file, before, text }, options, context);
      if (refusal === undefined) await replaceFileText(file, text);
      return refusal;
    };
    const wrong =
      exitCode === 0 ? await whileAlone(file, replace) : `${program} ended with ${exitCode}`;
    if (wrong === undefined) {
      await removeFile(copy);
      return file;
    }
    context.stderr.write(`${wrong}\n`);
    const next = await context.prompt?.choose('What now?', 'edit', choices);
    if (next === 'edit') continue;
    const message = `${file} is as it was, because the new text cannot be used`;
    const action = `What you wrote is in ${copy}`;
    throw new TributaryError('configuration-invalid', message, { action });
  }
}

const choices = {
  edit: 'open it again where you left it',
  leave: 'leave the configuration as it was, and keep what you wrote in a file of its own',
} as const;

/** Why the text cannot replace the file's; undefined where it can. */
async function explainRefusal(
  edited: { readonly file: string; readonly before: string | undefined; readonly text: string },
  options: PathOptions,
  { environment }: CommandContext,
): Promise<string | undefined> {
  const { file, before, text } = edited;
  if ((await readLinkedFile(file)) !== before)
    return `${file} was changed by another program meanwhile`;
  const { loadConfig } = await import('../../../config/load.ts');
  const loading = loadConfig({
    configPath: file,
    stateDirectory: options.stateDir,
    environment,
    text,
  });
  const loaded = await loading.catch(toFailure('configuration-invalid'));
  return hasCode(loaded, 'configuration-invalid') ? messageOf(loaded) : undefined;
}

/** Owners learn it before they have written anything. @throws not-allowed */
async function checkRights(file: string, options: PathOptions): Promise<void> {
  const place = (await isThere(file)) ? file : dirname(file);
  const isDenied = await access(place, constants.W_OK).then(
    () => false,
    (error: unknown) => /^(EACCES|EPERM|EROFS)$/.test(systemCodeOf(error) ?? ''),
  );
  if (!isDenied) return;
  const action = `Run it with sudo: sudo ${renderCommand(['config', 'edit'], options)}`;
  throw new TributaryError('not-allowed', `only root may write ${file}`, { action });
}

/** The owner's editor with its arguments, otherwise the one of this system. */
async function chooseEditor(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const named = (environment.VISUAL || environment.EDITOR)?.trim();
  if (named) return named.split(/\s+/);
  for (const program of ['/usr/bin/editor', '/usr/bin/nano', '/usr/bin/vi'])
    if (await isThere(program)) return [program];
  throw new TributaryError('missing-program', 'there is no editor here', {
    action: 'Name one: sudo EDITOR=nano tributary config edit. Or: tributary config set',
  });
}
