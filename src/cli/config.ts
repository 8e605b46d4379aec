import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { hasCode } from '../lib/errors.ts';
import type { CommandContext, PathOptions } from './context.ts';

interface ConfigOptions extends PathOptions {
  readonly json?: boolean;
}

/** Adds `tributary config check`, `show` and `schema`. */
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

function load(options: ConfigOptions, context: CommandContext) {
  return loadConfig({ configPath: options.config, stateDirectory: options.stateDir, environment: context.environment });
}
