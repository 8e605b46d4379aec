import { messageOf, systemCodeOf, TributaryError, toFailure } from '../../../errors/codes.ts';
import { type CommandContext, loadConfig, type PathOptions } from '../../frame/context.ts';
import { reloadAgent } from './reload.ts';

/**
 * Where this user may not write the file, an error that says who may; any other error unchanged.
 */
export function askForRights(error: unknown, action: string): unknown {
  const code = error instanceof TributaryError ? systemCodeOf(error.cause) : undefined;
  if (code !== 'EACCES' && code !== 'EPERM') return error;
  return new TributaryError('not-allowed', messageOf(error), { cause: error, action });
}

/** The last change of a key decides it: what the page set for it before no longer counts. */
export async function forgetOnPage(
  keys: readonly string[],
  { stateDir }: PathOptions,
  { environment }: Pick<CommandContext, 'environment'>,
): Promise<void> {
  const { choosePlaces } = await import('../../../config/places.ts');
  const { dropPageSettings } = await import('../../../config/page-settings.ts');
  const { stateDirectory } = choosePlaces({ environment, stateDirectory: stateDir });
  await dropPageSettings(stateDirectory, keys);
}

/**
 * The effect of a change: whether the environment overrules it, and what the running agent did.
 * Without a key, of a change to the whole file.
 */
export async function findEffect(
  key: string | undefined,
  options: PathOptions,
  context: CommandContext,
) {
  const loaded = await loadConfig(options, context).catch(toFailure('configuration-invalid'));
  if (loaded instanceof Error) return { effect: 'refused', message: loaded.message } as const;
  const origin = key === undefined ? undefined : loaded.originOf(key.split('.'));
  if (origin?.kind === 'environment')
    return {
      effect: 'overruled',
      message: `${origin.place} wins over it: change it there`,
    } as const;
  const expected = toFailure(
    'not-running',
    'not-allowed',
    'command-failed',
    'configuration-invalid',
    'usage-invalid',
  );
  const failure = await reloadAgent(await context.resolvePlaces(options), loaded.file).catch(
    expected,
  );
  if (failure === undefined)
    return { effect: 'taken-over', message: 'The running agent is using it.' } as const;
  if (failure.code === 'not-running') return { effect: 'no-agent', message: undefined } as const;
  if (failure.code === 'usage-invalid') context.setExitCode(64);
  const restart =
    failure.code === 'configuration-invalid'
      ? '. To restart it: sudo systemctl restart tributary'
      : '';
  return {
    effect: 'not-taken-over',
    message: `The agent did not apply it: ${failure.message}${restart}`,
  } as const;
}
