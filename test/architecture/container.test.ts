import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DaemonSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { Namespace } from 'kubernetes-models/v1';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { readBlocks, readCommentBlock } from '../pages.ts';
import { findRunArguments, parseComposeFlags, parseFlags } from './container-flags.ts';
import { readIgnored } from './project-text.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('config/compose.yaml');
const kubernetes = read('config/kubernetes.yaml');

describe('the container', () => {
  const flags = parseFlags(findRunArguments(dockerfile));

  test('is built from the source alone: what was built on this machine stays out', () => {
    const copied = [...dockerfile.matchAll(/^(?:COPY|ADD) (.*) \S+$/gm)].map(
      ([, from = '']) => from,
    );
    const fromBuild = copied.filter((from) => from.startsWith('--'));
    expect(fromBuild).toEqual(['--from=build /image']);
    expect(dockerfile).toContain('RUN node tools/packaging/build-image.ts /image ');
    const fromProject = copied
      .filter((from) => !fromBuild.includes(from))
      .flatMap((from) => from.split(' '));
    const ignored = read('.dockerignore')
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#'));
    // A file below a folder that goes to the builder whole needs no line of its own.
    const isWithin = (name: string) => fromProject.some((folder) => name.startsWith(`${folder}/`));
    expect(ignored).toEqual([
      '*',
      ...fromProject.filter((name) => !isWithin(name)).map((name) => `!${name}`),
    ]);
    expect(fromProject.filter((name) => readIgnored(root).includes(name))).toEqual([]);
  });

  test('names its bases where a release gives their digests, which its label then says', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual([
      expect.stringMatching(/^\$\{NODE_BASE\}$/),
      expect.stringMatching(/^\$\{DEBIAN_BASE\}$/),
    ]);
    expect(dockerfile).toMatch(/image\.base\.name=\$\{DEBIAN_BASE\}/);
    for (const [, name, tag] of dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)) {
      expect(read('SECURITY.md')).toContain(`--build-arg ${name}=${tag}@sha256:`);
    }
  });

  test('has one capability and one device, and a root that cannot be written to', () => {
    expect(flags).toMatchObject({
      capAdd: ['NET_ADMIN'],
      capDrop: ['ALL'],
      devices: ['/dev/net/tun'],
      readOnly: true,
      securityOpt: ['no-new-privileges'],
    });
  });

  test('shows its page to the host alone', () => {
    expect(flags.publish).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
  });

  test('is the same by docker run and by compose', () => {
    expect(parseComposeFlags(compose)).toEqual(flags);
  });

  test('needs no clone to be started: building the image is said in a file of its own', () => {
    expect(parse(compose).services.tributary.image).toBe('ghcr.io/OWNER/tributary:VERSION');
    expect(compose).not.toMatch(/^ *build:|file: \.|- \.\.?\//m);
    expect(parse(read('config/compose.build.yaml'))).toEqual({
      services: { tributary: { build: '..', image: 'tributary' } },
    });
  });

  test('shares with friends where its .env names no mode, and takes all that the pages write there', () => {
    const { environment } = parse(compose).services.tributary;
    expect(environment.TRIBUTARY_PROVIDE_MODE).toMatch(/:-friends\}$/);
    const written = ['README.md', 'docs/install-docker.md'].flatMap((path) =>
      [...read(path).matchAll(/^ {2}(TRIBUTARY_\w+)=/gm)].map(([, name = '']) => name),
    );
    expect(new Set(written)).toEqual(
      new Set([
        'TRIBUTARY_SERVICE_BASE_URL',
        'TRIBUTARY_PROVIDE_MODE',
        'TRIBUTARY_PROVIDE_CAP_BYTES',
      ]),
    );
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(written));
  });

  test('has the same health check in the image and in compose', () => {
    const options = /^HEALTHCHECK (.*) CMD (\[.*\])$/m.exec(dockerfile);
    const { healthcheck } = z
      .object({ services: z.object({ tributary: z.looseObject({ healthcheck: z.unknown() }) }) })
      .parse(parse(compose)).services.tributary;
    const inImage = Object.fromEntries(
      (options?.[1] ?? '').split(' ').map((word) => word.replace(/^--/, '').split('=')),
    );
    expect(healthcheck).toEqual({
      test: ['CMD', ...JSON.parse(options?.[2] ?? '')],
      interval: inImage.interval,
      timeout: inImage.timeout,
      start_period: inImage['start-period'],
      retries: Number(inImage.retries),
    });
  });

  test('keeps its log small and its code out of the environment', () => {
    expect(parse(compose).services.tributary.logging.options).toEqual({
      'max-size': '1m',
      'max-file': '3',
    });
    expect(compose + kubernetes).not.toMatch(
      /TRIBUTARY_(AUTH_CODE|NETWORK_JWT):|name: TRIBUTARY_(AUTH_CODE|NETWORK_JWT)$/m,
    );
  });
});

describe('the DaemonSet', () => {
  const [namespace, set] = parseAllDocuments(kubernetes).map((document) => document.toJS());
  const { spec } = daemonSet().parse(set).spec.template;
  const [container] = spec.containers;

  test('is what Kubernetes takes', () => {
    expect(() => new DaemonSet(set).validate()).not.toThrow();
    expect(() => new Namespace(namespace).validate()).not.toThrow();
  });

  test('is let in by a cluster that holds its pods to the levels of pod security', () => {
    expect(namespace.metadata).toEqual({
      name: set.metadata.namespace,
      labels: { 'pod-security.kubernetes.io/enforce': 'privileged' },
    });
  });

  test('is scraped under the job that the rules ask for, and reached by nobody else', () => {
    const [monitor, policy] = parseAllDocuments(read('config/kubernetes-monitoring.yaml')).map(
      (document) => document.toJS(),
    );
    const labels = set.spec.template.metadata.labels;
    expect(labels[monitor.spec.jobLabel]).toBe('tributary');
    expect(read('config/prometheus-alerts.yaml')).toContain('job="tributary"');
    expect(monitor.spec.selector.matchLabels).toEqual(labels);
    expect(container.ports).toContainEqual({
      name: monitor.spec.podMetricsEndpoints[0].port,
      containerPort: policy.spec.ingress[0].ports[0].port,
    });
    expect(() => new NetworkPolicy(policy).validate()).not.toThrow();
    expect(policy.spec.podSelector.matchLabels).toEqual(labels);
    for (const { metadata } of [monitor, policy])
      expect(metadata.namespace).toBe(namespace.metadata.name);
  });

  test('is put in place by the same lines in its file and on its page', () => {
    expect(readBlocks('sh', 'docs/install-kubernetes.md')).toEqual([
      `${readCommentBlock('config/kubernetes.yaml')}\n`,
    ]);
  });

  test('is no more privileged than the container of docker run', () => {
    const { capAdd, capDrop, readOnly } = parseFlags(findRunArguments(dockerfile));
    expect(container.securityContext).toEqual({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: readOnly,
      runAsUser: 0,
      capabilities: { drop: capDrop, add: capAdd },
    });
  });

  test('keeps one identity for each node, on the node', () => {
    const volumes = new Map(spec.volumes.map(({ name, ...rest }) => [name, rest]));
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(
      [...volumes.keys()].sort(),
    );
    const state = container.volumeMounts.find(
      ({ mountPath }) => mountPath === '/var/lib/tributary',
    );
    expect(volumes.get(state?.name ?? '')).toEqual({
      hostPath: { path: '/var/lib/tributary', type: 'DirectoryOrCreate' },
    });
  });

  test('restarts what hangs, and not what has no service', () => {
    expect(container.startupProbe.httpGet.path).toBe('/livez');
    expect(container.livenessProbe.httpGet.path).toBe('/livez');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  });
});

/**
 * What it has; strict, because Kubernetes drops misspelt keys, and others (`hostPID`) have to be
 * thought about first.
 */
function daemonSet() {
  const probe = z.strictObject({
    httpGet: z.strictObject({ path: z.string(), port: z.literal('status') }),
    periodSeconds: z.int(),
    timeoutSeconds: z.int().optional(),
    failureThreshold: z.int(),
  });
  const container = z.strictObject({
    name: z.string(),
    image: z.string(),
    env: z.array(z.unknown()),
    ports: z.array(z.unknown()),
    resources: z.unknown(),
    securityContext: z.unknown(),
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
  });
  const pod = z.strictObject({
    nodeSelector: z.record(z.string(), z.string()),
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.boolean(),
    hostNetwork: z.literal(false),
    terminationGracePeriodSeconds: z.int(),
    securityContext: z.unknown(),
    containers: z.tuple([container]),
    volumes: z.array(z.looseObject({ name: z.string() })),
  });
  return z.object({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('DaemonSet'),
    spec: z.object({ template: z.object({ spec: pod }) }),
  });
}
