import type { WaysOut } from '../../../config/recipients.ts';
import { toUndefined } from '../../../errors/codes.ts';
import type { NamespaceFit } from '../../../namespace/up.ts';
import type { CommandGroup } from '../../frame/command.ts';
import { type CommandContext, loadConfig, type PathOptions } from '../../frame/context.ts';

export const namespace: CommandGroup = {
  usage: 'namespace',
  description:
    "create or remove the agent's network namespace here; `run` creates its own when you start it by hand",
  commands: [
    {
      usage: 'up',
      description:
        'create the namespace, its link to the host and the fence around it; safe to repeat',
      examples: {
        'sudo tributary namespace up': 'before you start an agent that does not create it',
      },
      async act({ options }, context) {
        const waysOut = await readWaysOut(options, context);
        const { bringNamespaceUp } = await import('../../../namespace/up.ts');
        const { openNamespaceHost } = await import('../../../namespace/run-inside.ts');
        const { warnOfNoServer } = await import('../../../namespace/name-servers.ts');
        const fit = await bringNamespaceUp(openNamespaceHost(), waysOut);
        const { uplink, nameServers } = fit;
        context.stdout.write(
          uplink === undefined
            ? `The namespace tributary is up, and closed: ${explainClosed(fit)}\n`
            : `The namespace tributary is up; it leads out by ${uplink}.\n`,
        );
        if (uplink !== undefined) context.stderr.write(warnOfNoServer(nameServers) ?? '');
      },
    },
    {
      usage: 'down',
      description: 'remove the namespace and every change to the host; safe to repeat',
      examples: { 'sudo tributary namespace down': 'put the host back as it was' },
      async act(_given, context) {
        const { takeNamespaceDown } = await import('../../../namespace/up.ts');
        const { openNamespaceHost } = await import('../../../namespace/run-inside.ts');
        await takeNamespaceDown(openNamespaceHost());
        context.stdout.write('The namespace tributary is gone.\n');
      },
    },
  ],
};

function explainClosed({
  configured,
  whyNone,
}: Pick<NamespaceFit, 'configured' | 'whyNone'>): string {
  if (configured !== undefined)
    return `gateway.uplink names ${configured}, which is down or not there. See: ip -br link`;
  const missing = 'this host has no way to the Internet over IPv4';
  return whyNone === undefined
    ? `${missing} yet. Repeat this when it has one.`
    : `${missing}: ${whyNone}.`;
}

/**
 * With a configuration that has errors, the namespace is closed as far as possible. `run` in it
 * reports the errors.
 */
async function readWaysOut(options: PathOptions, context: CommandContext): Promise<WaysOut> {
  const loaded = await loadConfig(options, context).catch(toUndefined('configuration-invalid'));
  if (loaded !== undefined) return loaded.waysOut;
  context.stderr.write(
    'tributary: the configuration has errors and is ignored here: tributary config check\n',
  );
  const { configSchema } = await import('../../../config/schema.ts');
  const { findWaysOut } = await import('../../../config/recipients.ts');
  const { gateway, report } = configSchema.shape;
  return findWaysOut({ gateway: gateway.parse({}), report: report.parse({}) });
}
