// Elements from plain values, and a way to change the page to a new tree without losing focus, input or open parts.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element. Text is never parsed, so no value from an object can become markup. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

const keyOf = node => node.nodeType === 1 ? node.getAttribute('data-key') : null;
const isSame = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

/** Stands in a new tree for the element of a list that has this key in the page, and that has not changed. */
export const same = key => h('li', { 'data-key': key, 'data-same': true });

/** Changes an element to be like another one. Elements with the same key stay the same elements. */
export function morph(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !(name === 'open' && from.nodeName === 'DETAILS')) {
      from.removeAttribute(name);
    }
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !(name === 'value' && from === document.activeElement)) {
      from.setAttribute(name, value);
    }
  }
  if (from.nodeName === 'SELECT' && from === document.activeElement) {
    return;
  }
  const keyed = new Map([...from.childNodes].filter(keyOf).map(node => [keyOf(node), node]));
  let at = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const key = keyOf(wanted);
    const known = key ? keyed.get(key) : at;
    if (known && isSame(known, wanted)) {
      if (known === at) {
        at = at.nextSibling;
      } else {
        from.insertBefore(known, at);
      }
      if (known.nodeType === 1) {
        if (!wanted.hasAttribute('data-same')) {
          morph(known, wanted);
        }
      } else if (known.data !== wanted.data) {
        known.data = wanted.data;
      }
    } else {
      from.insertBefore(wanted, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

const count = new Intl.NumberFormat('en');
export const number = value => count.format(value);

/** A rate per second: 0, 0.3, 12. */
export function rate(value) {
  return value < 0.05 ? '0' : value < 10 ? value.toFixed(1) : number(Math.round(value));
}

/** A duration in milliseconds as people say it. */
export function span(millis) {
  if (millis < 1) {
    return '<1 ms';
  }
  if (millis < 1000) {
    return `${Math.round(millis)} ms`;
  }
  const seconds = millis / 1000;
  if (seconds < 60) {
    return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  }
  return seconds < 86400 ? `${Math.floor(seconds / 3600)} h ${Math.round(seconds / 60) % 60} min`
    : `${Math.floor(seconds / 86400)} d`;
}

export const clock = at => new Date(at).toLocaleTimeString('en-GB');

const MARKS = { DEGRADED: '✕', UNKNOWN: '?', PROGRESSING: '◔', SUSPENDED: '‖', HEALTHY: '✓' };

/** A state with its text, so that nobody needs to see its colour. */
export function badge(level, text) {
  return h('span', { class: `badge ${level.toLowerCase()}` }, h('span', { 'aria-hidden': 'true' }, MARKS[level]), ' ',
    text || level.toLowerCase());
}

/** The link to an object's view. */
export function objectLink(type, namespace, name, text) {
  const shown = text ?? (namespace ? `${namespace}/${name}` : name);
  // An object that was not created has no name yet.
  return name.endsWith('*') ? shown : h('a', { href: `#/object?${new URLSearchParams({ type, namespace, name })}` },
    shown);
}

/** The link to the object that a key of a controller stands for, if that is known. */
export function keyLink(key, type) {
  const [, namespace = '', name] = /^(?:([^/]+)\/)?([^/]+)$/.exec(type ? key : '') ?? [];
  return name ? objectLink(type, namespace, name, key) : key;
}

/** A small line of the last values. */
export function sparkline(values, width, height) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, i) =>
    `${(i * step).toFixed(1)},${(height - 1 - value / most * (height - 3)).toFixed(1)}`);
  return s('svg', { class: 'spark', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none',
    'aria-hidden': 'true' },
    s('polygon', { points: `0,${height} ${points.join(' ')} ${width},${height}` }),
    s('polyline', { points: points.join(' ') }));
}

/** The links to the pages before and after this one; null if there is one page. */
export function pager({ count: all, offset }, shown, view, params) {
  const to = at => `${view}?${new URLSearchParams({ ...params, offset: Math.max(0, at) })}`;
  return all <= shown ? null : h('p', { class: 'pager' },
    offset ? h('a', { href: to(offset - 100) }, '← before') : null,
    ` ${number(offset + 1)} to ${number(offset + shown)} of ${number(all)} `,
    offset + shown < all ? h('a', { href: to(offset + 100) }, 'further →') : null);
}
