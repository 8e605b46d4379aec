import { formatHostPort, type HostPort } from '../lib/host-port.ts';
import { Secret } from '../lib/secret.ts';
import { type CredentialName, credentialNames } from './credential-names.ts';
import { type ConfigKey, listConfigKeys } from './keys.ts';
import type { LoadedConfig, Origin } from './load.ts';
import { isTree, valueAt } from './tree.ts';

/**
 * The configuration in force, as `config show --json` prints it. Of secrets it only says whether
 * they are set.
 */
interface ShownConfig {
  readonly file: string | null;
  readonly stateDirectory: string;
  readonly socketPaths: readonly string[];
  readonly keys: readonly ShownKey[];
  readonly secrets: readonly ShownSecret[];
  readonly warnings: readonly string[];
}

interface ShownKey {
  /** `provide.cap.bytes`. */
  readonly key: string;
  /** Amounts in bytes and rates in bits per second, as numbers; null if not set. */
  readonly value: unknown;
  /** The value as the owner wrote it, with its unit. */
  readonly text: string;
  readonly from: Origin['kind'];
  /** File and line, or environment name; null for a default. */
  readonly place: string | null;
}

interface ShownSecret {
  /** systemd's name for the credential. */
  readonly name: string;
  /** null if it was not given. */
  readonly value: '[secret]' | null;
  /** Where it was found; null if it was not given. */
  readonly place: string | null;
}

export function toShownConfig(loaded: LoadedConfig): ShownConfig {
  const { credentials, credentialPlaces } = loaded;
  return {
    file: loaded.file ?? null,
    stateDirectory: loaded.stateDirectory,
    socketPaths: loaded.socketPaths,
    keys: listConfigKeys().map((key) => showKey(loaded, key)),
    secrets: (Object.keys(credentialNames) as readonly CredentialName[]).map((name) => ({
      name: credentialNames[name].systemd,
      value: credentials[name] === undefined ? null : '[secret]',
      place: credentialPlaces[name] ?? null,
    })),
    warnings: loaded.warnings,
  };
}

/** The shown configuration for people: a tree with one line for each key. */
export function renderShownConfig(shown: ShownConfig): string {
  const sections = Map.groupBy(shown.keys, ({ key }) => key.split('.')[0] ?? '');
  const rows = [
    ...[...sections].flatMap(([section, keys]) => [
      ...(keys[0]?.key === section ? [] : [[section]]),
      ...keys.map(({ key, text, place }) => [
        key === section ? key : `  ${key.slice(section.length + 1)}`,
        text,
        place ?? 'default',
      ]),
    ]),
    ['secrets'],
    ...shown.secrets.map(({ name, value, place }) => [
      `  ${name}`,
      value ?? 'not set',
      place ?? '',
    ]),
    ['places'],
    ['  configuration', shown.file ?? 'no file'],
    ['  state', shown.stateDirectory],
    ...shown.socketPaths.map((path, index) => [index === 0 ? '  control socket' : '  else', path]),
  ];
  const widths = [0, 1].map((column) =>
    Math.max(...rows.map((row) => Math.min((row[column] ?? '').length, 44))),
  );
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  const lines = rows.map((row) => row.map(pad).join('  ').trimEnd());
  return [...lines, ...shown.warnings.map((warning) => `warning: ${warning}`)]
    .map((text) => `${text}\n`)
    .join('');
}

/** One key with the value in force. */
export function showKey(loaded: LoadedConfig, { path, name: key, usualText }: ConfigKey): ShownKey {
  const found = valueAt(loaded.config, path) ?? null;
  const value = toShownValue(found);
  const given = valueAt(loaded.given, path) ?? usualText;
  const origin = loaded.originOf(path);
  return {
    key,
    value,
    text: renderValue(typeof value === 'number' && typeof given === 'string' ? given : value),
    from: origin.kind,
    place: origin.place ?? null,
  };
}

/** A value that has parts inside the program is shown as one text. */
function toShownValue(value: unknown): unknown {
  if (value instanceof Secret) return String(value);
  return isHostPort(value) ? formatHostPort(value) : value;
}

function isHostPort(value: unknown): value is HostPort {
  return isTree(value) && 'host' in value && 'port' in value;
}

function renderValue(value: unknown): string {
  if (value === null) return 'not set';
  if (!Array.isArray(value)) return String(value);
  if (value.length === 0) return 'none';
  return value
    .map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item)))
    .join(', ');
}
