import type { Secret } from '../lib/secret.ts';
import type { ServiceAddress } from '../service/url.ts';
import { findCombinationProblems, findWarnings } from './combinations.ts';
import { type ConfigFile, defaultConfigPath, readConfigFile } from './config-file.ts';
import type { CredentialName } from './credential-names.ts';
import { readCredentials } from './credentials.ts';
import { type EnvironmentValue, readKeysFromEnvironment } from './environment.ts';
import { listConfigKeys, pickValidKeys } from './keys.ts';
import { findProxyWarnings } from './node-variables.ts';
import { choosePlaces, type Places, type PlacesOptions } from './places.ts';
import {
  createConfigError,
  explainIssues,
  type Problem,
  renderPath,
  setUpAdvice,
} from './problems.ts';
import { findWaysOut, type WaysOut } from './recipients.ts';
import { type Config, configSchema } from './schema.ts';
import { findZoneWarnings } from './system-zone.ts';
import { type ConfigTree, valueAt, withValue } from './tree.ts';

export interface LoadConfigOptions extends Omit<PlacesOptions, 'socket'> {
  /**
   * Problems that were found elsewhere; they are reported together with the configuration's own.
   */
  readonly knownProblems?: readonly Problem[];
}

/** Where the value of a key comes from. */
export type Origin =
  | { readonly kind: 'default'; readonly place: undefined }
  /** `tributary.yaml:12`. */
  | { readonly kind: 'file'; readonly place: string }
  /** The name of the variable. */
  | { readonly kind: 'environment'; readonly place: string };

/**
 * Everything that the owner gave, checked, with defaults filled in. It is a value: nothing in it
 * changes after loading, and a reload makes another one. A caller that needs a part of it is passed
 * that part.
 */
export interface LoadedConfig extends Places {
  /** Amounts in bytes, rates in bits per second, times as the names of the keys say. */
  readonly config: Config;
  /** The service's address, and the certificates that it is checked with. */
  readonly service: ServiceAddress;
  /**
   * The values of file and environment before they were parsed, with their units and without
   * defaults.
   */
  readonly given: ConfigTree;
  /** The path of the file; undefined if it is missing. */
  readonly file: string | undefined;
  /** Where a key's value comes from. An element of a list comes from where the list does. */
  readonly originOf: (path: readonly PropertyKey[]) => Origin;
  readonly waysOut: WaysOut;
  /** The secrets that were handed in; undefined for one that was not. */
  readonly credentials: Readonly<Record<CredentialName, Secret | undefined>>;
  /** Where each secret was found: the name of a variable or of systemd's credential. */
  readonly credentialPlaces: Readonly<Record<CredentialName, string | undefined>>;
  /** Settings that are allowed but deserve a warning at each start; a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration file and the environment, which wins; nothing else reads either. Every
 * problem is reported at once.
 * @throws configuration-invalid, a line for each problem
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const file = await readConfigFile(options);
  const fromEnvironment = await readKeysFromEnvironment(options.environment, listConfigKeys());
  const found = await readCredentials(options.environment);
  // The address of a webhook may also be handed in as a secret.
  const url = found.credentials.webhookUrl;
  const handedIn = url && {
    path: webhookUrl,
    name: found.places.webhookUrl ?? '',
    value: url.reveal(),
  };
  const values = [...(handedIn ? [handedIn] : []), ...fromEnvironment.values];
  // `service` is the one section with a key that has to be set. With an empty section the missing
  // key is reported, not the section.
  const written: ConfigTree = { service: {}, ...file.tree };
  const given = values.reduce((tree, { path, value }) => withValue(tree, path, value), written);
  const originOf = createOriginOf(file, values);
  const parsed = configSchema.safeParse(given);
  const config = parsed.success ? parsed.data : pickValidKeys(given);
  const caFile = config.service?.ca_file;
  // Loaded at the first use: most services have certificates that Node can check.
  const authority =
    caFile === undefined ? {} : await (await import('./authority.ts')).readAuthority(caFile);
  const combined = await findCombinationProblems(config, given);
  const problems = [
    ...(options.knownProblems ?? []),
    ...file.problems,
    ...fromEnvironment.problems,
    ...found.problems,
    // If the file could not be parsed as a whole, problems with its keys would only be noise.
    ...(file.tree ? [...explainIssues(parsed.error?.issues ?? [], given), ...combined] : []),
    ...(authority.problem ? [authority.problem] : []),
  ];
  if (!parsed.success || problems.length > 0)
    throw createConfigError(
      problems.length === 1 ? problems.map((problem) => adviseSetup(problem, file)) : problems,
      // A missing key is reported at the nearest place in the file.
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
    given,
    file: file.path,
    originOf,
    waysOut: findWaysOut(parsed.data),
    credentials: found.credentials,
    credentialPlaces: found.places,
    warnings: [
      ...findWarnings(parsed.data, found.credentials.statusToken),
      ...findProxyWarnings(options.environment),
      ...findZoneWarnings(options.environment, parsed.data.provide.time_zone),
    ],
    ...choosePlaces({ ...options, socket: parsed.data.status.socket }),
  };
}

const webhookUrl = ['report', 'webhook', 'url'];

/** An address that is missing, and nothing else, means that nothing was set up yet. */
function adviseSetup(problem: Problem, { path }: ConfigFile): Problem {
  if (renderPath(problem.path) !== 'service.base_url' || !problem.text.startsWith('missing'))
    return problem;
  const isUsual = path === undefined || path === defaultConfigPath;
  const command = isUsual ? 'sudo tributary setup' : `tributary setup --config ${path}`;
  const ways =
    'create it with `tributary setup`, or use --config FILE or TRIBUTARY_SERVICE_BASE_URL';
  const text =
    path === undefined ? `missing, and there is no ${defaultConfigPath}; ${ways}` : problem.text;
  return { ...problem, text, action: `${setUpAdvice}${command}` };
}

function createOriginOf(
  file: ConfigFile,
  values: readonly EnvironmentValue[],
): LoadedConfig['originOf'] {
  return (path) => {
    // An element of a list comes from where the list comes from.
    const value = values.findLast((own) => own.path.every((part, index) => part === path[index]));
    if (value !== undefined) return { kind: 'environment', place: value.name };
    const place = valueAt(file.tree, path) === undefined ? undefined : file.placeOf(path);
    return place === undefined ? { kind: 'default', place } : { kind: 'file', place };
  };
}
