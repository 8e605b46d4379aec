import { findLoaded } from './loaded.ts';
import type { Module } from './module-graph.ts';
import type { Rule } from './rule.ts';

const daemon = 'src/agent/run-agent.ts';

const notLoaded: readonly {
  readonly name: RegExp;
  readonly why: string;
  readonly sample: string;
}[] = [
  {
    name: /^commander$/,
    why: 'the command line is read before the agent begins',
    sample: 'commander',
  },
  {
    name: /^hono(\/|$)|^@hono\//,
    why: 'the status server is node:http',
    sample: '@hono/node-server',
  },
  { name: /^jose$/, why: 'the agent signs and checks nothing', sample: 'jose' },
  { name: /^node:sqlite$/, why: 'the agent has no database', sample: 'node:sqlite' },
  {
    name: /^yaml$/,
    why: 'it is needed only where there is a configuration file, when that is read',
    sample: 'yaml',
  },
  { name: /^execa$/, why: 'it is loaded when the first program is run', sample: 'execa' },
  {
    name: /^undici$/,
    why: 'its front door loads fetch, caches and a test kit; transport.ts takes the three files it needs',
    sample: 'undici',
  },
  {
    name: /^undici\//,
    why: 'the first fence does not wait for it',
    sample: 'undici/lib/dispatcher/pool.js',
  },
  { name: /^node:http2$/, why: 'the service is spoken to in HTTP/1.1', sample: 'node:http2' },
  {
    name: /^src\/service\/openapi(-schemas)?\.ts$/,
    why: 'the document of the interface is made from every schema, which the agent makes only as it uses them',
    sample: '../service/openapi.ts',
  },
  {
    name: /^src\/reference-service\//,
    why: 'it is another program',
    sample: '../reference-service/server.ts',
  },
  {
    name: /^src\/doctor\//,
    why: 'it is asked for by hand, in a process of its own',
    sample: '../doctor/checks.ts',
  },
  {
    name: /^src\/status\/(page\/|text\.ts$)/,
    why: 'the page is loaded when somebody first looks at it',
    sample: '../status/page/page.ts',
  },
  { name: /^tools\//, why: 'it is another program', sample: '../../tools/lab/lab.ts' },
  {
    name: /^src\/cli\//,
    why: 'commands start the agent, not the other way round',
    sample: '../cli/commands/advanced/run.ts',
  },
  {
    name: /^src\/namespace\//,
    why: 'the namespace is made before the agent begins in it',
    sample: '../namespace/up.ts',
  },
];

/** What the agent, which runs for years on small devices, does not carry along. */
export const daemonRules: readonly Rule[] = notLoaded.map(({ name, why, sample }) => ({
  name: `the daemon does not load ${sample}`,
  reason: why,
  find: (modules: readonly Module[]) => {
    const { files, outside } = findLoaded(modules, daemon);
    return [...files, ...outside]
      .filter((path) => name.test(path))
      .map((path) => `${daemon} comes to load ${path}`);
  },
  broken: [
    {
      [daemon]: "import { deep } from './state.ts';",
      'src/agent/state.ts': `import '${sample}'; export const deep = 1;`,
    },
  ],
}));
