import type * as z from 'zod';
import { type CredentialName, credentialNames } from '../../src/config/credential-names.ts';
import { type ConfigKey, listConfigKeys } from '../../src/config/keys.ts';
import { configSchema } from '../../src/config/schema.ts';
import { fillPage, renderTable, toCode, toLine, wrapEntry } from './markdown.ts';

/** docs/configuration.md: every key of the schema. */
export function renderConfigurationPage(): string {
  const keys = listConfigKeys();
  const sections = [...Map.groupBy(keys, ({ path }) => path[0] ?? '')];
  return fillPage('configuration.md', {
    'all keys': sections.map(([name, own]) => renderSection(name, own)).join('\n\n'),
    secrets: renderSecrets(),
  });
}

function renderSection(name: string, keys: readonly ConfigKey[]): string {
  // A key that is no section says itself what it is.
  return [`### \`${name}\``, describe(name), renderKeys(keys)].filter(Boolean).join('\n\n');
}

function renderKeys(keys: readonly ConfigKey[]): string {
  const entries = keys.flatMap((key) => [
    renderEntry({
      name: `${toCode(key.name)}, \`${key.environmentName}\``,
      schema: key.schema,
      allowed: listAllowed(key.schema),
      otherwise: toDefault(key),
    }),
    ...listFields(`${key.name}[]`, elementOf(key.schema)),
  ]);
  return entries.join('\n');
}

interface Entry {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly allowed: readonly string[];
  /** What holds without the key. */
  readonly otherwise: string;
}

/** `- name: what it is. Allowed: … (default)`; of a switch, what is allowed is left out. */
function renderEntry({ name, schema, allowed, otherwise }: Entry): string {
  const said = allowed.filter((text) => text !== 'true or false').join('; ');
  const values = said === '' ? '' : ` Allowed: ${said}.`;
  return wrapEntry(toLine(`- ${name}: ${schema.description ?? ''}${values} (${otherwise})`));
}

/** The fields of the entries of a list of objects. */
function listFields(name: string, entry: z.ZodType | undefined): readonly string[] {
  if (entry?.type !== 'object') return [];
  return Object.entries((entry as z.ZodObject).shape).flatMap(([field, value]) => {
    const own = value as z.ZodType;
    const below = listFields(`${name}.${field}`, unwrap(own));
    return [
      renderEntry({
        name: toCode(`${name}.${field}`),
        schema: own,
        allowed: below.length > 0 ? [] : listAllowed(own),
        otherwise: own.type === 'optional' ? 'not set' : 'required',
      }),
      ...below,
    ];
  });
}

/** Values that some keys accept and others refuse. A refusal says what is allowed. */
const probes: readonly unknown[] = [
  {},
  '1 kbit',
  '0.1 B',
  '0.0.0.0/0',
  'https://user@host.example',
  'https://host.example/?x#y',
];

/** The texts about what is allowed, from the refusals of these values. */
function listAllowed(schema: z.ZodType): readonly string[] {
  const said = probes.flatMap((value) => {
    const [issue] = schema.safeParse(value).error?.issues ?? [];
    return issue === undefined ? [] : [issue.message];
  });
  const entry = elementOf(schema);
  const entries =
    entry === undefined || entry.type === 'object' ? [] : [`each ${listAllowed(entry).join('; ')}`];
  return [...new Set([...said, ...entries])];
}

function elementOf(schema: z.ZodType): z.ZodType | undefined {
  const inner = unwrap(schema);
  return inner.type === 'array' ? (inner as z.ZodArray<z.ZodType>).element : undefined;
}

/** The schema without its default and `optional`. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType };
  return innerType === undefined ? schema : unwrap(innerType);
}

/** The default as an owner would write it in the file. */
function toDefault({ path, schema }: ConfigKey): string {
  if (schema.type === 'optional') return 'not set';
  if (schema.type !== 'default' && schema.type !== 'prefault')
    return path.length === 2 ? 'required' : `required in \`${path.slice(0, -1).join('.')}\``;
  return toCode(
    JSON.stringify((schema as z.ZodDefault).def.defaultValue).replace(/^"([a-z0-9]+)"$/, '$1'),
  );
}

function describe(section: string): string {
  return unwrap(configSchema.shape[section as keyof typeof configSchema.shape]).description ?? '';
}

const secretMeanings: Readonly<Record<CredentialName, string>> = {
  authCode: 'What the agent signs in with where it is signed out; a code is good once.',
  networkJwt: "The owner's token, where no code is to be used.",
  mqttPassword: 'The password of `report.mqtt`.',
  webhookUrl: 'The address of `report.webhook`, where it holds a token of its own.',
  webhookSecret: 'What each call of the webhook is signed with.',
  statusToken: 'What unlocks the buttons of the status page; 16 characters or more.',
};

function renderSecrets(): string {
  const rows = Object.entries(credentialNames).map(([name, { environment, systemd }]) => [
    toCode(environment),
    toCode(systemd),
    secretMeanings[name as CredentialName],
  ]);
  return renderTable(['in the environment', "systemd's credential", 'what it is'], rows);
}
