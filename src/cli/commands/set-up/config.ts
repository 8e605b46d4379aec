import type { LoadedConfig } from '../../../config/load.ts';
import {
  hasCode,
  messageOf,
  systemCodeOf,
  TributaryError,
  toFailure,
} from '../../../errors/codes.ts';
import { toPlainJson } from '../../../lib/plain-text.ts';
import { type CommandGroup, renderCommand } from '../../frame/command.ts';
import { type CommandContext, loadConfig, type PathOptions } from '../../frame/context.ts';
import { joinLines } from '../../present/text.ts';
import { reloadAgent } from './reload.ts';

export const config: CommandGroup = {
  usage: 'config',
  description: 'check, show and change the configuration',
  commands: [
    {
      usage: 'check',
      description: 'list every error in the configuration, or print ok',
      examples: { 'tributary config check': 'after a change, before a restart' },
      options: { '--json': 'as JSON' },
      async act({ options, show }, context) {
        const { paint } = context;
        const loaded = await loadWithLists(options, context).catch(async (error: unknown) => {
          if (hasCode(error, 'configuration-invalid')) {
            await show(
              { ok: false, problems: error.message.split('\n').slice(1), warnings: [] },
              () => '',
            );
          }
          throw error;
        });
        const warnings = [...loaded.warnings, ...(await findKeptAway(loaded))];
        await show({ ok: true, problems: [], warnings }, (told) =>
          joinLines([
            ...told.warnings.map((text) => paint('yellow', `warning: ${text}`)),
            paint('green', 'ok'),
          ]),
        );
      },
    },
    {
      usage: 'show',
      description: 'every key with the value in force and where it comes from; secrets stay hidden',
      examples: {
        'tributary config show': 'as a table',
        'tributary config show --json': 'for a script',
      },
      options: { '--json': 'as JSON' },
      async act({ options }, context) {
        const { renderShownConfig, toShownConfig } = await import('../../../config/show.ts');
        const shown = toShownConfig(await loadConfig(options, context));
        context.stdout.write(
          options.json === true ? `${toPlainJson(shown, 2)}\n` : renderShownConfig(shown),
        );
      },
    },
    {
      usage: 'set <key> <value>',
      description: 'write one value into the configuration file; comments and other keys stay',
      arguments: {
        key: 'a key, such as service.base_url; config show lists them all',
        value: 'as you would write it in the file: friends, 500 GB, [25, 26]',
      },
      options: { '--json': 'as JSON' },
      examples: {
        'sudo tributary config set provide.mode friends': 'a running agent uses it at once',
      },
      async act({ words: [key = '', text = ''], options, show }, context) {
        const { setConfigKeys, toShownValue } = await import('../../../config/set-key.ts');
        const { chooseConfigPath } = await import('../../../config/config-file.ts');
        const file = chooseConfigPath({
          configPath: options.config,
          environment: context.environment,
        });
        const value = toShownValue({ key, text });
        const isNew = await setConfigKeys(file, [{ key, text }], context.environment).catch(
          (error: unknown) => {
            throw askForRights(
              error,
              `sudo ${renderCommand(['config', 'set', key, text], options)}`,
            );
          },
        );
        const effect = await findEffect(key, options, context);
        const risk = key === 'provide.mode' ? await findRisk(text) : undefined;
        await show({ file, key, value, ...effect }, (told) =>
          joinLines([
            `${told.key} is now ${told.value}, in ${told.file}${isNew ? ' (a new file)' : ''}`,
            // Errors of the file that was just written are the program's own, a line for each.
            effect.effect === 'refused' ? effect.message : told.message,
            risk,
          ]),
        );
      },
    },
    {
      usage: 'schema',
      description: 'the JSON schema of the configuration file',
      examples: { 'tributary config schema > tributary.schema.json': 'for an editor' },
      options: { '--json': 'no effect: the output is always JSON' },
      async act(_given, context) {
        const { renderJsonSchema } = await import('../../../config/json-schema.ts');
        context.stdout.write(renderJsonSchema());
      },
    },
  ],
};

/**
 * Where this user may not write the file, an error that says who may; any other error unchanged.
 */
export function askForRights(error: unknown, action: string): unknown {
  const code = error instanceof TributaryError ? systemCodeOf(error.cause) : undefined;
  if (code !== 'EACCES' && code !== 'EPERM') return error;
  return new TributaryError('not-allowed', messageOf(error), { cause: error, action });
}

/** The effect of a change: whether the environment overrules it, and what the running agent did. */
async function findEffect(key: string, options: PathOptions, context: CommandContext) {
  const loaded = await loadConfig(options, context).catch(toFailure('configuration-invalid'));
  if (loaded instanceof Error) return { effect: 'refused', message: loaded.message } as const;
  const { kind, place } = loaded.originOf(key.split('.'));
  if (kind === 'environment')
    return { effect: 'overruled', message: `${place} wins over it: change it there` } as const;
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

/**
 * Loads the configuration and the files of addresses that it names. Errors in those files count
 * as errors of the configuration here.
 */
async function loadWithLists(options: PathOptions, context: CommandContext): Promise<LoadedConfig> {
  const loaded = await loadConfig(options, context);
  const { badListRules, deniedListRules, readAddressList } = await import(
    '../../../system/address-list.ts'
  );
  const { splitDenied } = await import('../../../config/deny-destinations.ts');
  const { createConfigError } = await import('../../../config/problems.ts');
  const keys = { deny_destinations: deniedListRules, bad_addresses: badListRules } as const;
  const looked = (['deny_destinations', 'bad_addresses'] as const).flatMap((key) =>
    splitDenied(loaded.config.gateway[key]).files.map(async (path) => {
      const read = await readAddressList(path, keys[key]).catch(toFailure('list-refused'));
      const text = read instanceof Error ? read.message : read.skipped;
      return text === undefined ? [] : [{ path: ['gateway', key], text }];
    }),
  );
  const problems = (await Promise.all(looked)).flat();
  if (problems.length === 0) return loaded;
  throw createConfigError(problems, (path) => loaded.originOf(path).place);
}

async function findRisk(mode: string): Promise<string | undefined> {
  const { explainRisk } = await import('../../../status/mode-words.ts');
  return explainRisk(mode);
}

/**
 * Finds what the agent cannot reach from its own network: on a host, what is on this machine itself
 * or has a name in a private network.
 */
async function findKeptAway({ config }: LoadedConfig): Promise<readonly string[]> {
  const { exec } = await import('../../../system/exec.ts');
  const { findHostHardware } = await import('../../../system/host-hardware.ts');
  if ((await findHostHardware(exec).catch(() => undefined)) === undefined) return [];
  const { resolveName } = await import('../../../doctor/probe-network.ts');
  const { explainKeptAway } = await import('../../../namespace/host-ruleset.ts');
  const { findLoopbackWarnings, listRecipients } = await import('../../../config/recipients.ts');
  const { isLoopback } = await import('../../../service/url.ts');
  const named = listRecipients(config).filter(({ host }) => !isLoopback(host));
  const keptAway = named.map(async ({ key, host }) => {
    const address = await resolveName(exec, host);
    const why = explainKeptAway(host, address, config.gateway.allow_destinations);
    const unless =
      key === 'service.base_url'
        ? ', unless gateway.allow_destinations names it'
        : '; write the address instead of the name, and it is let through';
    return why === undefined ? [] : [`${key}: ${why}${unless}`];
  });
  return [...findLoopbackWarnings(config), ...(await Promise.all(keptAway)).flat()];
}
