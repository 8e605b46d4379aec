/** What a layer may import of ours: folders below src, '' for the files at the root. */
export interface Layer {
  readonly folders: readonly string[];
  readonly values: readonly string[];
  /** Besides `values`; types are gone when the program runs. */
  readonly types: readonly string[];
  readonly reason: string;
}

const domains = ['config', 'identity', 'tunnel', 'gateway', 'provide', 'report', 'status', 'namespace'] as const;
const ground = ['lib', 'system', 'service'] as const;

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
  // Each domain sees itself and the others' types.
  ...domains.map((domain) => ({
    folders: [domain],
    values: [...ground, domain],
    types: domains,
    reason: 'domains know of each other by their types only; what joins them is written down at the root of src',
  })),
  {
    folders: ['loops'],
    values: [...ground, ...domains, 'loops', ''],
    types: [],
    reason: 'a loop drives domains; no command, no lab and no other program is part of it',
  },
  {
    folders: ['doctor'],
    values: [...ground, ...domains, 'doctor'],
    types: [],
    reason: 'the doctor looks at every domain and composes nothing; the agent knows nothing of it',
  },
  {
    folders: [''],
    values: [...ground, ...domains, 'loops', ''],
    types: [],
    reason: 'the root composes the agent: the commands, the lab and the reference service compose themselves around it',
  },
  {
    folders: ['reference-service'],
    values: [...ground, 'reference-service'],
    types: [],
    reason:
      "the service's side shares operations and schemas with the agent, never the agent's own code: it would agree with its mistakes",
  },
  {
    folders: ['cli'],
    values: [...ground, ...domains, 'doctor', '', 'cli'],
    types: [],
    reason: 'a command composes what is below it; the lab is no part of the program',
  },
  {
    folders: ['packaging'],
    values: ['lib', 'system', '', 'cli', 'packaging'],
    types: [],
    reason: 'what makes the packages reads the command line to describe it, and is no part of the program',
  },
  {
    folders: ['lab'],
    values: [...ground, 'status', 'lab'],
    types: domains,
    reason: 'the lab starts the program as its owner would and asks it over its socket; it reaches into no agent',
  },
];

/** A crossing of layers that is meant: it says why, and an exception that nobody uses is an error. */
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
    to: 'src/reference-service/server.ts',
    reason: 'the one command that runs the reference service, loaded when it is asked for',
  },
  {
    from: 'src/cli/sandbox-orders.ts',
    to: 'src/reference-service/orders.ts',
    reason: 'its orders are commands, by name; only the name is shared, as a type',
  },
  {
    from: 'src/cli/give-order.ts',
    to: 'src/reference-service/',
    reason: 'an order goes to the service that runs, or is done on its database where none does',
  },
  {
    from: 'src/cli/sandbox-seed.ts',
    to: 'src/reference-service/seed.ts',
    reason: 'the one command that fills the database of the reference service, loaded when it is asked for',
  },
  {
    from: 'src/reference-service/http.ts',
    to: 'src/version.ts',
    reason: 'the description of the interface says of which version it is, and the version is said in one place',
  },
  {
    from: 'src/namespace/host-ruleset.ts',
    to: 'src/gateway/policy.ts',
    reason: 'both fences refuse the same special prefixes, from one list of constants',
  },
  {
    from: 'src/status/page/clock.ts',
    to: 'src/provide/zone.ts',
    reason: 'midnight on the page is the midnight of schedule and cap, by the same pure functions',
  },
  {
    from: 'src/namespace/up.ts',
    to: 'src/gateway/uplink.ts',
    reason: "the host's uplink and own prefixes are found by the same pure functions as the device's",
  },
];
