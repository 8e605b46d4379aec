import type { ProvideMode } from '../service/profiles.ts';

/** What a mode means to the owner, wherever one is chosen, shown or explained. */
export interface ModeWords {
  /** Who may use the device: `anyone, for rewards`. */
  readonly who: string;
  /** What else to know before it is chosen. */
  readonly consequence: string;
  /** What the device does while the mode is in force. */
  readonly state: string;
}

export const modeWords: Readonly<Record<ProvideMode, ModeWords>> = {
  none: {
    who: 'nobody',
    consequence: 'the device stays registered and connected',
    state: 'Not sharing',
  },
  network: {
    who: 'your own devices',
    consequence: 'the least risk',
    state: 'Sharing with your own network',
  },
  friends: {
    who: 'people you named at the service',
    consequence: 'websites see your address for what they do',
    state: 'Sharing with friends',
  },
  public: {
    who: 'anyone, for rewards',
    consequence: "strangers use your address, so read your Internet provider's terms first",
    state: 'Sharing with everyone',
  },
  stream: {
    who: 'anyone, tuned for streaming',
    consequence: 'as public, with more data',
    state: 'Sharing with everyone',
  },
  default: {
    who: "the service's default, which may be anyone",
    consequence: 'the service decides',
    state: 'Sharing',
  },
};

/** Modes in which strangers may come. */
export const openModes: ReadonlySet<string> = new Set<ProvideMode>(['public', 'stream', 'default']);

/** What is risked in a mode that lets strangers in; undefined for any other text. */
export function explainRisk(mode: string): string | undefined {
  if (!openModes.has(mode)) return undefined;
  if (mode === 'default') return 'In default the service decides who comes, and it may be anyone.';
  return `In ${mode}, anyone may come: ${modeWords.public.consequence}.`;
}
