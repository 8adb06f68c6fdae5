// The requests of the page. A view comes as a stream of events over fetch, because an EventSource sends no token.

const TOKEN = 'wheelhouse-token';
/** A stream says something each second; after so many milliseconds without a word it is lost. */
const SILENCE = 3000;

/** An answer that is not the view. */
export class Problem extends Error {
  constructor(code, sentence) {
    super(sentence);
    this.code = code;
  }
}

export const token = {
  get: () => sessionStorage.getItem(TOKEN),
  set: value => sessionStorage.setItem(TOKEN, value),
  clear: () => sessionStorage.removeItem(TOKEN),
};

async function ask(path, init) {
  const known = token.get();
  const answer = await fetch(`console/${path}`, {
    ...init,
    headers: { ...init.headers, ...(known ? { Authorization: `Bearer ${known}` } : {}) },
    credentials: 'same-origin',
  });
  if (!answer.ok) {
    const body = await answer.json().catch(() => ({}));
    throw new Problem(answer.status, body.problem ?? `the service answered ${answer.status}`);
  }
  return answer;
}

const withQuery = (view, query) => `${view}?${new URLSearchParams(query ?? {})}`;

/** Reads a view once. */
export async function read(view, query) {
  return (await ask(withQuery(view, query), { headers: { Accept: 'application/json' } })).json();
}

/** Sends a change, and returns the sentence that says what was done. */
export async function send(path, body) {
  const answer = await ask(path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  });
  return (await answer.json()).done;
}

/** The value of a promise, or an error if it takes longer. */
function within(millis, promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no word')), millis); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Reads one stream to its end. */
async function follow(view, query, signal, show) {
  const answer = await within(10_000, ask(withQuery(view, query), { headers: { Accept: 'text/event-stream' },
    signal }));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await within(SILENCE, reader.read());
    if (done) {
      return;
    }
    const events = (text + value).split('\n\n');
    text = events.pop();
    // If the page was slow, only the newest state counts.
    const newest = events.filter(event => !event.startsWith(':')).pop();
    if (newest) {
      const field = name => newest.split('\n').find(line => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (field('event') === 'problem') {
        throw new Problem(500, JSON.parse(field('data')).problem);
      }
      show(JSON.parse(field('data')), Number(field('id')));
    }
  }
}

/**
 * Shows a view until the returned function is called. A stream that ends is opened again; one that fails is tried again
 * after a pause, unless the answer is final.
 */
export function live(view, query, { show, state, problem }) {
  const controller = new AbortController();
  (async () => {
    let pause = 500;
    while (!controller.signal.aborted) {
      const attempt = new AbortController();
      try {
        await follow(view, query, AbortSignal.any([controller.signal, attempt.signal]), (data, at) => {
          pause = 500;
          state('live');
          show(data, at);
        });
      } catch (error) {
        if (controller.signal.aborted) {
          return;
        }
        if (error instanceof Problem && error.code < 500) {
          problem(error);
          return;
        }
        attempt.abort();
        state('reconnecting');
        await new Promise(resolve => setTimeout(resolve, pause));
        pause = Math.min(pause * 2, 8000);
      }
    }
  })();
  return () => controller.abort();
}
