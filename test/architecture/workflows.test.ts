import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.github');
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const names = readdirSync(join(folder, 'workflows'));

const scratch = mkdtempSync(join(tmpdir(), 'tributary-workflows-'));
let parser: typeof import('@actions/workflow-parser');

/** It imports JSON in a way that Node refuses and bundlers know. */
beforeAll(async () => {
  const input = fileURLToPath(import.meta.resolve('@actions/workflow-parser'));
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  const file = join(scratch, 'parser.mjs');
  await bundle.write({ file });
  await bundle.close();
  parser = await import(pathToFileURL(file).href);
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

/** What is wrong with a workflow, by the parser that its makers publish. */
async function lint(name: string, content: string): Promise<readonly string[]> {
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = parser;
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const template = value && (await convertWorkflowTemplate(context, value));
  const errors = [...context.errors.getErrors(), ...(template?.errors ?? [])];
  return [
    ...new Set(
      errors.map((error) => ('message' in error ? String(error.message) : JSON.stringify(error))),
    ),
  ];
}

/** References to steps and jobs that are not there, which the parser lets through. */
function findLoose(text: string): readonly string[] {
  const { jobs } = workflow.parse(parse(text));
  return Object.entries(jobs).flatMap(([job, { steps, needs = [], ...rest }]) => {
    const own = steps.flatMap(({ id }) => id ?? []);
    const said = JSON.stringify([steps, rest]);
    const ofSteps = [...said.matchAll(/\bsteps\.([\w-]+)\./g)].filter(
      ([, id = '']) => !own.includes(id),
    );
    const ofJobs = [...said.matchAll(/\bneeds\.([\w-]+)\./g)].filter(
      ([, id = '']) => ![needs].flat().includes(id),
    );
    return [...ofSteps, ...ofJobs].map(([found]) => `${job}: ${found}`);
  });
}

const workflow = z.looseObject({
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  jobs: z.record(
    z.string(),
    z.looseObject({
      'timeout-minutes': z.int(),
      needs: z.union([z.string(), z.array(z.string())]).optional(),
      steps: z.array(
        z.looseObject({
          id: z.string().optional(),
          uses: z.string().optional(),
          run: z.string().optional(),
        }),
      ),
    }),
  ),
});

describe.each(names)('the workflow %s', (name) => {
  const text = read(`workflows/${name}`);

  test('is right, says what each job may do, and how long it may take', async () => {
    expect(await lint(name, text)).toEqual([]);
    expect(() => workflow.parse(parse(text))).not.toThrow();
    expect(findLoose(text)).toEqual([]);
  });

  test('takes actions by the hash of a commit alone, beside its version', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, what = '']) => what);
    expect(used.length).toBeGreaterThan(0);
    expect(
      used.filter((what) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what)),
    ).toEqual([]);
  });

  test('runs scripts that are there, and puts no text of others into a shell', () => {
    const runs = Object.values(workflow.parse(parse(text)).jobs).flatMap(({ steps }) =>
      steps.map(({ run = '' }) => run),
    );
    const scripts = runs.join('\n').match(/\.(?:github|ci)\/[\w.-]+/g) ?? [];
    for (const script of scripts)
      expect(readFileSync(join(root, script), 'utf8'), script).toMatch(/^#!/);
    expect(runs.filter((run) => run.includes('${{'))).toEqual([]);
  });
});

test.each([
  ['an unknown key', 'jobs: { a: { runs-on: x, stps: [{ run: a }] } }', /Unexpected value 'stps'/],
  [
    'an unknown permission',
    'permissions: { attestation: write }\njobs: { a: { runs-on: x, steps: [{ run: a }] } }',
    /'attestation'/,
  ],
  [
    'an unknown name',
    `jobs: { a: { runs-on: x, steps: [{ run: 'echo \${{ nope.a }}' }] } }`,
    /'nope'/,
  ],
])('%s is seen', async (_, text, message) => {
  expect((await lint('broken.yml', `on: push\n${text}\n`)).join()).toMatch(message);
});

test('a step and a job that are not there are seen', () => {
  const steps = `[{ id: one, run: a }, { run: b, env: { A: '\${{ steps.on.outputs.x }}\${{ needs.b.outputs.y }}' } }]`;
  const text = `permissions: {}\njobs: { a: { timeout-minutes: 1, steps: ${steps} } }`;
  expect(findLoose(text)).toEqual(['a: steps.on.', 'a: needs.b.']);
});

test('every form asks for what helps to find a fault', () => {
  const form = z.object({ body: z.array(z.looseObject({ id: z.string().optional() })) });
  const { body } = form.parse(parse(read('ISSUE_TEMPLATE/fault.yml')));
  expect(body.flatMap(({ id }) => id ?? [])).toEqual([
    'seen',
    'doctor',
    'bundle',
    'way',
    'version',
    'system',
  ]);
  expect(read('ISSUE_TEMPLATE/fault.yml')).toContain('sudo tributary doctor --bundle help.tar.gz');
});

test('each kind of dependency is renewed', () => {
  const updates = z.object({ updates: z.array(z.object({ 'package-ecosystem': z.string() })) });
  const kinds = updates
    .parse(parse(read('dependabot.yml')))
    .updates.map((update) => update['package-ecosystem']);
  expect(kinds.sort()).toEqual(['docker', 'github-actions', 'npm']);
});

/** Runs one of the scripts of a release in a copy of the project that holds just these files. */
function runScript(
  script: string,
  args: readonly string[],
  files: Readonly<Record<string, string>>,
) {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-release-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, '.github'));
  mkdirSync(join(directory, 'config'));
  cpSync(join(folder, script), join(directory, '.github', script));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  const { status, stdout, stderr } = spawnSync(
    'sh',
    [join(directory, '.github', script), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.0] - 2026-12-01\n\n### Added\n\n- this\n\n## [1.2] - 2026-11-01\n\n- that\n\n[1.2.0]: https://x.example\n';
  const notes = (version: string) =>
    runScript('release-notes.sh', [version], { 'CHANGELOG.md': changelog });

  test.each([
    ['1.2.0', '### Added\n\n- this\n'],
    ['1.2', '- that\n'],
  ])('of %s are its section alone', (version, stdout) => {
    expect(notes(version)).toMatchObject({ status: 0, stdout });
  });

  test('of a version without a section stop it', () => {
    expect(notes('1.3.0')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('## [1.3.0]'),
    });
  });
});

describe('a file of config that a release hands out', () => {
  const image = ['ghcr.io/OWNER/tributary:VERSION', 'ghcr.io/ada/tributary:1.2.0'] as const;
  const pages = [
    'https://github.com/OWNER/tributary/blob/main/docs/',
    'https://github.com/Ada/Tributary/blob/v1.2.0/docs/',
  ] as const;
  const make = (path: string, text: string) =>
    runScript('release-file.sh', [path, 'Ada/Tributary', '1.2.0'], { [path]: text });
  const workflowText = read('workflows/release.yml');

  test.each([
    ['config/compose.yaml', image, 1],
    ['config/kubernetes.yaml', image, 1],
    ['config/prometheus-alerts.yaml', pages, 11],
  ])('%s has what belongs to it, and is the same but for that', (path, [place, put], least) => {
    const text = readFileSync(join(root, path), 'utf8');
    const { status, stdout } = make(path, text);
    expect(status).toBe(0);
    expect(stdout.split(put).length - 1).toBeGreaterThanOrEqual(least);
    expect(stdout).not.toMatch(/OWNER\/|VERSION/);
    expect(stdout.replaceAll(put, place)).toBe(text);
    expect(workflowText).toContain(path.replace(/^config\//, ''));
  });

  test('is not made where there is no place for it', () => {
    const path = 'config/compose.yaml';
    expect(make(path, 'services: {}\n')).toMatchObject({ status: 1, stdout: '' });
  });
});

test('a pre-release moves no tag that others follow', () => {
  const job = workflow.parse(parse(read('workflows/release.yml'))).jobs.image;
  const step = job?.steps.find(({ id }) => id === 'names');
  const tagsOf = (version: string) => {
    const directory = mkdtempSync(join(tmpdir(), 'tributary-tags-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    // What asks a registry for digests is no part of this.
    const script = (step?.run ?? '').replace(/^digest\(\) .*$/m, 'digest() { echo sha256:0; }');
    const output = join(directory, 'output');
    const env = {
      ...process.env,
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: 'Ada/Tributary',
      GITHUB_REF_NAME: `v${version}`,
    };
    const { status, stderr } = spawnSync('bash', ['-euc', script], { cwd: root, env });
    expect(status, String(stderr)).toBe(0);
    const [, tags = ''] = /^tags<<END\n(.*?)\nEND$/ms.exec(readFileSync(output, 'utf8')) ?? [];
    return tags.split('\n').map((tag) => tag.replace('ghcr.io/ada/tributary:', ''));
  };
  expect(tagsOf('1.2.3')).toEqual(['1.2.3', '1.2', '1', 'latest']);
  expect(tagsOf('1.2.3-rc.1')).toEqual(['1.2.3-rc.1']);
});
