import { choosePlaces } from '../config/places.ts';
import type { WaysOut } from '../config/recipients.ts';
import { toUndefined } from '../lib/errors.ts';
import type { CommandGroup } from './command.ts';
import { type CommandContext, loadConfig, type PathOptions } from './context.ts';

export const namespace: CommandGroup = {
  usage: 'namespace',
  description: "the agent's own network namespace on this host; `run` makes one of its own when you start it by hand",
  commands: [
    {
      usage: 'up',
      description: 'make it, with its wire to the host and the fence around it; safe to repeat',
      async act({ options }, context) {
        const waysOut = await readWaysOut(options, context);
        const { bringNamespaceUp } = await import('../namespace/up.ts');
        const uplink = await bringNamespaceUp(await openDoctorHost(options, context), waysOut);
        context.stdout.write(
          uplink === undefined
            ? 'The namespace tributary is up, and closed: this host has no default route yet. Repeat this when it has one.\n'
            : `The namespace tributary is up; it leads out by ${uplink}.\n`,
        );
      },
    },
    {
      usage: 'down',
      description: 'remove it and every change to the host; safe to repeat',
      async act({ options }, context) {
        const { takeNamespaceDown } = await import('../namespace/up.ts');
        await takeNamespaceDown(await openDoctorHost(options, context));
        context.stdout.write('The namespace tributary is gone.\n');
      },
    },
  ],
};

/** What was made has to be removed whatever the configuration says by now: its place does not depend on it. */
async function openDoctorHost({ stateDir }: PathOptions, { environment }: CommandContext) {
  const { openNamespaceHost } = await import('../namespace/run-inside.ts');
  return openNamespaceHost(choosePlaces({ environment, stateDirectory: stateDir }).stateDirectory);
}

/** With a configuration that is refused the namespace is as closed as it can be; `run` in it says what is wrong. */
async function readWaysOut(options: PathOptions, context: CommandContext): Promise<WaysOut> {
  const loaded = await loadConfig(options, context).catch(toUndefined('configuration-invalid'));
  if (loaded !== undefined) return loaded.waysOut;
  context.stderr.write('tributary: the configuration is refused, so nothing in it counts here\n');
  const { configSchema } = await import('../config/schema.ts');
  const { findWaysOut } = await import('../config/recipients.ts');
  const { gateway, report } = configSchema.shape;
  return findWaysOut({ gateway: gateway.parse({}), report: report.parse({}) });
}
