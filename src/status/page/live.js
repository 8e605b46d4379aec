// Keeps the parts marked `data-live` fresh by asking for the page itself, and sends orders. The page reads well without.

const everyMs = 5_000;
const storageKey = 'tributary-token';
const find = (id) => document.getElementById(id);

let timer;

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

/** When the page was made, in the words of the page: the reader's clock and time zone may be others. */
function findPageTime() {
  return find('live-time').querySelector('time');
}

function sayWhetherItAnswers(answers) {
  const place = find('silence');
  place.hidden = answers;
  const text = answers
    ? ''
    : `The agent has not answered since ${findPageTime().textContent}. What stands here is what was before; it is asked again every few seconds.`;
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

/** Seconds of a choice; `tomorrow` begins at the page's next midnight. undefined: until it is cleared. */
function toSeconds(choice) {
  if (choice === undefined || choice === '') return undefined;
  return Number(choice === 'tomorrow' ? findPageTime().dataset.toTomorrow : choice);
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
  if (override.until === null) return `Done: the mode is ${override.mode} until it is cleared.`;
  const shown = find('live-now').querySelector(`time[datetime="${override.until}"]`);
  return `Done: the mode is ${override.mode} ${shown === null ? 'for that time' : `until ${shown.textContent}`}.`;
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
    // First, because the page says until when, in its own time zone.
    await refresh();
    if (answer.status === 401) forget(`${told.error.message} Type it again.`);
    else say(answer.ok ? toDone(told) : told.error.message);
  } catch {
    await refresh();
    say('The agent does not answer; nothing was changed, as far as is known here.');
  }
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
