import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const rules = z
  .object({
    groups: z.array(
      z.object({
        interval: z.string(),
        rules: z.array(
          z.object({ alert: z.string(), annotations: z.object({ runbook_url: z.string() }) }),
        ),
      }),
    ),
  })
  .parse(parse(read('config/prometheus-alerts.yaml')))
  .groups.flatMap((group) => group.rules);
/** As sites that show Markdown make them of a heading. */
const anchors = [...read('docs/troubleshooting.md').matchAll(/^#+ (.+)$/gm)].map(
  ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
);

test.each(rules)('$alert leads to its part of the documentation', ({ annotations }) => {
  const [page, anchor = ''] = annotations.runbook_url.split('#');
  // A release puts its own owner and version in their places.
  expect(page).toBe('https://github.com/OWNER/tributary/blob/main/docs/troubleshooting.md');
  // By a template, the code of the reason: each has its heading, as the test of the pages says.
  if (anchor.startsWith('{{')) expect(anchor).toContain('| label "code" }}');
  else expect(anchors).toContain(anchor);
});
