import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import type { ServiceAddress } from '../service/url.ts';
import { findCombinationProblems, findWarnings } from './combinations.ts';
import { type ConfigFile, defaultConfigPath, readConfigFile } from './config-file.ts';
import type { CredentialName } from './credential-names.ts';
import { readCredentials } from './credentials.ts';
import { type EnvironmentValue, readKeysFromEnvironment } from './environment.ts';
import { listConfigKeys, pickValidKeys } from './keys.ts';
import { findProxyWarnings } from './node-variables.ts';
import type { PageSetting, readPageSettings } from './page-settings.ts';
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
  /** To be checked in place of those that the page has set. */
  readonly pageSettings?: readonly PageSetting[];
}

type PageSettings = Awaited<ReturnType<typeof readPageSettings>>;

/** Where the value of a key comes from. */
export type Origin =
  | { readonly kind: 'default'; readonly place: undefined }
  /** `tributary.yaml:12`. */
  | { readonly kind: 'file'; readonly place: string }
  /** The page's settings, kept in the state directory, which the agent reads over the file. */
  | { readonly kind: 'page'; readonly place: string }
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
  /** The file's values alone, as in `given`. */
  readonly inFile: ConfigTree;
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
  const inFile: ConfigTree = { service: {}, ...file.tree };
  const page = await overFile(inFile, await readPage(options));
  const given = values.reduce((tree, { path, value }) => withValue(tree, path, value), page.tree);
  const originOf = createOriginOf(file, values, page.paths);
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
    ...page.problems,
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
    inFile,
    file: file.path,
    originOf,
    waysOut: findWaysOut(parsed.data),
    credentials: found.credentials,
    credentialPlaces: found.places,
    warnings: [
      ...page.warnings,
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

/**
 * What the page has set; nothing where a text is checked in place of the file's, and where there is
 * no such file: its reader is not loaded then.
 */
async function readPage(options: LoadConfigOptions): Promise<PageSettings> {
  if (options.pageSettings !== undefined) return { settings: options.pageSettings };
  if (options.text !== undefined) return { settings: [] };
  const { stateDirectory } = choosePlaces(options);
  const isAbsent = await stat(join(stateDirectory, 'page-settings.json')).then(
    () => false,
    (error: unknown) => /^(ENOENT|ENOTDIR)$/.test(systemCodeOf(error) ?? ''),
  );
  if (isAbsent) return { settings: [] };
  return (await import('./page-settings.ts')).readPageSettings(stateDirectory);
}

async function overFile(inFile: ConfigTree, { settings, problem, warning }: PageSettings) {
  const said = { problems: problem ? [problem] : [], warnings: warning ? [warning] : [] };
  if (settings.length === 0) return { tree: inFile, paths: [], ...said };
  const { applyPageSettings } = await import('./page-settings.ts');
  return { ...(await applyPageSettings(inFile, settings)), ...said };
}

function createOriginOf(
  file: ConfigFile,
  values: readonly EnvironmentValue[],
  pagePaths: readonly (readonly string[])[],
): LoadedConfig['originOf'] {
  return (path) => {
    // An element of a list comes from where the list comes from.
    const value = values.findLast((own) => own.path.every((part, index) => part === path[index]));
    if (value !== undefined) return { kind: 'environment', place: value.name };
    const isOfPage = pagePaths.some((own) => own.every((part, index) => part === path[index]));
    if (isOfPage) return { kind: 'page', place: 'set on the page' };
    const place = valueAt(file.tree, path) === undefined ? undefined : file.placeOf(path);
    return place === undefined ? { kind: 'default', place } : { kind: 'file', place };
  };
}
