/** Loads what `run` loads until it provides, and does nothing with it. */
export async function loadAll(): Promise<void> {
  await Promise.all([
    import('../main.ts'),
    import('../cli/run.ts'),
    import('../config/node-variables.ts'),
    import('../namespace/run-inside.ts'),
    import('./run-agent.ts'),
    import('../service/transport.ts'),
    import('./systemd.ts'),
    import('execa'),
    import('yaml'),
  ]);
}
