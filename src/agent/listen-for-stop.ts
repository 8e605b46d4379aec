/**
 * One abort signal for the whole process, by SIGTERM and SIGINT. SIGHUP reads the configuration
 * again.
 */
export function listenForStop(
  signals: Pick<NodeJS.Process, 'on' | 'off'>,
  on: { readonly hangUp: () => void; readonly uncaught: (error: unknown) => void },
) {
  const controller = new AbortController();
  const crash = Promise.withResolvers<void>();
  // It is looked at once the loops run.
  crash.promise.catch(() => undefined);
  const stop = () => {
    controller.abort();
    crash.resolve();
  };
  const handlers = Object.entries({
    SIGTERM: stop,
    SIGINT: stop,
    SIGHUP: on.hangUp,
    // What nothing caught is a bug. It ends the agent as one in a loop does: torn down, not at
    // once. During the end it ends nothing more.
    uncaughtException(error: unknown) {
      on.uncaught(error);
      crash.reject(error);
    },
  });
  for (const [name, handle] of handlers) signals.on(name, handle);
  return {
    signal: controller.signal,
    /** Resolves when the agent is stopped, rejects with what nothing caught. */
    untilCrash: crash.promise,
    now: stop,
    [Symbol.dispose]() {
      for (const [name, handle] of handlers) signals.off(name, handle);
    },
  };
}
