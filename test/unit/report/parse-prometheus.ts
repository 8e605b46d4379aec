/** One family of samples as a scraper would read it. */
export interface Family {
  readonly type: string;
  readonly samples: { readonly labels: Record<string, string>; readonly value: number }[];
}

/**
 * A strict reader of the text format: help, type, samples, each family once, no sample twice.
 * Throws on anything else.
 */
export function parsePrometheus(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  for (const block of text.slice(0, -1).split(/\n(?=# HELP )/)) {
    const [help = '', type = '', ...samples] = block.split('\n');
    const name = /^# HELP ([a-z_]+) .+$/.exec(help)?.[1];
    const typed = /^# TYPE ([a-z_]+) (counter|gauge)$/.exec(type);
    if (name === undefined || typed?.[1] !== name || families.has(name))
      throw new Error(`not a family: ${block}`);
    families.set(name, { type: typed[2] ?? '', samples: parseSamples(name, samples) });
  }
  return families;
}

function parseSamples(family: string, lines: readonly string[]): Family['samples'] {
  const samples = lines.map(parseSample);
  if (samples.length === 0 || samples.some(({ name }) => name !== family))
    throw new Error(`not of ${family}`);
  if (new Set(samples.map(({ key }) => key)).size !== samples.length)
    throw new Error(`a sample of ${family} is twice`);
  return samples.map(({ labels, value }) => ({ labels, value }));
}

function parseSample(line: string) {
  const match =
    /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)+)\})? (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/.exec(
      line,
    );
  if (match === null) throw new Error(`not a sample: ${line}`);
  const [, name = '', labelText = '', number] = match;
  const pairs = [...labelText.matchAll(/([a-z_]+)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/g)];
  const labels = Object.fromEntries(
    pairs.map(([, label = '', value = '']) => [label, unescapeLabel(value)]),
  );
  return { name, labels, value: Number(number), key: `${name}{${labelText}}` };
}

function unescapeLabel(text: string): string {
  return text.replace(/\\(["\\n])/g, (_, character: string) =>
    character === 'n' ? '\n' : character,
  );
}
