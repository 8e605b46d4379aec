import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../../../tools/lab/lab.ts';
import type { NastyScript } from '../../../tools/lab/nasty-service.ts';
import { addresses } from '../../../tools/lab/network.ts';
import { startProcess } from '../../../tools/lab/processes.ts';

const port = 8081;

/** Where the agent finds it: for `service.base_url` of the lab's configuration. */
export const nastyUrl = `http://${addresses.proxy}:${port}`;

/** A service that behaves until it is told otherwise. */
export interface NastyService {
  /** Holds from the next request on; `{}` is good again. */
  behave(script: NastyScript): Promise<void>;
  /**
   * Requests so far, "METHOD PATH" each; "lost PATH" where the service did it and the answer was
   * dropped.
   */
  readonly requests: readonly string[];
  /** Ends it: connections are refused from now on. */
  stop(): Promise<void>;
}

/** Starts it on the lab's proxy, in front of the reference service. */
export async function startNastyService(lab: Lab): Promise<NastyService> {
  const scriptFile = join(lab.directory, 'nasty.json');
  // In one step: the service reads it at any moment, and half of it would be its end.
  const behave = async (script: NastyScript) => {
    await writeFile(`${scriptFile}.new`, JSON.stringify(script));
    await rename(`${scriptFile}.new`, scriptFile);
  };
  await behave({});
  const program = join(import.meta.dirname, '../../../tools/lab/nasty-service.ts');
  const argv = lab.network.on(
    'proxy',
    process.execPath,
    program,
    addresses.proxy,
    String(port),
    lab.baseUrl,
    scriptFile,
  );
  const running = startProcess({ argv });
  await running.waitForLine((line) => line === 'listening');
  return {
    behave,
    requests: running.lines,
    async stop() {
      running.kill('SIGKILL');
      await running.exited;
    },
  };
}
