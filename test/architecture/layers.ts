/** What a layer may import of ours: folders below src, '' for the files at the root. */
export interface Layer {
  readonly folders: readonly string[];
  readonly values: readonly string[];
  /** Besides `values`; types are gone when the program runs. */
  readonly types: readonly string[];
  readonly reason: string;
}

/** What every room of the agent may use: neutral ground, the service's client, its own codes. */
const ground = ['lib', 'system', 'service', 'errors'] as const;
const domains = ['config', 'identity', 'source', 'gateway', 'provide', 'namespace'] as const;
/** What is known of the device, and those who show it. */
const readers = ['health', 'report', 'status'] as const;

/** From the ground up. A folder that is not named here is an error: say first where it belongs. */
export const layers: readonly Layer[] = [
  {
    folders: ['lib'],
    values: ['lib'],
    types: [],
    reason: 'lib is what everything stands on, so it stands on nothing',
  },
  {
    folders: ['system'],
    values: ['lib', 'system'],
    types: [],
    reason: 'the door to the outside knows nothing of what goes through it',
  },
  {
    folders: ['service'],
    values: ['lib', 'service'],
    types: [],
    reason: 'the interface of the service is spoken the same way by whoever speaks it',
  },
  {
    folders: ['errors'],
    values: ['lib', 'errors'],
    types: ['system', 'service'],
    reason:
      'the agent lists its own codes and, by their types, the codes of the system and of the client',
  },
  {
    folders: ['connect'],
    values: ['connect'],
    types: [],
    reason: "the network's own protocol is a product of its own: it needs neither agent nor lib",
  },
  // Each domain sees itself and the others' types.
  ...domains.map((domain) => ({
    folders: [domain],
    values: [...ground, domain],
    types: domains,
    reason: 'domains know of each other by their types only; data-path and agent join them',
  })),
  {
    folders: ['data-path'],
    values: [...ground, 'source', 'gateway', 'provide', 'namespace', 'data-path'],
    types: domains,
    reason: 'the data path joins tunnel and gateway; it knows of no phase, no report and no loop',
  },
  {
    folders: ['health'],
    values: [...ground, 'health'],
    types: [...domains, 'data-path'],
    reason: 'what is, computed from facts: whoever shows it lies above',
  },
  {
    folders: ['report'],
    values: [...ground, 'health', 'report'],
    types: domains,
    reason: 'a reader of facts changes nothing and draws no page',
  },
  {
    folders: ['status'],
    values: [...ground, 'health', 'status'],
    types: [...domains, 'report'],
    reason: 'a presenter of facts changes nothing but by what it is handed',
  },
  {
    folders: ['agent'],
    values: [...ground, ...domains, 'data-path', ...readers, 'agent', ''],
    types: [],
    reason:
      'the agent composes what is below it: the commands, the lab and the reference service are no part of it',
  },
  {
    folders: ['doctor'],
    values: [...ground, ...domains, ...readers, 'doctor'],
    types: [],
    reason: 'the doctor looks at every domain and composes nothing; the agent knows nothing of it',
  },
  {
    folders: [''],
    values: ['lib', 'errors', 'config', ''],
    types: [],
    reason: 'the entry point: nothing else lies loose',
  },
  {
    folders: ['reference-service'],
    values: ['lib', 'system', 'service', 'connect', 'reference-service'],
    types: [],
    reason:
      "the service's side shares operations, schemas and the wire with the agent, never the agent's own code: it would agree with its mistakes",
  },
  {
    folders: ['cli'],
    values: [...ground, ...domains, ...readers, 'data-path', 'agent', 'doctor', '', 'cli'],
    types: [],
    reason: 'a command composes what is below it; the lab is no part of the program',
  },
  {
    folders: ['packaging'],
    values: ['lib', 'system', 'errors', '', 'cli', 'packaging'],
    types: [],
    reason: 'what makes the packages takes the completions along, and is no part of the program',
  },
  {
    folders: ['lab'],
    values: [...ground, 'health', 'status', 'lab'],
    types: domains,
    reason:
      'the lab starts the program as its owner would and asks it over its socket; it reaches into no agent',
  },
];

/**
 * A crossing of layers that is meant: it says why, and an exception that nobody uses is an error.
 */
export interface Crossing {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export const crossings: readonly Crossing[] = [
  {
    from: 'src/main.ts',
    to: 'src/cli/',
    reason: 'the entry point leads from the command line to a command',
  },
  {
    from: 'src/cli/sandbox.ts',
    to: 'src/reference-service/commands/sandbox-commands.ts',
    reason:
      "the sandbox's commands are the reference service's own; this program offers them too, and loads them when they are asked for",
  },
  {
    from: 'src/namespace/host-ruleset.ts',
    to: 'src/gateway/policy.ts',
    reason: 'both fences refuse the same special prefixes, from one list of constants',
  },
  {
    from: 'src/namespace/host-ruleset.ts',
    to: 'src/gateway/ports.ts',
    reason: 'both fences refuse the same ports, rendered by the same pure function',
  },
  {
    from: 'src/namespace/host-connections.ts',
    to: 'src/gateway/ceilings.ts',
    reason: 'both tables count and time connections by the same expressions and seconds',
  },
  {
    from: 'src/namespace/forget.ts',
    to: 'src/gateway/ceilings.ts',
    reason: "both tables know consumers' connections by one mark",
  },
  {
    from: 'src/namespace/host-ruleset.ts',
    to: 'src/gateway/translation.ts',
    reason: 'both tables translate to their uplink by the same pure function',
  },
  {
    from: 'src/namespace/up.ts',
    to: 'src/gateway/ceilings.ts',
    reason: "the host's ceiling follows from the namespace's, by the same pure function",
  },
  {
    from: 'src/health/may-forward.ts',
    to: 'src/source/source-report.ts',
    reason: 'what it is for a source to be alive is said once, in the contract of all sources',
  },
  {
    from: 'src/source/connect/protocol.ts',
    to: 'src/connect/',
    reason: 'the engine is told and heard by its own messages; this is the one door to its package',
  },
  {
    from: 'src/status/page/clock.ts',
    to: 'src/provide/zone.ts',
    reason: 'midnight on the page is the midnight of schedule and cap, by the same pure functions',
  },
  {
    from: 'src/namespace/up.ts',
    to: 'src/gateway/uplink.ts',
    reason:
      "the host's uplink and own prefixes are found by the same pure functions as the device's",
  },
  {
    from: 'src/namespace/up.ts',
    to: 'src/gateway/way-out.ts',
    reason: "the host's ways out are judged by the same pure functions as the device's",
  },
  {
    from: 'src/namespace/plan.ts',
    to: 'src/gateway/uplink.ts',
    reason: "the name of the link's end inside is said once, for both sides of it",
  },
  {
    from: 'src/namespace/detour.ts',
    to: 'src/gateway/way-out.ts',
    reason: 'both sides name a way in the words of `ip` by the same pure function',
  },
];
