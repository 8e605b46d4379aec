import type { LoadedConfig } from '../config/load.ts';
import { hasCode } from '../lib/errors.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import type { CommandGroup, Given } from './command.ts';
import type { CommandContext, PathOptions } from './context.ts';
import { loadConfig } from './load-config.ts';

/** `tributary config check`, `show`, `set` and `schema`. */
export const config: CommandGroup = {
  name: 'config',
  description: 'check and show the configuration',
  commands: [
    {
      usage: 'check',
      description: 'every error of the configuration, or ok',
      options: { '--json': 'as JSON' },
      act: check,
    },
    {
      usage: 'show',
      description: 'every key with the value in force and where it comes from; secrets stay hidden',
      options: { '--json': 'as JSON' },
      act: show,
    },
    {
      usage: 'set <key> <value>',
      description: 'write one value into the configuration file; comments and other keys stay',
      arguments: {
        key: 'such as service.base_url',
        value: 'as it would stand in the file: friends, 500 GB, [25, 26]',
      },
      options: { '--json': 'as JSON' },
      act: set,
    },
    {
      usage: 'schema',
      description: 'the JSON schema of the configuration file',
      options: { '--json': 'as JSON (it always is)' },
      async act(_given, context) {
        const { renderJsonSchema } = await import('../config/json-schema.ts');
        context.stdout.write(renderJsonSchema());
      },
    },
  ],
};

async function check({ options }: Given<object>, context: CommandContext): Promise<void> {
  const loaded = await loadWithLists(options, context).catch((error: unknown) => {
    if (options.json === true && hasCode(error, 'configuration-invalid')) {
      const problems = error.message.split('\n').slice(1);
      context.stdout.write(`${toPlainJson({ ok: false, problems, warnings: [] })}\n`);
    }
    throw error;
  });
  if (options.json === true) {
    context.stdout.write(`${toPlainJson({ ok: true, problems: [], warnings: loaded.warnings })}\n`);
    return;
  }
  for (const warning of loaded.warnings) context.stdout.write(`${context.paint('yellow', `warning: ${warning}`)}\n`);
  context.stdout.write(`${context.paint('green', 'ok')}\n`);
}

/** The files of `gateway.deny_destinations` are read too: their errors are errors of the configuration here. */
async function loadWithLists(options: PathOptions, context: CommandContext): Promise<LoadedConfig> {
  const loaded = await loadConfig(options, context);
  const { readAddressList } = await import('../system/address-list.ts');
  const { splitDenied } = await import('../config/deny-destinations.ts');
  const { createConfigError } = await import('../config/problems.ts');
  const looked = splitDenied(loaded.config.gateway.deny_destinations).files.map((path) =>
    readAddressList(path).then(
      () => [],
      (error: unknown) => {
        if (!hasCode(error, 'list-refused')) throw error;
        return [{ path: ['gateway', 'deny_destinations'], text: error.message }];
      },
    ),
  );
  const problems = (await Promise.all(looked)).flat();
  if (problems.length === 0) return loaded;
  throw createConfigError(problems, (path) => {
    const origin = loaded.originOf(path);
    return origin.kind === 'default' ? undefined : origin.place;
  });
}

async function show({ options }: Given<object>, context: CommandContext): Promise<void> {
  const { renderShownConfig, toShownConfig } = await import('../config/show.ts');
  const shown = toShownConfig(await loadConfig(options, context));
  context.stdout.write(options.json === true ? `${toPlainJson(shown, 2)}\n` : renderShownConfig(shown));
}

async function set({ words: [key = '', text = ''], options }: Given<object>, context: CommandContext): Promise<void> {
  const { setConfigKey } = await import('../config/set-key.ts');
  const { environment } = context;
  const { path: file, shown } = await setConfigKey({ configPath: options.config, environment, key, text });
  const said = options.json === true ? toPlainJson({ file, key, value: shown }) : `${key} is ${shown} now, in ${file}`;
  context.stdout.write(`${said}\n`);
}
