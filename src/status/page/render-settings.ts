import { modeWords, openModes } from '../mode-words.ts';
import { type Html, html } from './html.ts';
import { offeredModes } from './render-controls.ts';

/**
 * The dialog in which the configuration is changed. Its fields are filled in by the script, with
 * the token: who has none is told nothing of the schedule.
 */
export function renderSettings(): Html {
  const modes = offeredModes.map((mode) => {
    const isOpen = openModes.has(mode) ? html` data-open` : undefined;
    return html`<option value="${mode}"${isOpen}>${mode}: ${modeWords[mode].who}</option>`;
  });
  /** Filled in by the script with where the value comes from. */
  const from = html`<p class="note"></p>`;
  return html`<dialog class="card" id="settings-dialog" aria-labelledby="settings-title"><form id="settings-form">
<h2 id="settings-title">Settings</h2>
<p class="note">What is empty is not limited.</p>
<label for="set-mode">Who may use this device, unless schedule or <i>Mode</i> say otherwise</label>
<select id="set-mode" name="provide.mode">${modes}</select>${from}
<label id="set-risk" hidden><input type="checkbox" id="set-sure">Strangers may use my Internet connection; complaints come to me</label>
<label for="set-cap">Data cap, such as 500 GB</label>
<input id="set-cap" name="provide.cap.bytes" autocomplete="off" placeholder="none">${from}
<label for="set-limit">Limit on your line each way, such as 20 Mbit</label>
<input id="set-limit" name="provide.rate_limit.line" autocomplete="off" placeholder="none">${from}
<label for="set-schedule">Schedule, such as [{cron: "0 22 * * *", mode: friends}, {cron: "0 8 * * *", mode: none}]</label>
<textarea id="set-schedule" name="provide.schedule" rows="3" spellcheck="false" placeholder="none"></textarea>${from}
<p id="settings-answer" role="status"></p>
<p class="buttons row"><button type="submit" class="primary">Save</button><button type="button" data-closes>Close</button></p>
</form></dialog>
<dialog class="card" id="log-dialog" aria-labelledby="log-title"><h2 id="log-title">Last lines of the log</h2>
<pre id="log-lines" tabindex="0" role="region" aria-label="Log"></pre>
<p class="note" id="log-note">A restart interrupts sharing for a few seconds.</p>
<p class="buttons row"><button type="button" id="restart">Restart the agent</button><button type="button" data-closes>Close</button></p></dialog>
`;
}
