import type { Command } from 'commander';
import { hasCode } from '../lib/errors.ts';
import type { CommandContext, PathOptions } from './context.ts';

interface ConfigOptions extends PathOptions {
  readonly json?: boolean;
}

/** Adds `tributary config check`, `show`, `set` and `schema`. */
export function registerConfig(program: Command, context: CommandContext): void {
  const group = program.command('config').description('check and show the configuration');
  group
    .command('check')
    .description('every error of the configuration, or ok')
    .option('--json', 'as JSON')
    .action(async (_options: ConfigOptions, command: Command) => {
      await check(command.optsWithGlobals<ConfigOptions>(), context);
    });
  group
    .command('show')
    .description('every key with the value in force and where it comes from; secrets stay hidden')
    .option('--json', 'as JSON')
    .action(async (_options: ConfigOptions, command: Command) => {
      await show(command.optsWithGlobals<ConfigOptions>(), context);
    });
  group
    .command('set')
    .argument('<key>', 'such as service.base_url')
    .argument('<value>', 'as it would stand in the file: friends, 500 GB, [25, 26]')
    .description('write one value into the configuration file; comments and other keys stay')
    .option('--json', 'as JSON')
    .action(async (key: string, text: string, _options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      const { setConfigKey } = await import('../config/set-key.ts');
      const { environment } = context;
      const file = await setConfigKey({ configPath: options.config, environment, key, text });
      const said =
        options.json === true ? JSON.stringify({ file, key, value: text }) : `${key} is ${text} now, in ${file}`;
      context.stdout.write(`${said}\n`);
    });
  group
    .command('schema')
    .description('the JSON schema of the configuration file')
    .option('--json', 'as JSON (it always is)')
    .action(async () => {
      const { renderJsonSchema } = await import('../config/json-schema.ts');
      context.stdout.write(renderJsonSchema());
    });
}

async function check(options: ConfigOptions, context: CommandContext): Promise<void> {
  const loaded = await load(options, context).catch((error: unknown) => {
    if (options.json === true && hasCode(error, 'configuration-invalid')) {
      const problems = error.message.split('\n').slice(1);
      context.stdout.write(`${JSON.stringify({ ok: false, problems, warnings: [] })}\n`);
    }
    throw error;
  });
  if (options.json === true) {
    context.stdout.write(`${JSON.stringify({ ok: true, problems: [], warnings: loaded.warnings })}\n`);
    return;
  }
  for (const warning of loaded.warnings)
    context.stdout.write(context.paint('yellow', `warning: ${warning}`).concat('\n'));
  context.stdout.write(`${context.paint('green', 'ok')}\n`);
}

async function show(options: ConfigOptions, context: CommandContext): Promise<void> {
  const { renderShownConfig, toShownConfig } = await import('../config/show.ts');
  const shown = toShownConfig(await load(options, context));
  context.stdout.write(options.json === true ? `${JSON.stringify(shown, null, 2)}\n` : renderShownConfig(shown));
}

async function load(options: ConfigOptions, context: CommandContext) {
  const { loadConfig } = await import('../config/load.ts');
  return loadConfig({ configPath: options.config, stateDirectory: options.stateDir, environment: context.environment });
}
