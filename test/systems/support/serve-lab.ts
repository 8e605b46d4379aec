import { createLab } from '../../../tools/lab/lab.ts';

/*
 * A program of the stage: the lab without an agent, whose device is a host that runs containers.
 * Prints one line of JSON when everything in it is up, and ends with the stage.
 */
const [id = '', distDirectory = ''] = process.argv.slice(2);
const { baseUrl, directory } = await createLab({ id, distDirectory, profile: 'documented' });
process.stdout.write(`${JSON.stringify({ baseUrl, directory })}\n`);
