import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import * as z from 'zod';

/**
 * What a container is given, from a command line, a compose file or an image. Lists are sorted, so
 * that two ways of saying it can be compared.
 */
export interface ContainerFlags {
  readonly capAdd: readonly string[];
  readonly capDrop: readonly string[];
  readonly devices: readonly string[];
  readonly memory: string | undefined;
  readonly name: string | undefined;
  readonly pidsLimit: number;
  readonly publish: readonly string[];
  readonly readOnly: boolean;
  readonly restart: string | undefined;
  readonly securityOpt: readonly string[];
  readonly sysctls: readonly string[];
  readonly tmpfs: readonly string[];
  readonly ulimits: readonly string[];
  readonly volumes: readonly string[];
}

/**
 * The documented command, `docker run … IMAGE`, as its arguments, from the comment of the
 * Dockerfile.
 */
export function findRunArguments(dockerfile: string): readonly string[] {
  const text = dockerfile.replaceAll(/ \\\n#\s+/g, ' ');
  const line = /^#\s+docker run (.*)$/m.exec(text)?.[1];
  if (line === undefined) throw new Error('the Dockerfile does not say how it is run');
  return line.split(/\s+/);
}

/** What the arguments of `docker run` give. @throws TypeError where one is not known here */
export function parseFlags(args: readonly string[]): ContainerFlags {
  const { values } = parseArgs({ args: [...args], options: runOptions, allowPositionals: true });
  const sorted = (list: readonly string[] | undefined) => [...(list ?? [])].sort();
  return {
    capAdd: sorted(values['cap-add']),
    capDrop: sorted(values['cap-drop']),
    devices: sorted(values.device),
    memory: values.memory,
    name: values.name,
    pidsLimit: Number(values['pids-limit']),
    publish: sorted(values.publish),
    readOnly: values['read-only'] === true,
    restart: values.restart,
    securityOpt: sorted(values['security-opt']),
    sysctls: sorted(values.sysctl),
    tmpfs: sorted(values.tmpfs),
    ulimits: sorted(values.ulimit),
    volumes: sorted(values.volume),
  };
}

/** What the only service of a compose file gives. */
export function parseComposeFlags(text: string): ContainerFlags {
  const { services, volumes } = composeFile.parse(parse(text));
  const { tributary: own } = services;
  const sorted = (list: readonly string[]) => [...list].sort();
  return {
    capAdd: sorted(own.cap_add),
    capDrop: sorted(own.cap_drop),
    devices: sorted(own.devices),
    memory: own.mem_limit,
    name: own.container_name,
    pidsLimit: own.pids_limit,
    publish: sorted(own.ports),
    readOnly: own.read_only,
    restart: own.restart,
    securityOpt: sorted(own.security_opt),
    sysctls: sorted(Object.entries(own.sysctls).map(([name, value]) => `${name}=${value}`)),
    tmpfs: sorted(own.tmpfs),
    ulimits: sorted(Object.entries(own.ulimits).map(([name, value]) => `${name}=${value}`)),
    volumes: sorted(
      own.volumes.map((volume) => volume.replace(/^\w+/, (key) => volumes[key]?.name ?? key)),
    ),
  };
}

const many = { type: 'string', multiple: true } as const;
/** Strict too: an option that is not here is an error. */
const runOptions = {
  'cap-add': many,
  'cap-drop': many,
  detach: { type: 'boolean' },
  device: many,
  env: many,
  memory: { type: 'string' },
  name: { type: 'string' },
  'pids-limit': { type: 'string' },
  publish: many,
  'read-only': { type: 'boolean' },
  restart: { type: 'string' },
  'security-opt': many,
  sysctl: many,
  tmpfs: many,
  ulimit: many,
  volume: many,
} as const;
const texts = z.array(z.string());

/**
 * Strict: what is given beyond this (`privileged`, `network_mode`, `pid`) has to be thought about
 * first.
 */
const composeFile = z.strictObject({
  name: z.string(),
  services: z.strictObject({
    tributary: z.strictObject({
      image: z.string(),
      container_name: z.string(),
      restart: z.string(),
      cap_add: texts,
      cap_drop: texts,
      devices: texts,
      environment: z.record(z.string(), z.string().nullable()),
      healthcheck: z.strictObject({
        test: texts,
        interval: z.string(),
        timeout: z.string(),
        start_period: z.string(),
        retries: z.number(),
      }),
      logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
      mem_limit: z.string(),
      pids_limit: z.number(),
      ports: texts,
      read_only: z.boolean(),
      secrets: texts,
      security_opt: texts,
      stop_grace_period: z.string(),
      sysctls: z.record(z.string(), z.string()),
      tmpfs: texts,
      ulimits: z.record(z.string(), z.number()),
      volumes: texts,
    }),
  }),
  volumes: z.record(z.string(), z.strictObject({ name: z.string() })),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});
