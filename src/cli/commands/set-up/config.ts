import type { LoadedConfig } from '../../../config/load.ts';
import { hasCode, toFailure } from '../../../errors/codes.ts';
import { toPlainJson } from '../../../lib/plain-text.ts';
import type { CommandGroup } from '../../frame/command.ts';
import { type CommandContext, loadConfig, type PathOptions } from '../../frame/context.ts';
import { joinLines } from '../../present/text.ts';
import { edit } from './config-edit.ts';
import { get, set, unset } from './config-set.ts';

export const config: CommandGroup = {
  usage: 'config',
  description: 'check, show and change the configuration',
  commands: [
    {
      usage: 'check',
      description: 'list every error in the configuration, or print ok',
      examples: { 'tributary config check': 'after a change, before a restart' },
      options: { '--json': 'one JSON object' },
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
      options: { '--json': 'one JSON object' },
      async act({ options }, context) {
        const { renderShownConfig, toShownConfig } = await import('../../../config/show.ts');
        const shown = toShownConfig(await loadConfig(options, context));
        context.stdout.write(
          options.json === true ? `${toPlainJson(shown, 2)}\n` : renderShownConfig(shown),
        );
      },
    },
    get,
    set,
    unset,
    edit,
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
