import { type Problem, renderFound } from './problems.ts';

/**
 * Variables of Node that change how far it can be trusted with the owner's secrets, unless they
 * have the harmless value.
 */
const refused: Readonly<Record<string, { readonly harmless?: RegExp; readonly why: string }>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: { harmless: /^(?!0$)/, why: 'every certificate is checked' },
  NODE_EXTRA_CA_CERTS: { why: 'it is trusted for every address; use service.ca_file instead' },
  NODE_USE_SYSTEM_CA: {
    harmless: /^(?!1$)/,
    why: 'it counts for every address; use service.ca_file instead',
  },
  NODE_DEBUG: { why: 'it would print secrets; use log.level: debug instead' },
  NODE_DEBUG_NATIVE: { why: 'it would print secrets; use log.level: debug instead' },
  NODE_COMPILE_CACHE: { why: 'code would be loaded from there' },
  OPENSSL_CONF: { why: 'it can load code and weaken TLS' },
  OPENSSL_ENGINES: { why: 'it can load code' },
  OPENSSL_MODULES: { why: 'it can load code' },
};

/** Options that load no code, open no debugger, write no report and do not change TLS. */
const harmlessOptions: readonly string[] = [
  '--disable-sigusr1',
  '--dns-result-order',
  '--max-old-space-size',
  '--max-semi-space-size',
  '--no-deprecation',
  '--no-network-family-autoselection',
  '--no-warnings',
];

/**
 * Variables that would weaken an agent that runs for years, each with what was found and why it is
 * refused; and a Node that may not make code while it runs, with which no request could be made.
 */
export function findNodeProblems(
  environment: NodeJS.ProcessEnv,
  node: object = globalThis,
): readonly Problem[] {
  const variables = Object.entries(refused).flatMap(([place, { harmless, why }]): Problem[] => {
    const value = environment[place];
    if (!value || harmless?.test(value) === true) return [];
    return [{ path: [], place, text: renderFound(value, `unset, because ${why}`) }];
  });
  const options = findOptionProblems(environment.NODE_OPTIONS ?? '');
  return [...variables, ...options, ...('WebAssembly' in node ? [] : [withoutCode])];
}

/** HTTP is read by code that Node makes as it starts. */
const withoutCode: Problem = {
  path: [],
  place: 'node',
  text: 'it may not make code while it runs, and could read no answer of a service; allowed: a Node without --jitless, in a unit without MemoryDenyWriteExecute',
};

function findOptionProblems(options: string): readonly Problem[] {
  const names = options.split(/\s+/).map((word) => word.replace(/=.*$/, '').replaceAll('_', '-'));
  return names
    .filter((name) => name !== '' && !harmlessOptions.includes(name))
    .map((name) => ({
      path: [],
      place: 'NODE_OPTIONS',
      text: renderFound(name, harmlessOptions.join(', ')),
    }));
}

/**
 * A proxy can rarely be reached from the agent's network namespace, and the tunnel does not go
 * through one.
 */
export function findProxyWarnings(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(environment)
    .filter((name) => /^(https?|all)_proxy$/i.test(name) && environment[name])
    .sort()
    .map((name) => `${name}: ignored: the agent connects to the service directly`);
}
