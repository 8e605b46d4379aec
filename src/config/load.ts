import type { ServiceAddress } from '../service/url.ts';
import { findCombinationProblems, findWarnings } from './combinations.ts';
import { type ConfigFile, defaultConfigPath, readConfigFile } from './config-file.ts';
import { readCredentials } from './credentials.ts';
import { type EnvironmentValue, readKeysFromEnvironment } from './environment.ts';
import { listConfigKeys, pickValidKeys } from './keys.ts';
import { findProxyWarnings } from './node-variables.ts';
import { choosePlaces, type PlacesOptions } from './places.ts';
import { createConfigError, explainIssues, type Problem, renderPath } from './problems.ts';
import { findWaysOut } from './recipients.ts';
import { configSchema } from './schema.ts';
import { type ConfigTree, valueAt, withValue } from './tree.ts';

export interface LoadConfigOptions extends Omit<PlacesOptions, 'socket'> {
  readonly knownProblems?: readonly Problem[];
}

/** Everything that the owner gave, checked. */
export type LoadedConfig = Readonly<Awaited<ReturnType<typeof loadConfig>>>;

/**
 * File and environment, which wins; nothing else reads it. @throws configuration-invalid, a line
 * for each problem
 */
export async function loadConfig(options: LoadConfigOptions) {
  const file = await readConfigFile(options);
  const fromEnvironment = await readKeysFromEnvironment(options.environment, listConfigKeys());
  const found = await readCredentials(options.environment);
  // A key that is a secret may be handed in like one.
  const url = found.credentials.webhookUrl;
  const handedIn = url && {
    path: webhookUrl,
    name: found.places.webhookUrl ?? '',
    value: url.reveal(),
  };
  const values = [...(handedIn ? [handedIn] : []), ...fromEnvironment.values];
  // The one section with a key that must be there: what is missing is then that key.
  const written: ConfigTree = { service: {}, ...file.tree };
  const given = values.reduce((tree, { path, value }) => withValue(tree, path, value), written);
  const originOf = createOriginOf(file, values);
  const parsed = configSchema.safeParse(given);
  const config = parsed.success ? parsed.data : pickValidKeys(given);
  const caFile = config.service?.ca_file;
  // Loaded late: most services are vouched for by those that Node knows.
  const authority =
    caFile === undefined ? {} : await (await import('./authority.ts')).readAuthority(caFile);
  const combined = await findCombinationProblems(config, given);
  const problems = [
    ...(options.knownProblems ?? []),
    ...file.problems,
    ...fromEnvironment.problems,
    ...found.problems,
    // Where the file cannot be read as a whole, what its keys seem to say would only be noise.
    ...(file.tree ? [...explainIssues(parsed.error?.issues ?? [], given), ...combined] : []),
    ...(authority.problem ? [authority.problem] : []),
  ];
  if (!parsed.success || problems.length > 0)
    throw createConfigError(
      file.path === undefined ? problems.map(withoutFile) : problems,
      // What is missing belongs to the file, at its nearest key.
      (path) => originOf(path).place ?? file.placeOf(path),
    );
  const { base_url: baseUrl, allow_insecure_http: allowInsecureHttp } = parsed.data.service;
  const service: ServiceAddress = {
    baseUrl,
    allowInsecureHttp,
    certificateAuthority: () => authority.text,
  };
  return {
    config: parsed.data,
    service,
    /** As it was written, in file or environment, with its units. */
    given,
    file: file.path,
    originOf,
    waysOut: findWaysOut(parsed.data),
    credentials: found.credentials,
    credentialPlaces: found.places,
    warnings: [
      ...findWarnings(parsed.data, found.credentials.statusToken),
      ...findProxyWarnings(options.environment),
    ],
    ...choosePlaces({ ...options, socket: parsed.data.status.socket }),
  };
}

const webhookUrl = ['report', 'webhook', 'url'];

/** A missing address without any file is mostly a first start. */
function withoutFile(problem: Problem): Problem {
  if (renderPath(problem.path) !== 'service.base_url' || !problem.text.startsWith('missing'))
    return problem;
  const ways =
    'create it with `tributary setup`, or use --config FILE or TRIBUTARY_SERVICE_BASE_URL';
  const text = `missing, and there is no ${defaultConfigPath}; ${ways}`;
  return { ...problem, text, action: 'Set this device up: sudo tributary setup' };
}

/**
 * Where a key's value comes from: `place` is a file with its line, or the environment name;
 * undefined for a default.
 */
function createOriginOf(file: ConfigFile, values: readonly EnvironmentValue[]) {
  return (path: readonly PropertyKey[]) => {
    // An element of a list comes from where the list comes from.
    const value = values.findLast((own) => own.path.every((part, index) => part === path[index]));
    if (value !== undefined) return { kind: 'environment', place: value.name } as const;
    const place = valueAt(file.tree, path) === undefined ? undefined : file.placeOf(path);
    return place === undefined
      ? ({ kind: 'default', place } as const)
      : ({ kind: 'file', place } as const);
  };
}
