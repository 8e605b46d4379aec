import { styleText } from 'node:util';

/** Six hosts and their links, for a terminal. */
export const picture = `
    consumer ─── service ─── Internet ─── home router ─┬─ NAS
                    ┊                                  └─ device, with Tributary
                    └┄┄┄┄┄┄┄┄┄┄┄┄ WireGuard tunnel ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘
`;

/** A line of the demonstration with colours, where the stream is a terminal that shows some (NO_COLOR is looked up too). */
export function paintLine(line: string, stream: NodeJS.WriteStream): string {
  return line
    .replace(/^ {2}\w+( none)?(?= {2})/, (label) => styleText('bold', label, { stream }))
    .replaceAll(/\brefused\b|: yes$|All as promised\.$/g, (good) => styleText('green', good, { stream }))
    .replace(/http:\/\/127\S+/, (address) => styleText('cyan', address, { stream }));
}
