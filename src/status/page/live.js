// Keeps the parts marked `data-live` fresh by asking for the page itself, and sends orders. The page reads well without.

const everyMs = 5_000;
const storageKey = 'tributary-token';
const find = (id) => document.getElementById(id);

let timer;
let silentSince;

/** The page as it is now. A document from here is inert: no script in it runs, and nothing is written as text. */
function loadPage() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', '/');
    request.responseType = 'document';
    request.timeout = 10_000;
    request.onload = () => (request.status === 200 ? resolve(request.response) : reject());
    request.onerror = reject;
    request.ontimeout = reject;
    request.send();
  });
}

function takeOver(fresh) {
  const integrity = (page) => page.querySelector('script')?.integrity;
  // Another version of the agent: its page needs its own script.
  if (integrity(fresh) !== integrity(document)) location.reload();
  document.title = fresh.title;
  for (const part of document.querySelectorAll('[data-live]')) {
    const now = fresh.getElementById(part.id);
    // Untouched where nothing changed, so that a screen reader has nothing to say and a selection stays.
    if (now !== null && now.innerHTML !== part.innerHTML) part.replaceChildren(...now.childNodes);
  }
}

function sayWhetherItAnswers(answers) {
  const place = find('silence');
  if (answers) silentSince = undefined;
  else silentSince ??= new Date();
  place.hidden = answers;
  const text = answers
    ? ''
    : `The agent has not answered since ${silentSince.toLocaleTimeString()}. What stands here is what was before; it is asked again every few seconds.`;
  if (place.textContent !== text) place.textContent = text;
}

async function refresh() {
  clearTimeout(timer);
  try {
    takeOver(await loadPage());
    sayWhetherItAnswers(true);
  } catch {
    sayWhetherItAnswers(false);
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(refresh, everyMs);
}

/** Seconds of a choice; `tomorrow` ends at the next midnight of whoever looks. undefined: until it is cleared. */
function toSeconds(choice) {
  if (choice === undefined || choice === '') return undefined;
  if (choice !== 'tomorrow') return Number(choice);
  const now = new Date();
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  return Math.max(1, Math.round((midnight - now) / 1000));
}

function say(text) {
  find('order-answer').textContent = text;
}

function showLock() {
  const isOpen = sessionStorage.getItem(storageKey) !== null;
  find('unlock').hidden = isOpen;
  find('orders').hidden = !isOpen;
}

function forget(text) {
  sessionStorage.removeItem(storageKey);
  showLock();
  say(text);
  find('token').focus();
}

function toDone({ override }) {
  if (override === null) return 'Done: the schedule and the configuration decide again.';
  const until = override.until === null ? 'until it is cleared' : `until ${new Date(override.until).toLocaleString()}`;
  return `Done: the mode is ${override.mode} ${until}.`;
}

async function order(mode, choice) {
  say('Asking the agent …');
  try {
    const answer = await fetch('/provide', {
      method: 'POST',
      redirect: 'error',
      credentials: 'omit',
      headers: {
        Authorization: `Bearer ${sessionStorage.getItem(storageKey)}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(mode === 'auto' ? { mode: null } : { mode, forSeconds: toSeconds(choice) }),
    });
    const told = await answer.json();
    if (answer.status === 401) forget(`${told.error.message} Type it again.`);
    else say(answer.ok ? toDone(told) : told.error.message);
  } catch {
    say('The agent does not answer; nothing was changed, as far as is known here.');
  }
  await refresh();
}

function listenForOrders() {
  find('unlock').addEventListener('submit', (event) => {
    event.preventDefault();
    const field = find('token');
    sessionStorage.setItem(storageKey, field.value.trim());
    field.value = '';
    showLock();
    say('');
    find('orders').querySelector('button').focus();
  });
  for (const button of document.querySelectorAll('button[data-mode]')) {
    button.addEventListener('click', () => order(button.dataset.mode, button.dataset.seconds));
  }
  find('choose').addEventListener('submit', (event) => {
    event.preventDefault();
    void order(find('mode').value, find('seconds').value);
  });
  find('lock').addEventListener('click', () => forget('The token is forgotten.'));
  showLock();
}

if (find('unlock') !== null) listenForOrders();
document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  if (!document.hidden) void refresh();
});
timer = setTimeout(refresh, everyMs);
