import { TributaryError } from '../../errors/codes.ts';
import type { SpeakWith } from '../../system/spoken-program.ts';
import type { EngineLifeOptions } from './engine-life.ts';
import { startEngineProcess } from './engine-process.ts';
import { type LaunchOptions, planLaunch } from './launch.ts';

/** How the engine is started. */
export interface EngineStart extends LaunchOptions {
  readonly speakWith: SpeakWith;
}

/**
 * What starts the engine's process: with its device and without capabilities, as its own user where
 * there is one, and with nothing of the agent's environment.
 * @throws engine-failed on a processor on which it would keep its capabilities
 */
export function prepareEngine({ speakWith, ...options }: EngineStart): EngineLifeOptions['start'] {
  const launch = planLaunch(options);
  if (launch === undefined) {
    const message = `the program that speaks the network's protocol does not run on ${process.arch}`;
    throw new TributaryError('engine-failed', message);
  }
  return (told) => startEngineProcess({ ...told, speakWith, launch, env: {} });
}
